//! The life of a payment, as the target's server and a buyer's browser see it, and as it is marked.

mod support;

use onsale_history::{ChargeStage, DeliveryStage, MarkKind, RefundStage};
use onsale_psp::Knobs;
use std::time::Duration;
use support::{Desk, PATIENCE, SECRET_KEY};

#[tokio::test]
async fn a_confirmed_payment_is_captured_and_told_to_the_target() {
    let desk = Desk::open(|_| {}).await;
    let intent = desk.create(1).await;
    assert_eq!(intent.word(), "requires_confirmation");
    assert_eq!(desk.confirm(&intent).await.word(), "processing");
    desk.quiet().await;
    let paid = desk.show(&intent).await;
    assert_eq!((paid.word(), paid.body["amount_received"].as_u64()), ("succeeded", Some(1000)));
    assert_eq!(desk.marks.charges(), [ChargeStage::Created, ChargeStage::Captured]);
    assert_eq!(desk.hook.kinds(), ["payment_intent.succeeded"]);
    let arrival = &desk.hook.arrivals()[0];
    onsale_psp::verify(
        support::WEBHOOK_SECRET,
        &arrival.signature,
        &arrival.body,
        support::now_unix(),
    )
    .unwrap();
    assert_eq!(arrival.json()["data"]["object"], paid.body);
}

#[tokio::test]
async fn a_mark_names_order_hold_buyer_and_instrument_and_comes_before_the_webhook() {
    let desk = Desk::open(|_| {}).await;
    let intent = desk.paid(5).await;
    let marks = desk.marks.all();
    let captured = marks
        .iter()
        .position(|m| matches!(m, MarkKind::Charge { stage: ChargeStage::Captured, .. }))
        .unwrap();
    let MarkKind::Charge { charge, order, hold, buyer, instrument, amount, .. } = marks[captured]
    else {
        unreachable!()
    };
    let names = &desk.names;
    assert_eq!(names.name(charge).as_deref(), Some(intent.id().as_str()));
    assert_eq!(names.name(order.unwrap()).as_deref(), Some("o5"));
    assert_eq!(names.name(hold.unwrap()).as_deref(), Some("h5"));
    assert_eq!(names.name(buyer.unwrap()).as_deref(), Some("buyer-5"));
    assert_eq!(names.name(instrument.unwrap()).as_deref(), Some("card-5"));
    assert_eq!(amount, 1000);
    let arrived = desk.hook.arrivals()[0].marks;
    assert!(
        captured < arrived,
        "captured is mark {captured}, {arrived} marks when the webhook arrived"
    );
    let sent = marks
        .iter()
        .position(|m| matches!(m, MarkKind::Delivery { stage: DeliveryStage::Sent, .. }))
        .unwrap();
    assert!(
        captured < sent && sent < arrived,
        "captured {captured}, sent {sent}, arrived {arrived}"
    );
}

#[tokio::test]
async fn without_a_payment_method_nothing_can_be_confirmed() {
    let desk = Desk::open(|_| {}).await;
    let intent = desk.post("/v1/payment_intents", "amount=5&currency=usd").await;
    assert_eq!(intent.word(), "requires_payment_method");
    let said = desk.confirm(&intent).await;
    assert_eq!((said.status, said.code()), (400, "payment_intent_unexpected_state"));
}

#[tokio::test]
async fn a_decline_goes_back_and_a_second_try_may_pass() {
    let desk = Desk::open(|config| config.knobs.decline = 1.0).await;
    let intent = desk.create(1).await;
    let said = desk.confirm(&intent).await;
    assert_eq!((said.status, said.code()), (402, "card_declined"));
    assert_eq!(said.body["error"]["payment_intent"]["status"], "requires_payment_method");
    assert_eq!(desk.show(&intent).await.word(), "requires_payment_method");
    desk.provider.change(|knobs| knobs.decline = 0.0);
    assert_eq!(desk.confirm(&intent).await.word(), "processing");
    desk.quiet().await;
    assert_eq!(
        desk.marks.charges(),
        [ChargeStage::Created, ChargeStage::Declined, ChargeStage::Captured]
    );
    assert_eq!(desk.hook.kinds(), ["payment_intent.payment_failed", "payment_intent.succeeded"]);
}

