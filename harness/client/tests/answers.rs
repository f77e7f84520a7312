//! What answers, and their absence, become.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use onsale_client::{Answer, Client};
use onsale_history::{
    BuyerId, CallKind, Class, Memory, Nanos, Outcome, Record, RecordError, Scribe, SkuId, State,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use support::{Reply, call, client, json, raw, scribe, server};

const SHOP: &str = r"
version: 1
client: { timeout: 300ms, connect-timeout: 300ms, answer-bytes-max: 2000 }
classify:
  - by: { json: $.code }
    cases: { sold-out: sold-out, overloaded: busy, internal: error }
  - when: { status: 409, contains: Sold out }
    is: sold-out
  - when: { status: 2xx, json: [{ path: '$.errors[?@.kind == ''SOLD'']' }] }
    is: sold-out
  - when: { status: 2xx }
    is: ok
states: { held: held }
operations:
  hold:
    steps:
      - request: POST /holds
        body: { json: { items: { $each: items, as: { sku: '{{item.sku}}', n: '{{item.quantity | int}}' } } } }
    answer: { hold: { json: $.id }, value: { json: $.ttl, times: 1000 } }
  read-hold:
    steps:
      - request: GET /holds/{{hold}}
    answer: { state: { json: $.state } }
";

async fn ask(client: &Client, scribe: &Scribe, record: &mut dyn Record) -> Answer {
    let mut connection = client.connection();
    let mut buyer = client.buyer(BuyerId::from_index(3));
    let mut hold = call(CallKind::Hold);
    hold.items = vec![(scribe.names.id::<SkuId>("floor"), 2)];
    connection.execute(&mut buyer, &hold, scribe, record).await.unwrap()
}

/// Answers, and what they are.
fn cases() -> Vec<(&'static str, Reply, (Class, Outcome))> {
    let chunked = "HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n5;x=y\r\n{\"id\"\r\n6\r\n:\"h1\"}\r\n0\r\nt: v\r\n\r\n";
    let failed = |class| (class, Outcome::Failed(class));
    let unsure = |class| (class, Outcome::Indeterminate(class));
    let ok = (Class::Ok, Outcome::Ok);
    vec![
        ("a hold", json(201, r#"{"id":"h1","ttl":4}"#), ok),
        ("chunks", Reply::Say(chunked.into()), ok),
        ("until close", Reply::SayAndClose(b"HTTP/1.1 201 X\r\n\r\n{\"id\":\"h1\"}".to_vec()), ok),
        (
            "a 100 first",
            Reply::Say(
                [b"HTTP/1.1 100 Continue\r\n\r\n".to_vec(), raw(201, "", r#"{"id":"h1"}"#)]
                    .concat(),
            ),
            ok,
        ),
        (
            "a refusal by code",
            json(409, r#"{"code":"sold-out","definite":true}"#),
            failed(Class::SoldOut),
        ),
        (
            "a refusal that is not definite",
            json(503, r#"{"code":"overloaded","definite":false}"#),
            unsure(Class::Busy),
        ),
        (
            "a refusal in words",
            Reply::Say(raw(409, "", "<p>Sold out!</p>")),
            failed(Class::SoldOut),
        ),
        (
            "a refusal under 200",
            json(200, r#"{"errors":[{"kind":"SOLD"}]}"#),
            failed(Class::SoldOut),
        ),
        ("a failure", json(500, r#"{"code":"internal","definite":false}"#), unsure(Class::Error)),
        ("an ok without a hold", json(201, r#"{"ttl":4}"#), unsure(Class::Unknown)),
        ("a status no rule knows", json(418, "{}"), unsure(Class::Unknown)),
        (
            "garbage",
            Reply::SayAndClose(b"SSH-2.0-OpenSSH\r\n\r\n".to_vec()),
            unsure(Class::Disconnected),
        ),
        (
            "half an answer",
            Reply::SayAndClose(b"HTTP/1.1 201 X\r\ncontent-length: 99\r\n\r\n{".to_vec()),
            unsure(Class::Disconnected),
        ),
        (
            "half a chunk",
            Reply::SayAndClose(
                b"HTTP/1.1 201 X\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{".to_vec(),
            ),
            unsure(Class::Disconnected),
        ),
        ("too much", Reply::Say(raw(201, "", &"x".repeat(2001))), unsure(Class::Disconnected)),
        ("a closed door", Reply::Close, unsure(Class::Disconnected)),
        ("silence", Reply::Silence, unsure(Class::Timeout)),
    ]
}

#[tokio::test]
async fn every_answer_is_what_the_mapping_says_and_no_surer_than_it_is() {
    for (name, reply, (class, outcome)) in cases() {
        let server = server(vec![reply]).await;
        let (scribe, mut record) = (scribe(), Memory::default());
        let answer = ask(&client(SHOP, &server.url), &scribe, &mut record).await;
        assert_eq!((answer.class, answer.outcome), (class, outcome), "{name}");
        assert_eq!(answer.hold.is_some(), outcome.is_ok(), "{name}");
        if name == "a hold" {
            assert_eq!(
                (answer.value, scribe.names.name(answer.hold.unwrap()).as_deref()),
                (4000, Some("h1"))
            );
        }
    }
}

#[tokio::test]
async fn nobody_there_is_unreachable_and_definite() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (scribe, mut record) = (scribe(), Memory::default());
    let answer = ask(&client(SHOP, &format!("http://{free}")), &scribe, &mut record).await;
    assert_eq!(answer.outcome, Outcome::Failed(Class::Unreachable));
}

#[tokio::test]
async fn a_connection_that_went_stale_is_replaced_before_the_next_operation() {
    let stale = Reply::SayAndClose(raw(201, "", r#"{"id":"h1"}"#));
    let server =
        server(vec![stale, json(201, r#"{"id":"h2"}"#), json(201, r#"{"id":"h3"}"#)]).await;
    let (scribe, client, mut record) = (scribe(), client(SHOP, &server.url), Memory::default());
    let (mut connection, mut buyer) = (client.connection(), client.buyer(BuyerId::from_index(0)));
    for _ in 0..3 {
        let answer = connection
            .execute(&mut buyer, &call(CallKind::Hold), &scribe, &mut record)
            .await
            .unwrap();
        assert!(answer.outcome.is_ok(), "{answer:?}");
        // The end of the first connection has arrived once the server's task is done with it.
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_state_that_the_mapping_does_not_name_is_unknown() {
    for (body, state, class) in [
        (r#"{"state":"held"}"#, Some(State::Held), Class::Ok),
        (r#"{"state":"floating"}"#, None, Class::Unknown),
        ("{}", None, Class::Unknown),
    ] {
        let server = server(vec![json(200, body)]).await;
        let (scribe, client, mut record) = (scribe(), client(SHOP, &server.url), Memory::default());
        let mut read = call(CallKind::ReadHold);
        read.hold = Some(scribe.names.id("h/1"));
        let mut buyer = client.buyer(BuyerId::from_index(0));
        let answer =
            client.connection().execute(&mut buyer, &read, &scribe, &mut record).await.unwrap();
        assert_eq!((answer.state, answer.class), (state, class), "{body}");
        assert!(server.asked.lock().unwrap()[0].starts_with("GET /holds/h%2F1 HTTP/1.1\r\n"));
    }
}

/// A record that looks, at each invoke, whether the server has heard anything.
struct Watch {
    heard: Arc<std::sync::Mutex<Vec<String>>>,
    inner: Memory,
    early: Vec<usize>,
}

impl Record for Watch {
    fn invoke(
        &mut self,
        at: Nanos,
        call: &onsale_history::Invocation,
        items: &[onsale_history::Line],
    ) -> Result<onsale_history::OpId, RecordError> {
        self.early.push(self.heard.lock().unwrap().len());
        self.inner.invoke(at, call, items)
    }
    fn complete(
        &mut self,
        at: Nanos,
        op: onsale_history::OpId,
        answer: &onsale_history::Completion,
        lines: &[onsale_history::Line],
    ) -> Result<(), RecordError> {
        self.inner.complete(at, op, answer, lines)
    }
}

#[tokio::test]
async fn the_gate_opens_before_the_record_and_the_record_is_written_before_the_request() {
    let server = server(vec![json(201, r#"{"id":"h1"}"#)]).await;
    let (scribe, client) = (scribe(), client(SHOP, &server.url));
    let mut record = Watch { heard: server.asked.clone(), inner: Memory::default(), early: vec![] };
    let (mut connection, mut buyer) = (client.connection(), client.buyer(BuyerId::from_index(0)));
    let opened = Arc::new(AtomicBool::new(false));
    let (seen, clock) = (opened.clone(), scribe.clock);
    let (sender, receiver) = tokio::sync::oneshot::channel();
    connection.wait_for(Box::pin(async move {
        tokio::task::yield_now().await;
        seen.store(true, Ordering::SeqCst);
        let _ = sender.send(clock.now());
    }));
    let answer =
        connection.execute(&mut buyer, &call(CallKind::Hold), &scribe, &mut record).await.unwrap();
    assert!(opened.load(Ordering::SeqCst));
    assert!(receiver.await.unwrap() <= answer.start && answer.start < answer.end);
    assert_eq!(record.early, [0], "nothing had been sent when the invocation was recorded");
}

#[test]
fn an_operation_can_be_done_on_any_thread() {
    fn send<T: Send>(_: &T) {}
    let client = client(SHOP, "http://127.0.0.1:1");
    let (scribe, mut record) = (scribe(), Memory::default());
    let (mut connection, mut buyer) = (client.connection(), client.buyer(BuyerId::from_index(0)));
    send(&connection.execute(&mut buyer, &call(CallKind::Hold), &scribe, &mut record));
}
