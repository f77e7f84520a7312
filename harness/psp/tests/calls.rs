//! Calls: idempotency, lists, lost answers, a provider that is down or slow, and many at once.
#![expect(clippy::unwrap_used, reason = "a failed test")]

mod support;

use onsale_history::{Clock, MarkKind, MarkSink, Names, Nanos, RecordError, Scribe};
use onsale_psp::{Config, Error, Provider};
use std::sync::Arc;
use std::time::Duration;
use support::{Desk, Said};

const CREATE: &str = "amount=1000&currency=usd&metadata[order_id]=o1";

#[tokio::test]
async fn the_same_key_and_parameters_replay_the_stored_answer() {
    let desk = Desk::open(|_| {}).await;
    let first = desk.send(desk.keyed("k", "/v1/payment_intents", CREATE)).await.unwrap();
    let mut shuffled: Vec<_> = CREATE.split('&').collect();
    shuffled.reverse();
    let again =
        desk.send(desk.keyed("k", "/v1/payment_intents", &shuffled.join("&"))).await.unwrap();
    assert_eq!((first.replayed, again.replayed), (false, true));
    assert_eq!(first.body, again.body);
    let quoted = desk.send(desk.keyed("\"k\"", "/v1/payment_intents", CREATE)).await.unwrap();
    assert_eq!(quoted.body, first.body);
    assert_eq!(desk.provider.ledger().charges.len(), 1);
}

#[tokio::test]
async fn a_key_with_other_parameters_or_another_path_is_refused() {
    let desk = Desk::open(|_| {}).await;
    let first = desk.send(desk.keyed("k", "/v1/payment_intents", CREATE)).await.unwrap();
    let confirm = format!("/v1/payment_intents/{}/confirm", first.id());
    for (path, form) in
        [("/v1/payment_intents", "amount=1&currency=usd"), (confirm.as_str(), CREATE)]
    {
        let said = desk.send(desk.keyed("k", path, form)).await.unwrap();
        assert_eq!(
            (said.status, said.body["error"]["type"].as_str()),
            (400, Some("idempotency_error")),
            "{path}"
        );
    }
    assert_eq!(desk.provider.ledger().charges.len(), 1);
}

#[tokio::test]
async fn a_key_may_have_255_characters() {
    let desk = Desk::open(|_| {}).await;
    for (length, status) in [(255, 200), (256, 400)] {
        let said = desk
            .send(desk.keyed(&"k".repeat(length), "/v1/payment_intents", CREATE))
            .await
            .unwrap();
        assert_eq!(said.status, status, "{length} characters");
    }
}

#[tokio::test]
async fn a_key_in_flight_is_a_conflict_and_then_a_replay() {
    let desk = Desk::open(|config| config.knobs.answer_delay = Duration::from_millis(300)).await;
    let call = || desk.send(desk.keyed("k", "/v1/payment_intents", CREATE));
    let (one, other) = tokio::join!(call(), call());
    let (one, other) = (one.unwrap(), other.unwrap());
    let (first, second) = if one.status == 200 { (one, other) } else { (other, one) };
    assert_eq!((first.status, second.status, second.code()), (200, 409, "idempotency_key_in_use"));
    assert_eq!(call().await.unwrap().body, first.body);
}

#[tokio::test]
async fn a_call_that_was_not_understood_leaves_its_key_free() {
    let desk = Desk::open(|_| {}).await;
    let wrong = desk.send(desk.keyed("k", "/v1/payment_intents", "amount=5")).await.unwrap();
    assert_eq!(wrong.status, 400);
    let right = desk.send(desk.keyed("k", "/v1/payment_intents", CREATE)).await.unwrap();
    assert_eq!((right.status, right.replayed), (200, false));
}