#[tokio::test]
async fn a_failure_for_good_is_pending_first_and_final_then() {
    let desk = Desk::open(|config| config.knobs.fail = 1.0).await;
    let intent = desk.create(1).await;
    assert_eq!(desk.confirm(&intent).await.word(), "processing");
    desk.quiet().await;
    let failed = desk.show(&intent).await;
    assert_eq!((failed.word(), failed.body["amount_received"].as_u64()), ("canceled", Some(0)));
    assert_eq!(desk.marks.charges(), [ChargeStage::Created, ChargeStage::Failed]);
    let mut kinds = desk.hook.kinds();
    kinds.sort();
    assert_eq!(kinds, ["payment_intent.canceled", "payment_intent.payment_failed"]);
    assert_eq!(desk.confirm(&intent).await.code(), "payment_intent_unexpected_state");
}

#[tokio::test]
async fn an_action_is_asked_for_once() {
    let desk = Desk::open(|config| config.knobs.requires_action = 1.0).await;
    let intent = desk.create(1).await;
    let said = desk.confirm(&intent).await;
    assert_eq!(said.word(), "requires_action");
    assert_eq!(said.body["next_action"]["type"], "use_stripe_sdk");
    assert_eq!(desk.confirm(&intent).await.word(), "processing");
    desk.quiet().await;
    assert_eq!(desk.show(&intent).await.word(), "succeeded");
}

#[tokio::test]
async fn an_open_or_pending_payment_can_be_cancelled_and_is_never_captured() {
    let desk = Desk::open(|config| {
        config.knobs.latency = (Duration::from_millis(50), Duration::from_millis(50));
    })
    .await;
    let open = desk.create(1).await;
    let pending = desk.create(2).await;
    desk.confirm(&pending).await;
    for intent in [&open, &pending] {
        let said = desk.post(&format!("/v1/payment_intents/{}/cancel", intent.id()), "").await;
        assert_eq!((said.status, said.word()), (200, "canceled"));
        let again = desk.post(&format!("/v1/payment_intents/{}/cancel", intent.id()), "").await;
        assert_eq!((again.status, again.code()), (400, "payment_intent_unexpected_state"));
    }
    desk.quiet().await;
    assert!(!desk.marks.charges().contains(&ChargeStage::Captured));
    assert_eq!(desk.hook.kinds(), ["payment_intent.canceled", "payment_intent.canceled"]);
}

#[tokio::test]
async fn a_captured_payment_cannot_be_cancelled_or_confirmed_again() {
    let desk = Desk::open(|_| {}).await;
    let intent = desk.paid(1).await;
    let said = desk.post(&format!("/v1/payment_intents/{}/cancel", intent.id()), "").await;
    assert_eq!((said.status, said.code()), (400, "payment_intent_unexpected_state"));
    assert_eq!(said.body["error"]["payment_intent"]["status"], "succeeded");
    assert_eq!(desk.confirm(&intent).await.code(), "payment_intent_unexpected_state");
    assert_eq!(desk.marks.charges(), [ChargeStage::Created, ChargeStage::Captured]);
}

#[tokio::test]
async fn a_cancelled_payment_may_be_captured_all_the_same_by_a_fault() {
    let desk = Desk::open(|config| {
        config.knobs.capture_after_cancel = 1.0;
        config.knobs.latency = (Duration::from_millis(50), Duration::from_millis(50));
    })
    .await;
    let intent = desk.create(1).await;
    desk.confirm(&intent).await;
    assert_eq!(
        desk.post(&format!("/v1/payment_intents/{}/cancel", intent.id()), "").await.word(),
        "canceled"
    );
    desk.quiet().await;
    assert_eq!(desk.show(&intent).await.word(), "succeeded");
    assert_eq!(
        desk.marks.charges(),
        [ChargeStage::Created, ChargeStage::Cancelled, ChargeStage::Captured]
    );
    assert_eq!(desk.provider.tally().captured_after_cancel, 1);
}

