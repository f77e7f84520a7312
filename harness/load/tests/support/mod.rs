//! What the tests of whole swarms share: a small target, its mapping, and a swarm against it.

use onsale_client::{Client, RunContext, Secrets};
use onsale_history::{Clock, Memory, Names, Scribe};
use onsale_load::{PERSONAS, Swarm, SwarmConfig};
use onsale_plan::{Known, Target, Workload};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Everything that is asked of this target is read or refused.
const MAPPING: &str = r#"
version: 1
classify:
  - when: { status: 200 }
    is: ok
  - when: { status: 409 }
    is: sold-out
operations:
  landing:
    steps:
      - request: GET /
  hold:
    steps:
      - request: POST /holds
        body: { json: { sku: "{{item.sku}}", quantity: "{{item.quantity | int}}" } }
"#;

/// A target that freezes now and then, every connection at once.
#[derive(Clone, Copy)]
pub(crate) struct Freeze {
    pub(crate) every: Duration,
    pub(crate) lasts: Duration,
}

/// Starts the target and gives its URL.
pub(crate) async fn target(freeze: Option<Freeze>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let begun = now();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(talk(stream, freeze, begun));
        }
    });
    url
}

async fn talk(mut stream: TcpStream, freeze: Option<Freeze>, begun: Instant) {
    let mut bytes = Vec::new();
    loop {
        let Some(head) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            match stream.read_buf(&mut bytes).await {
                Ok(read) if read > 0 => continue,
                _ => return,
            }
        };
        let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
        let end = head + 4 + length.map_or(0, |length| length.parse().unwrap());
        while bytes.len() < end {
            if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
                return;
            }
        }
        bytes.drain(..end);
        if let Some(freeze) = freeze {
            let since = begun.elapsed().as_nanos() % freeze.every.as_nanos();
            let thaws = freeze.every.as_nanos() - since;
            if thaws <= freeze.lasts.as_nanos() {
                let left = u64::try_from(thaws).unwrap();
                tokio::time::sleep(Duration::from_nanos(left)).await;
            }
        }
        let answer: &[u8] = if text.starts_with("post") {
            b"HTTP/1.1 409 Conflict\r\ncontent-length: 0\r\n\r\n"
        } else {
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
        };
        if stream.write_all(answer).await.is_err() {
            return;
        }
    }
}

/// A swarm that plays `load` (YAML, inside braces) against `url`, and the sender that stops it.
pub(crate) fn swarm(url: &str, load: &str) -> (Swarm, watch::Sender<bool>) {
    let mapping = Target::parse("mapping.yaml".as_ref(), MAPPING)
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let personas: Vec<&str> = PERSONAS.iter().map(|persona| persona.name).collect();
    let text = format!(
        "target: mapping.yaml\nsale: {{ event: e, opens-after: 50ms, skus: [{{ name: a, stock: 9 }}], seats: 0, canaries: {{ count: 0, stock: 1 }} }}\nload: {{ {load} }}\n"
    );
    let known = Known { personas: &personas, faults: &[], rules: &[] };
    let mut workload = Workload::parse("load.yaml".as_ref(), &text, &known)
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    workload.sale.queue = None;
    let context = RunContext {
        run: "run-1".into(),
        event: "e".into(),
        target_url: url.into(),
        psp_url: url.into(),
        seed: 1,
        epoch_unix_ms: 1_700_000_000_000,
        sale: onsale_client::sale_values(&workload.sale, 1_700_000_000_000),
        secrets: Secrets::resolve(&mapping, |_| None).unwrap(),
    };
    let client = Client::compile(&mapping, &context).unwrap();
    let clock = Clock::since(now());
    let scribe = Scribe { clock, names: Names::default(), marks: Arc::new(Memory::default()) };
    let (tell, stop) = watch::channel(false);
    let config = SwarmConfig {
        workload,
        seed: 1,
        client,
        begins: clock.now(),
        opens: clock.now(),
        scribe,
        recorders: Arc::new(|| Ok(Box::new(Memory::default()))),
        stop,
    };
    (Swarm::new(config), tell)
}

#[expect(clippy::disallowed_methods, reason = "a test has its own epoch")]
fn now() -> Instant {
    Instant::now()
}
