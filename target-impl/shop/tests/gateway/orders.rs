use super::world::{World, code, sale, sale_with};
use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

async fn world(changes: Value) -> (World, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    (World::selling(directory.path(), "", sale_with(&changes)).await, directory)
}

#[tokio::test]
async fn a_paid_order_is_confirmed_and_listed() {
    let (world, _directory) = world(json!({})).await;
    let hold = world.held("ann", "k", "a", 2).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    assert_eq!(world.provider.intent(&intent)["amount"], json!(1_000));
    assert_eq!(
        world.ordered("ann", &hold).await,
        (order.clone(), intent.clone()),
        "a repeat is the same order"
    );
    assert_eq!(code(&world.check_out("bob", &hold, "card").await), "forbidden");
    assert_eq!(world.status_of("ann", &order).await, "pending_payment");
    world.pay(&intent).await;
    assert_eq!(world.status_of("ann", &order).await, "confirmed");
    assert_eq!(world.stock("a").await, (8, 0, 2));
    let (_, list) = world.get("/v1/me/orders", "ann").await;
    assert_eq!(list["orders"][0]["order_id"], json!(order));
    assert_eq!(world.get("/v1/me/orders", "bob").await.1["orders"], json!([]));
    assert_eq!(world.get("/v1/me/orders?cursor=x", "bob").await.0, StatusCode::BAD_REQUEST);
    let path = format!("/v1/orders/{order}/cancel");
    assert_eq!(code(&world.call(Method::POST, &path, "ann", json!({})).await), "state-conflict");
    assert_eq!(code(&world.get(&format!("/v1/orders/{order}"), "bob").await), "forbidden");
}

#[tokio::test]
async fn a_long_list_of_orders_comes_in_pages() {
    let skus = json!([{"sku": "a", "stock": 60, "shards": 2}]);
    let (world, _directory) =
        world(json!({"skus": skus, "account_limit": 60, "instrument_limit": 60})).await;
    for key in 0..60 {
        let hold = world.held("ann", &format!("k{key}"), "a", 1).await;
        world.ordered("ann", &hold).await;
    }
    let (_, first) = world.get("/v1/me/orders", "ann").await;
    let (_, rest) = world
        .get(&format!("/v1/me/orders?cursor={}", first["next"].as_str().unwrap()), "ann")
        .await;
    let count = |page: &Value| page["orders"].as_array().unwrap().len();
    assert_eq!((count(&first), count(&rest), &rest["next"]), (50, 10, &Value::Null));
}