#[tokio::test]
async fn a_wrong_amount_is_really_captured_and_told() {
    let desk = Desk::open(|config| config.knobs.wrong_amount = 1).await;
    for n in 0..6 {
        desk.paid(n).await;
    }
    let ledger = desk.provider.ledger();
    let received: Vec<u32> = ledger.charges.iter().map(|charge| charge.received).collect();
    assert_eq!(received, [1000, 1000, 500, 1000, 1000, 1000]);
    let claimed: Vec<_> = desk
        .marks
        .all()
        .into_iter()
        .filter_map(|m| match m {
            MarkKind::Delivery { label, stage: DeliveryStage::Sent, amount, .. } => {
                Some((label.word(), amount))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        claimed.iter().filter(|claim| **claim == ("wrong-amount", 500)).count(),
        1,
        "{claimed:?}"
    );
    assert_eq!(
        claimed.iter().filter(|claim| **claim == ("genuine", 1000)).count(),
        5,
        "{claimed:?}"
    );
}

#[tokio::test]
async fn refunds_are_objects_and_never_exceed_what_was_captured() {
    let desk = Desk::open(|_| {}).await;
    let open = desk.create(9).await;
    let said = desk.post("/v1/refunds", &format!("payment_intent={}", open.id())).await;
    assert_eq!((said.status, said.code()), (400, "payment_intent_unexpected_state"));
    let intent = desk.paid(1).await;
    let of = format!("payment_intent={}", intent.id());
    let part = desk.post("/v1/refunds", &format!("{of}&amount=300")).await;
    assert_eq!((part.word(), part.body["amount"].as_u64()), ("succeeded", Some(300)));
    assert_eq!(
        desk.post("/v1/refunds", &format!("{of}&amount=701")).await.code(),
        "amount_too_large"
    );
    let rest = desk.post("/v1/refunds", &of).await;
    assert_eq!(rest.body["amount"].as_u64(), Some(700));
    assert_eq!(desk.post("/v1/refunds", &of).await.code(), "charge_already_refunded");
    assert_eq!(desk.get(&format!("/v1/refunds/{}", part.id())).await.body, part.body);
    // What was refused is marked too: that it was asked for is evidence.
    let stages = [
        RefundStage::Created,
        RefundStage::Succeeded,
        RefundStage::Created,
        RefundStage::Failed,
        RefundStage::Created,
        RefundStage::Succeeded,
        RefundStage::Created,
        RefundStage::Failed,
    ];
    assert_eq!(desk.marks.refunds(), stages);
    desk.quiet().await;
    assert_eq!(desk.hook.kinds().iter().filter(|kind| *kind == "charge.refunded").count(), 2);
}

#[tokio::test]
async fn a_refund_fails_at_first_and_its_key_replays_the_failure() {
    let desk = Desk::open(|config| config.knobs.refund_fails = 1.0).await;
    let intent = desk.paid(1).await;
    let of = format!("payment_intent={}", intent.id());
    let first = desk.send(desk.keyed("refund:1", "/v1/refunds", &of)).await.unwrap();
    assert_eq!(first.word(), "failed");
    let again = desk.send(desk.keyed("refund:1", "/v1/refunds", &of)).await.unwrap();
    assert_eq!((again.replayed, again.id()), (true, first.id()));
    let second = desk.send(desk.keyed("refund:2", "/v1/refunds", &of)).await.unwrap();
    assert_eq!(second.word(), "succeeded");
    let stages =
        [RefundStage::Created, RefundStage::Failed, RefundStage::Created, RefundStage::Succeeded];
    assert_eq!(desk.marks.refunds(), stages);
}

#[tokio::test]
async fn a_browser_needs_the_client_secret_and_may_do_nothing_else() {
    let desk = Desk::open(|_| {}).await;
    let intent = desk.create(1).await;
    let path = format!("/v1/payment_intents/{}", intent.id());
    let secret = intent.body["client_secret"].as_str().unwrap();
    let table = [
        ("pk_x", format!("{path}/confirm"), String::new(), 404),
        ("pk_x", format!("{path}/confirm"), "client_secret=wrong".into(), 404),
        ("pk_x", format!("{path}/cancel"), format!("client_secret={secret}"), 401),
        ("pk_x", "/v1/payment_intents".into(), "amount=1&currency=usd".into(), 401),
        ("pk_x", "/v1/refunds".into(), format!("payment_intent={}", intent.id()), 401),
        ("sk_wrong", format!("{path}/confirm"), String::new(), 401),
        (SECRET_KEY, format!("{path}/confirm"), String::new(), 200),
    ];
    for (key, path, form, status) in table {
        let said = desk.send(desk.post_as(key, &path, &form)).await.unwrap();
        assert_eq!(said.status, status, "{key} {path} {form}: {said:?}");
    }
    let seen = desk
        .send(desk.http.get(format!("{}{path}?client_secret={secret}", desk.provider.url())))
        .await
        .unwrap();
    assert_eq!((seen.status, seen.id()), (200, intent.id()));
}

#[tokio::test]
async fn bad_parameters_are_refused_and_change_nothing() {
    let desk = Desk::open(|_| {}).await;
    let table = [
        ("currency=usd", "parameter_missing"),
        ("amount=5", "parameter_missing"),
        ("amount=0&currency=usd", "parameter_invalid"),
        ("amount=-5&currency=usd", "parameter_invalid"),
        ("amount=4294967296&currency=usd", "parameter_invalid"),
        ("amount=5&currency=dollars", "parameter_invalid"),
        ("amount=%zz", ""),
    ];
    for (form, code) in table {
        let said = desk.post("/v1/payment_intents", form).await;
        assert_eq!((said.status, said.code()), (400, code), "{form}");
    }
    assert_eq!(desk.get("/v1/payment_intents").await.body["data"].as_array().unwrap().len(), 0);
    assert_eq!(desk.marks.all(), []);
    assert_eq!(desk.get("/v1/nonsense").await.status, 404);
}

#[tokio::test]
async fn metadata_can_be_changed_and_later_marks_follow_it() {
    let desk = Desk::open(|_| {}).await;
    let intent = desk.create(1).await;
    let path = format!("/v1/payment_intents/{}", intent.id());
    let said = desk.post(&path, "metadata[order_id]=o2&metadata[hold_id]=&amount=900").await;
    assert_eq!(said.body["metadata"]["order_id"], "o2");
    assert_eq!(said.body["amount"], 900);
    desk.confirm(&intent).await;
    desk.quiet().await;
    let Some(MarkKind::Charge { order, hold, amount, .. }) = desk
        .marks
        .all()
        .into_iter()
        .find(|m| matches!(m, MarkKind::Charge { stage: ChargeStage::Captured, .. }))
    else {
        panic!("not captured")
    };
    assert_eq!((order, hold, amount), (desk.names.find("o2"), None, 900));
    assert_eq!(desk.post(&path, "amount=1").await.code(), "payment_intent_unexpected_state");
}

#[tokio::test]
async fn the_same_seed_gives_the_same_fates_whatever_the_time() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let desk = Desk::open(|config| {
            config.knobs = Knobs {
                decline: 0.3,
                fail: 0.2,
                latency: (Duration::ZERO, Duration::ZERO),
                ..Knobs::default()
            };
        })
        .await;
        for n in 0..40 {
            let intent = desk.create(n).await;
            desk.confirm(&intent).await;
        }
        desk.provider.quiesce(PATIENCE).await.unwrap();
        let ledger = desk.provider.ledger();
        runs.push(
            ledger.charges.into_iter().map(|charge| (charge.id, charge.status)).collect::<Vec<_>>(),
        );
    }
    assert_eq!(runs[0], runs[1]);
    for status in ["succeeded", "canceled", "requires_payment_method"] {
        assert!(runs[0].iter().any(|(_, own)| *own == status), "no payment is {status}");
    }
}