#[tokio::test]
async fn a_stored_decline_is_replayed() {
    let desk = Desk::open(|config| config.knobs.decline = 1.0).await;
    let intent = desk.create(1).await;
    let path = format!("/v1/payment_intents/{}/confirm", intent.id());
    let first = desk.send(desk.keyed("pay", &path, "")).await.unwrap();
    desk.provider.change(|knobs| knobs.decline = 0.0);
    let again = desk.send(desk.keyed("pay", &path, "")).await.unwrap();
    assert_eq!((first.status, again.status, again.replayed), (402, 402, true));
    assert_eq!(desk.show(&intent).await.word(), "requires_payment_method");
}

#[tokio::test]
async fn a_lost_answer_took_effect_and_its_key_tells_what() {
    let desk = Desk::open(|config| config.knobs.answer_lost = 1.0).await;
    let lost = desk.send(desk.keyed("k", "/v1/payment_intents", CREATE)).await;
    assert!(lost.is_err(), "an answer came: {lost:?}");
    assert_eq!(desk.provider.ledger().charges.len(), 1);
    let again = desk.send(desk.keyed("k", "/v1/payment_intents", CREATE)).await.unwrap();
    assert_eq!((again.status, again.replayed), (200, true));
    assert_eq!(again.id(), desk.provider.ledger().charges[0].id);
    assert_eq!(desk.provider.tally().answers_lost, 1);
}

#[tokio::test]
async fn nothing_of_a_lost_answer_reaches_the_caller() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let desk = Desk::open(|config| config.knobs.answer_lost = 1.0).await;
    let mut stream = tokio::net::TcpStream::connect(desk.provider.address()).await.unwrap();
    let (length, key) = (CREATE.len(), support::SECRET_KEY);
    let request = format!(
        "POST /v1/payment_intents HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\ncontent-length: {length}\r\n\r\n{CREATE}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut heard = Vec::new();
    // A reset is as good as an end.
    let _ = stream.read_to_end(&mut heard).await;
    assert_eq!(String::from_utf8_lossy(&heard), "");
}

#[tokio::test]
async fn a_provider_that_is_down_answers_503_and_does_nothing() {
    let desk = Desk::open(|config| config.knobs.down = true).await;
    let said = desk.send(desk.keyed("k", "/v1/payment_intents", CREATE)).await.unwrap();
    assert_eq!((said.status, said.body["error"]["type"].as_str()), (503, Some("api_error")));
    assert_eq!(desk.get("/v1/events").await.status, 503);
    desk.provider.change(|knobs| knobs.down = false);
    let said = desk.send(desk.keyed("k", "/v1/payment_intents", CREATE)).await.unwrap();
    assert_eq!((said.status, said.replayed), (200, false));
    assert_eq!(desk.provider.tally().calls_refused, 2);
}