#[tokio::test]
async fn a_card_has_a_limit_at_checkout_too() {
    let (world, _directory) = world(json!({})).await;
    let (one, two) = (world.held("ann", "k", "a", 3).await, world.held("bob", "k", "a", 2).await);
    assert_eq!(world.check_out("ann", &one, "card").await.0, StatusCode::ACCEPTED);
    assert_eq!(code(&world.check_out("bob", &two, "card").await), "limit-exceeded");
    assert_eq!(world.check_out("bob", &two, "another card").await.0, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn a_lost_answer_of_the_provider_makes_no_second_payment() {
    let (world, _directory) = world(json!({})).await;
    world.provider.0.lock().unwrap().answers_lost = 2;
    let hold = world.held("ann", "k", "a", 1).await;
    world.ordered("ann", &hold).await;
    assert_eq!(world.provider.0.lock().unwrap().intents.len(), 1);
}

#[tokio::test]
async fn a_cancelled_order_is_cancelled_at_the_provider_first() {
    let (world, _directory) = world(json!({})).await;
    let hold = world.held("ann", "k", "s", 1).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    assert_eq!(
        code(&world.call(Method::DELETE, &format!("/v1/holds/{hold}"), "ann", json!({})).await),
        "state-conflict"
    );
    let path = format!("/v1/orders/{order}/cancel");
    assert_eq!(code(&world.call(Method::POST, &path, "bob", json!({})).await), "forbidden");
    let (status, view) = world.call(Method::POST, &path, "ann", json!({})).await;
    assert_eq!((status, &view["status"]), (StatusCode::OK, &json!("cancelled")));
    assert_eq!(
        world.call(Method::POST, &path, "ann", json!({})).await.0,
        StatusCode::OK,
        "a repeat"
    );
    assert_eq!(world.provider.intent(&intent)["status"], json!("canceled"));
    world.held("bob", "k", "s", 1).await;
}

#[tokio::test]
async fn an_order_that_was_paid_meanwhile_is_not_cancelled() {
    let (world, _directory) = world(json!({})).await;
    let hold = world.held("ann", "k", "s", 1).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    world.provider.capture(&intent, 500);
    let path = format!("/v1/orders/{order}/cancel");
    assert_eq!(code(&world.call(Method::POST, &path, "ann", json!({})).await), "state-conflict");
    assert_eq!(
        world.status_of("ann", &order).await,
        "confirmed",
        "the look at the provider found the money"
    );
}

#[tokio::test]
async fn a_checkout_keeps_its_hold_and_an_abandoned_one_is_cancelled_at_the_provider() {
    let (world, _directory) = world(json!({"hold_ttl_ms": 300})).await;
    let hold = world.held("ann", "k", "s", 1).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    world.await_status("ann", &order, "payment_failed").await;
    assert_eq!(world.provider.intent(&intent)["status"], json!("canceled"));
    world.until(|| async { world.hold("bob", "k", "s", 1).await.0 == StatusCode::CREATED }).await;
}

#[tokio::test]
async fn money_whose_webhook_was_lost_is_found() {
    let (world, _directory) = world(json!({})).await;
    let hold = world.held("ann", "k", "a", 1).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    let object = world.provider.capture(&intent, 500);
    let event =
        json!({"id": "evt", "type": "payment_intent.succeeded", "data": {"object": object}});
    world.provider.0.lock().unwrap().undelivered.push(event);
    world.await_status("ann", &order, "confirmed").await;
}

#[tokio::test]
async fn money_that_comes_after_all_is_found_by_looking_at_failed_payments() {
    let (world, _directory) = world(json!({"hold_ttl_ms": 300})).await;
    let hold = world.held("ann", "k", "a", 1).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    world.await_status("ann", &order, "payment_failed").await;
    world.provider.capture(&intent, 500);
    world.await_status("ann", &order, "refunded").await;
    assert_eq!(
        world.provider.0.lock().unwrap().refunds,
        [(intent.clone(), format!("refund:{intent}:1"))]
    );
}

#[tokio::test]
async fn a_refund_that_fails_for_good_is_tried_under_the_next_key() {
    let (world, _directory) = world(json!({"hold_ttl_ms": 300})).await;
    world.provider.0.lock().unwrap().refunds_fail = 1;
    let hold = world.held("ann", "k", "a", 1).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    world.await_status("ann", &order, "payment_failed").await;
    world.provider.capture(&intent, 500);
    world.await_status("ann", &order, "refunded").await;
    let keys = [1, 2].map(|number| (intent.clone(), format!("refund:{intent}:{number}")));
    assert_eq!(world.provider.0.lock().unwrap().refunds, keys);
}

#[tokio::test]
async fn late_money_takes_a_unit_again_where_the_event_says_so_and_there_is_one() {
    let (world, _directory) = world(json!({"hold_ttl_ms": 300, "late_capture": "rehold"})).await;
    let mut orders = Vec::new();
    for buyer in ["ann", "bob"] {
        let hold = world.held(buyer, "k", "b", 2).await;
        let (order, intent) = world.ordered(buyer, &hold).await;
        world.await_status(buyer, &order, "payment_failed").await;
        orders.push((buyer, order, intent));
    }
    for ((buyer, order, intent), status) in orders.into_iter().zip(["confirmed", "refunded"]) {
        world.provider.capture(&intent, 1_000);
        world.await_status(buyer, &order, status).await;
    }
    assert_eq!(world.stock("b").await, (0, 0, 2));
    world.until(|| async { world.shop.stock("e").unwrap().skus[1].free == 0 }).await;
}

#[tokio::test]
async fn the_testimony_names_holds_orders_and_payments() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::selling(directory.path(), "", sale()).await;
    let hold = world.held("ann", "k", "a", 1).await;
    let (order, intent) = world.ordered("ann", &hold).await;
    let request = axum::http::Request::get("/v1/admin/events/e/ledger")
        .header("authorization", "Bearer admin");
    let (_, page) = world.send(request.body(axum::body::Body::empty()).unwrap()).await;
    let entry = &page["holds"][0];
    assert_eq!(
        (&entry["hold_id"], &entry["order_id"], &entry["state"]),
        (&json!(hold), &json!(order), &json!("PAYING"))
    );
    assert_eq!(entry["payments"], json!([[intent, "INIT"]]));
}
