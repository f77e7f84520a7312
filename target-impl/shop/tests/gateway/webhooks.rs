use super::world::{SECRET, World, sale_with};
use axum::http::StatusCode;
use serde_json::json;

const CAPTURED: &str = "payment_intent.succeeded";

async fn world() -> (World, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    (World::selling(directory.path(), "", sale_with(&json!({}))).await, directory)
}

#[tokio::test]
async fn forged_stale_and_unknown_webhooks_are_not_accepted_and_do_nothing() {
    let (world, _directory) = world().await;
    let hold = world.held("ann", "k", "a", 1).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    let mut object = world.provider.intent(&intent);
    object["amount_received"] = 500.into();
    let now = world.shop.clock.wall_ms() / 1_000;
    let cases = [("wrong secret", now), (SECRET, now - 301), (SECRET, now + 302)];
    for (secret, time) in cases {
        let status = world.signed_webhook("evt", CAPTURED, &object, secret, time).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{secret} at {time}");
    }
    let unknown = json!({"id": "pi_unknown", "amount": 1, "currency": "eur", "metadata": {}});
    assert_eq!(world.webhook("evt2", CAPTURED, &unknown).await, StatusCode::NOT_FOUND);
    assert_eq!(world.status_of("ann", &order).await, "pending_payment");
    assert_eq!(
        world.webhook("evt3", "customer.created", &json!({})).await,
        StatusCode::OK,
        "not about us"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_comes_many_times_confirms_once() {
    let (world, _directory) = world().await;
    let hold = world.held("ann", "k", "a", 1).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    let object = world.provider.capture(&intent, 500);
    let same = (0..10).map(|_| world.webhook("evt", CAPTURED, &object));
    assert!(
        futures_util::future::join_all(same).await.iter().all(|status| *status == StatusCode::OK)
    );
    assert_eq!(world.webhook("another event", CAPTURED, &object).await, StatusCode::OK);
    assert_eq!(world.status_of("ann", &order).await, "confirmed");
    assert_eq!(world.get("/v1/me/orders", "ann").await.1["orders"].as_array().unwrap().len(), 1);
    assert_eq!(world.stock("a").await, (9, 0, 1));
    assert!(world.provider.0.lock().unwrap().refunds.is_empty());
}

#[tokio::test]
async fn outcomes_in_the_wrong_order_end_in_the_same_state() {
    let (world, _directory) = world().await;
    let hold = world.held("ann", "k", "a", 1).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    let object = world.provider.capture(&intent, 500);
    for (event, kind) in [
        ("evt1", CAPTURED),
        ("evt2", "payment_intent.payment_failed"),
        ("evt3", "payment_intent.canceled"),
    ] {
        assert_eq!(world.webhook(event, kind, &object).await, StatusCode::OK);
    }
    assert_eq!(world.status_of("ann", &order).await, "confirmed");
}

#[tokio::test]
async fn a_decline_is_not_final() {
    let (world, _directory) = world().await;
    let hold = world.held("ann", "k", "a", 1).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    let object = world.provider.intent(&intent);
    world.webhook("evt", "payment_intent.payment_failed", &object).await;
    assert_eq!(world.status_of("ann", &order).await, "pending_payment");
    world.pay(&intent).await;
    assert_eq!(world.status_of("ann", &order).await, "confirmed");
}

#[tokio::test]
async fn a_wrong_amount_buys_nothing_and_goes_back() {
    let (world, _directory) = world().await;
    let hold = world.held("ann", "k", "s", 1).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    let object = world.provider.capture(&intent, 499);
    assert_eq!(world.webhook("evt", CAPTURED, &object).await, StatusCode::OK);
    world.await_status("ann", &order, "refunded").await;
    world.until(|| async { world.hold("bob", "k", "s", 1).await.0 == StatusCode::CREATED }).await;
}
