//! What the tests of this crate share: a mapping, a run, and a server that says exactly what it is told to.
#![expect(dead_code, reason = "each test file uses a part")]

use onsale_client::{Call, Client, RunContext, Secrets};
use onsale_history::{CallKind, Clock, Memory, Names, Nanos, ProcessId, Scribe};
use onsale_plan::Target;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with one request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Writes this and keeps the connection.
    Say(Vec<u8>),
    /// Writes this and closes.
    SayAndClose(Vec<u8>),
    /// Reads the request and closes.
    Close,
    /// Reads the request and says nothing.
    Silence,
}

/// A server that gives one reply a request, in order, and keeps what it was asked.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) asked: Arc<std::sync::Mutex<Vec<String>>>,
}

pub(crate) async fn server(replies: Vec<Reply>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(std::sync::Mutex::new(vec![]));
    let replies = Arc::new(std::sync::Mutex::new(replies.into_iter()));
    let heard = asked.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(talk(stream, heard.clone(), replies.clone()));
        }
    });
    Server { url, asked }
}

async fn talk(
    mut stream: TcpStream,
    asked: Arc<std::sync::Mutex<Vec<String>>>,
    replies: Arc<std::sync::Mutex<std::vec::IntoIter<Reply>>>,
) {
    while let Some(request) = read_request(&mut stream).await {
        asked.lock().unwrap().push(request);
        let reply = replies.lock().unwrap().next();
        match reply {
            Some(Reply::Say(bytes)) => stream.write_all(&bytes).await.unwrap(),
            Some(Reply::SayAndClose(bytes)) => {
                stream.write_all(&bytes).await.unwrap();
                return;
            }
            Some(Reply::Close) | None => return,
            Some(Reply::Silence) => std::future::pending::<()>().await,
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = vec![];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
            if body.len() >= length.parse::<usize>().unwrap() {
                return Some(text);
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

/// An answer with a JSON body.
pub(crate) fn json(status: u16, body: &str) -> Reply {
    Reply::Say(raw(status, "content-type: application/json\r\n", body))
}

/// The bytes of an answer.
pub(crate) fn raw(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

pub(crate) fn target(yaml: &str) -> Target {
    Target::parse(Path::new("target.yaml"), yaml).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

pub(crate) fn reference() -> Target {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads/targets/reference.yaml");
    Target::parse(&file, &std::fs::read_to_string(&file).unwrap())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// A run against `url`, with the sale of a workload that says nothing.
pub(crate) fn context(target: &Target, url: &str) -> RunContext {
    RunContext {
        run: "run-7".to_owned(),
        event: "sale-run-7".to_owned(),
        target_url: url.to_owned(),
        psp_url: url.to_owned(),
        seed: 7,
        epoch_unix_ms: 1_700_000_000_000,
        sale: onsale_client::sale_values(&onsale_plan::Sale::default(), 1_700_000_002_000),
        secrets: Secrets::resolve(target, |name| Some(format!("<{name}>"))).unwrap(),
    }
}

#[expect(clippy::disallowed_methods, reason = "a test has its own epoch")]
pub(crate) fn scribe() -> Scribe {
    Scribe {
        clock: Clock::since(Instant::now()),
        names: Names::default(),
        marks: Arc::new(Memory::default()),
    }
}

pub(crate) fn client(yaml: &str, url: &str) -> Client {
    let target = target(yaml);
    Client::compile(&target, &context(&target, url)).unwrap()
}

pub(crate) fn call(kind: CallKind) -> Call {
    Call::of(kind, ProcessId::from_index(0), Nanos::ZERO)
}
