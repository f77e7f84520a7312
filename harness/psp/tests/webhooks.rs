//! Webhooks: delivery, retries, and every fault of theirs.

mod support;

use onsale_history::{DeliveryLabel, DeliveryStage};
use onsale_psp::{Rejection, verify};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use support::{Desk, Hook, PATIENCE, WEBHOOK_SECRET};

/// Labels of what was sent, in order.
fn sent(desk: &Desk) -> Vec<&'static str> {
    desk.marks
        .deliveries()
        .iter()
        .filter(|(_, stage, _)| *stage == DeliveryStage::Sent)
        .map(|d| d.0.word())
        .collect()
}

async fn undelivered(desk: &Desk) -> Vec<Value> {
    let said = desk.get("/v1/events?delivery_success=false&limit=100").await;
    said.body["data"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn a_refused_webhook_is_tried_again_until_it_is_accepted() {
    let desk = Desk::open(|_| {}).await;
    desk.hook.statuses.lock().unwrap().extend([500, 404]);
    desk.paid(1).await;
    let expected = [
        (DeliveryLabel::Genuine, DeliveryStage::Sent, 0),
        (DeliveryLabel::Genuine, DeliveryStage::Answered, 500),
        (DeliveryLabel::Genuine, DeliveryStage::Sent, 0),
        (DeliveryLabel::Genuine, DeliveryStage::Answered, 404),
        (DeliveryLabel::Genuine, DeliveryStage::Sent, 0),
        (DeliveryLabel::Genuine, DeliveryStage::Answered, 200),
    ];
    assert_eq!(desk.marks.deliveries(), expected);
    assert_eq!(undelivered(&desk).await, [] as [Value; 0]);
    let ledger = desk.provider.ledger();
    assert_eq!((ledger.events[0].attempts, ledger.events[0].delivered), (3, true));
}

#[tokio::test]
async fn a_webhook_that_nobody_takes_is_lost_and_stays_listed_as_undelivered() {
    let desk = Desk::open(|config| {
        config.webhook_url = Some(format!("http://127.0.0.1:{}/hook", Hook::free_port()));
        config.retry.attempts = 3;
    })
    .await;
    desk.paid(1).await;
    let stages: Vec<_> = desk.marks.deliveries().iter().map(|delivery| delivery.1).collect();
    assert_eq!(stages, [DeliveryStage::Sent, DeliveryStage::Lost].repeat(3));
    let listed = undelivered(&desk).await;
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (listed[0]["type"].as_str(), listed[0]["pending_webhooks"].as_u64()),
        (Some("payment_intent.succeeded"), Some(1))
    );
}

#[tokio::test]
async fn a_dropped_webhook_is_never_sent_and_found_by_asking() {
    let desk = Desk::open(|config| config.knobs.drop = 1.0).await;
    let intent = desk.paid(1).await;
    assert_eq!(desk.marks.deliveries(), [(DeliveryLabel::Genuine, DeliveryStage::Dropped, 0)]);
    assert_eq!(desk.hook.arrivals().len(), 0);
    let listed = undelivered(&desk).await;
    assert_eq!(listed[0]["data"]["object"]["id"], intent.body["id"]);
    let event = desk.get(&format!("/v1/events/{}", listed[0]["id"].as_str().unwrap())).await;
    assert_eq!(event.body, listed[0]);
}

#[tokio::test]
async fn a_doubled_webhook_comes_twice_mostly_with_one_event_id() {
    let desk = Desk::open(|config| config.knobs.duplicate = 1.0).await;
    for n in 0..16 {
        desk.paid(n).await;
    }
    let mut labels = sent(&desk);
    labels.sort_unstable();
    assert_eq!(labels, [["duplicate"; 16], ["genuine"; 16]].concat());
    // Every payment is told of twice; the second event may have an id of its own.
    let mut told = BTreeMap::<String, BTreeSet<String>>::new();
    for arrival in desk.hook.arrivals() {
        let event = arrival.json();
        told.entry(event["data"]["object"]["id"].to_string())
            .or_default()
            .insert(event["id"].to_string());
    }
    assert_eq!((told.len(), desk.hook.arrivals().len()), (16, 32));
    let twins = told.values().filter(|ids| ids.len() == 2).count();
    assert!((1..=9).contains(&twins), "{twins} of 16 second webhooks are events of their own");
    assert_eq!(desk.provider.tally().duplicated, 16);
    assert_eq!(undelivered(&desk).await, [] as [Value; 0]);
}

#[tokio::test]
async fn a_delayed_webhook_comes_after_its_delay() {
    let delay = Duration::from_millis(150);
    let desk = Desk::open(|config| {
        config.knobs.delay = 1.0;
        config.knobs.delay_by = delay;
        config.knobs.latency = (Duration::ZERO, Duration::ZERO);
    })
    .await;
    let intent = desk.create(1).await;
    let before = tokio::time::Instant::now();
    assert_eq!(desk.confirm(&intent).await.word(), "succeeded");
    assert_eq!(desk.hook.arrivals().len(), 0);
    desk.quiet().await;
    assert!(before.elapsed() >= delay);
    assert_eq!(sent(&desk), ["delayed"]);
}

#[tokio::test]
async fn a_reordered_webhook_is_overtaken_by_a_later_one() {
    let desk = Desk::open(|config| {
        config.knobs.reorder = 1.0;
        config.knobs.latency = (Duration::ZERO, Duration::ZERO);
    })
    .await;
    let first = desk.create(1).await;
    desk.confirm(&first).await;
    desk.provider.change(|knobs| knobs.reorder = 0.0);
    let second = desk.create(2).await;
    desk.confirm(&second).await;
    desk.quiet().await;
    assert_eq!(sent(&desk), ["genuine", "reordered"]);
    let order: Vec<_> =
        desk.hook.arrivals().iter().map(|a| a.json()["data"]["object"]["id"].clone()).collect();
    assert_eq!(order, [second.body["id"].clone(), first.body["id"].clone()]);
}

#[tokio::test]
async fn an_early_webhook_arrives_before_the_call_is_answered() {
    let desk = Desk::open(|config| config.knobs.early = 1.0).await;
    let intent = desk.create(1).await;
    assert_eq!(desk.hook.kinds(), ["payment_intent.created"]);
    assert_eq!(desk.confirm(&intent).await.word(), "succeeded");
    assert_eq!(desk.hook.kinds(), ["payment_intent.created", "payment_intent.succeeded"]);
    assert_eq!(sent(&desk), ["early", "early"]);
}

#[tokio::test]
async fn a_payment_confirmed_in_its_create_call_is_told_before_its_id_is_known() {
    let desk = Desk::open(|config| config.knobs.early = 1.0).await;
    let said = desk
        .post(
            "/v1/payment_intents",
            "amount=5&currency=usd&payment_method=pm_card_visa&confirm=true",
        )
        .await;
    assert_eq!(said.word(), "succeeded");
    let mut kinds = desk.hook.kinds();
    kinds.sort();
    assert_eq!(kinds, ["payment_intent.created", "payment_intent.succeeded"]);
}

#[tokio::test]
async fn forged_and_stale_webhooks_are_aimed_at_payments_that_are_not_captured() {
    let desk = Desk::open(|config| {
        config.knobs.forged = 2;
        config.knobs.stale = 2;
    })
    .await;
    desk.hook.statuses.lock().unwrap().extend([400; 4]);
    for n in 0..9 {
        desk.create(n).await;
    }
    desk.quiet().await;
    let arrivals = desk.hook.arrivals();
    assert_eq!(arrivals.len(), 4);
    let mut rejections: Vec<_> = arrivals
        .iter()
        .map(|a| {
            verify(WEBHOOK_SECRET, &a.signature, &a.body, support::now_unix())
                .unwrap_err()
                .to_string()
        })
        .collect();
    rejections.sort();
    let (mismatch, stale) = (Rejection::Mismatch.to_string(), Rejection::Stale.to_string());
    assert_eq!(rejections, [&mismatch, &mismatch, &stale, &stale].map(Clone::clone));
    for arrival in &arrivals {
        let object = &arrival.json()["data"]["object"];
        assert_eq!(
            (object["status"].as_str(), object["amount_received"].as_u64()),
            (Some("succeeded"), Some(1000))
        );
        let real =
            desk.get(&format!("/v1/payment_intents/{}", object["id"].as_str().unwrap())).await;
        assert_eq!(real.word(), "requires_confirmation");
    }
    // Refused once, and not tried again; nothing about them is in the list of events.
    let mut labels = sent(&desk);
    labels.sort_unstable();
    assert_eq!(labels, ["forged", "forged", "stale", "stale"]);
    assert_eq!(desk.get("/v1/events").await.body["data"].as_array().unwrap().len(), 0);
    assert_eq!((desk.provider.knobs().forged, desk.provider.knobs().stale), (0, 0));
}

#[tokio::test]
async fn an_attack_on_a_payment_that_was_captured_meanwhile_is_left_for_another() {
    let desk = Desk::open(|config| {
        config.knobs.forged = 1;
        config.knobs.latency = (Duration::ZERO, Duration::ZERO);
    })
    .await;
    desk.post(
        "/v1/payment_intents",
        "amount=5&currency=usd&payment_method=pm_card_visa&confirm=true",
    )
    .await;
    desk.quiet().await;
    assert_eq!((sent(&desk), desk.provider.knobs().forged), (vec!["genuine"], 1));
    for n in 1..4 {
        desk.create(n).await;
    }
    desk.quiet().await;
    assert_eq!((sent(&desk), desk.provider.knobs().forged), (vec!["genuine", "forged"], 0));
}

#[tokio::test]
async fn the_webhook_address_can_be_set_late() {
    let desk = Desk::open(|config| config.webhook_url = None).await;
    desk.paid(1).await;
    assert_eq!(undelivered(&desk).await.len(), 1);
    desk.provider.set_webhook_url(&desk.hook.url);
    desk.paid(2).await;
    assert_eq!(desk.hook.kinds(), ["payment_intent.succeeded"]);
}

#[tokio::test]
async fn a_stopped_provider_sends_nothing_more() {
    let desk = Desk::open(|config| {
        config.knobs.delay = 1.0;
        config.knobs.delay_by = PATIENCE;
        config.knobs.latency = (Duration::ZERO, Duration::ZERO);
    })
    .await;
    let intent = desk.create(1).await;
    desk.confirm(&intent).await;
    let error = desk.provider.quiesce(Duration::from_millis(20)).await.unwrap_err();
    assert_eq!(error.to_string(), "1 payments or webhooks were still under way after 20 ms");
    let ledger = desk.provider.stop().await.unwrap();
    assert_eq!((ledger.charges[0].status, ledger.events[0].delivered), ("succeeded", false));
    assert_eq!(desk.hook.arrivals().len(), 0);
    assert!(desk.send(desk.http.get(desk.provider.url())).await.is_err(), "it still answers");
    let json: Value = serde_json::from_str(&ledger.to_json()).unwrap();
    assert_eq!(json["charges"][0]["metadata"]["order_id"], "o1");
}