fn ids(said: &Said) -> Vec<String> {
    let data = said.body["data"].as_array().unwrap_or_else(|| panic!("no list: {said:?}"));
    data.iter().map(|object| object["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn lists_are_cut_into_pages_newest_first() {
    let desk = Desk::open(|config| config.knobs.drop = 1.0).await;
    let mut intents = Vec::new();
    for n in 0..5 {
        intents.push(desk.paid(n).await.id());
    }
    intents.reverse();
    for path in ["/v1/payment_intents", "/v1/events", "/v1/events?delivery_success=false"] {
        let joint = if path.contains('?') { '&' } else { '?' };
        let all = desk.get(&format!("{path}{joint}limit=100")).await;
        let every = ids(&all);
        assert_eq!((every.len(), all.body["has_more"].as_bool()), (5, Some(false)), "{path}");
        let table = [
            ("limit=2".to_owned(), &every[..2], true),
            (format!("limit=2&starting_after={}", every[1]), &every[2..4], true),
            (format!("limit=2&starting_after={}", every[3]), &every[4..], false),
            (format!("limit=2&ending_before={}", every[4]), &every[2..4], true),
            (format!("limit=9&ending_before={}", every[1]), &every[..1], false),
            ("created[gt]=99999999999".to_owned(), &every[..0], false),
        ];
        for (query, expected, more) in table {
            let said = desk.get(&format!("{path}{joint}{query}")).await;
            assert_eq!(ids(&said), expected, "{path} {query}");
            assert_eq!(said.body["has_more"].as_bool(), Some(more), "{path} {query}");
        }
        for wrong in ["limit=0", "limit=101", "starting_after=nobody"] {
            assert!(
                [400, 404].contains(&desk.get(&format!("{path}{joint}{wrong}")).await.status),
                "{path} {wrong}"
            );
        }
    }
    assert_eq!(ids(&desk.get("/v1/payment_intents").await), intents);
    assert_eq!(ids(&desk.get("/v1/events?type=payment_intent.canceled").await), [] as [&str; 0]);
    assert_eq!(ids(&desk.get("/v1/events?types[0]=payment_intent.succeeded").await).len(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_payments_keep_the_ledger_the_marks_and_the_webhooks_in_step() {
    const BUYERS: u32 = 64;
    const EACH: u32 = 30;
    let desk = Arc::new(
        Desk::open(|config| config.knobs.latency = (Duration::ZERO, Duration::from_millis(5)))
            .await,
    );
    let begin = tokio::time::Instant::now();
    let buyers: Vec<_> = (0..BUYERS)
        .map(|buyer| {
            let desk = desk.clone();
            tokio::spawn(async move {
                for n in 0..EACH {
                    let intent = desk.create(buyer * EACH + n).await;
                    assert_eq!(desk.confirm(&intent).await.status, 200);
                }
            })
        })
        .collect();
    for buyer in buyers {
        buyer.await.unwrap();
    }
    let paid = begin.elapsed();
    desk.quiet().await;
    let count = (BUYERS * EACH) as usize;
    println!("{count} payments in {paid:?}, all told after {:?}", begin.elapsed());
    let ledger = desk.provider.ledger();
    assert_eq!(ledger.charges.iter().filter(|charge| charge.received == 1000).count(), count);
    assert_eq!(ledger.events.iter().filter(|event| event.delivered).count(), count);
    assert_eq!(desk.marks.charges().len(), 2 * count);
    assert_eq!(desk.marks.deliveries().len(), 2 * count);
    assert_eq!(desk.hook.arrivals().len(), count);
}

/// A sink that cannot write.
struct Full;

impl MarkSink for Full {
    fn mark(&self, _: Nanos, _: MarkKind) -> Result<(), RecordError> {
        Err(RecordError {
            what: "a mark",
            source: std::io::Error::from(std::io::ErrorKind::StorageFull),
        })
    }
}

#[tokio::test]
async fn a_ledger_whose_marks_cannot_be_written_is_closed() {
    let clock = Clock::since(tokio::time::Instant::now().into_std());
    let scribe = Scribe { clock, names: Names::default(), marks: Arc::new(Full) };
    let provider = Provider::start(Config::loopback(1, Duration::ZERO), scribe).await.unwrap();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut statuses = Vec::new();
    for _ in 0..2 {
        let call = http.post(format!("{}/v1/payment_intents", provider.url()));
        let said = call.bearer_auth("sk_test_0000000000000001").body(CREATE).send().await.unwrap();
        statuses.push(said.status().as_u16());
    }
    assert_eq!(statuses, [500, 500]);
    assert!(matches!(provider.intact(), Err(Error::Mark(_))));
    assert!(matches!(provider.stop().await, Err(Error::Mark(_))));
}

#[tokio::test]
async fn an_address_that_is_taken_is_said() {
    let desk = Desk::open(|_| {}).await;
    let clock = Clock::since(tokio::time::Instant::now().into_std());
    let scribe = Scribe { clock, names: Names::default(), marks: Arc::new(Full) };
    let mut config = Config::loopback(1, Duration::ZERO);
    config.listen = desk.provider.address();
    let Err(error) = Provider::start(config, scribe).await else {
        panic!("two listen on one address")
    };
    assert_eq!(error.to_string(), format!("failed to listen on `{}`", desk.provider.address()));
}
