use super::world::{World, code, sale, sale_with};
use axum::http::{Method, StatusCode};
use serde_json::json;

async fn world() -> (World, tempfile::TempDir) {
    world_of(sale()).await
}

async fn world_of(sale: serde_json::Value) -> (World, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    (World::selling(directory.path(), "", sale).await, directory)
}

#[tokio::test]
async fn a_granted_hold_can_be_seen_and_given_back() {
    let (world, _directory) = world().await;
    let hold = world.held("ann", "k1", "a", 2).await;
    assert_eq!(world.stock("a").await, (8, 2, 0));
    let path = format!("/v1/holds/{hold}");
    let (status, view) = world.get(&path, "ann").await;
    assert_eq!(
        (status, &view["status"], &view["items"]),
        (StatusCode::OK, &json!("held"), &json!([{"sku": "a", "qty": 2}]))
    );
    assert_eq!(code(&world.get(&path, "bob").await), "forbidden");
    assert_eq!(world.call(Method::DELETE, &path, "bob", json!({})).await.0, StatusCode::FORBIDDEN);
    assert_eq!(world.call(Method::DELETE, &path, "ann", json!({})).await.0, StatusCode::NO_CONTENT);
    assert_eq!(
        world.call(Method::DELETE, &path, "ann", json!({})).await.0,
        StatusCode::NO_CONTENT,
        "a repeat"
    );
    assert_eq!(world.stock("a").await, (10, 0, 0));
    assert_eq!(code(&world.check_out("ann", &hold, "card").await), "hold-cancelled");
}

#[tokio::test]
async fn the_same_key_gives_the_same_hold_and_another_body_is_refused() {
    let (world, _directory) = world().await;
    let first = world.hold("ann", "k1", "a", 1).await;
    let again = world.hold("ann", "\"k1\"", "a", 1).await;
    assert_eq!((first.0, again.0), (StatusCode::CREATED, StatusCode::CREATED));
    for field in ["hold_id", "fence", "expires_at_ms"] {
        assert_eq!(first.1[field], again.1[field], "{field}");
    }
    assert_eq!(code(&world.hold("ann", "k1", "a", 2).await), "key-reused");
    assert_ne!(
        world.hold("bob", "k1", "a", 1).await.1["hold_id"],
        first.1["hold_id"],
        "keys belong to accounts"
    );
    assert_eq!(world.stock("a").await, (8, 2, 0));
}

#[tokio::test]
async fn a_repeat_of_a_granted_hold_is_told_so_after_everything_is_sold_and_given_back() {
    let (world, _directory) = world().await;
    let hold = world.held("ann", "k1", "s", 1).await;
    world.call(Method::DELETE, &format!("/v1/holds/{hold}"), "ann", json!({})).await;
    world.held("bob", "k2", "s", 1).await;
    assert_eq!(world.hold("ann", "k1", "s", 1).await.1["hold_id"], json!(hold));
    assert_eq!(code(&world.hold("ann", "k3", "s", 1).await), "sold-out");
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused() {
    let (world, _directory) = world().await;
    let cases = [
        (json!({"items": []}), "invalid-request"),
        (json!({"items": [{"sku": "a", "qty": 0}]}), "invalid-request"),
        (json!({"items": [{"sku": "a", "qty": -1}]}), "invalid-request"),
        (json!({"items": [{"sku": "a"}], "more": 1}), "invalid-request"),
        (json!({"items": [{"sku": "nothing"}]}), "sku-not-found"),
        (json!({"items": [{"sku": "a", "qty": 5}]}), "limit-exceeded"),
    ];
    for (body, expected) in cases {
        assert_eq!(code(&world.hold_items("ann", "k", body.clone()).await), expected, "{body}");
    }
    let post = |path: &'static str| {
        world.call(Method::POST, path, "ann", json!({"items": [{"sku": "a"}]}))
    };
    assert_eq!(code(&post("/v1/events/e/holds").await), "key-missing");
    assert_eq!(code(&post("/v1/events/other/holds").await), "event-not-found");
    assert_eq!(world.stock("a").await, (10, 0, 0));
}

#[tokio::test]
async fn a_sale_that_is_not_open_grants_nothing() {
    let (world, _directory) =
        world_of(sale_with(&json!({"sale_opens_at_ms": 4_000_000_000_000_u64}))).await;
    let answer = world.hold("ann", "k", "a", 1).await;
    assert_eq!((answer.0.as_u16(), code(&answer)), (425, "not-open"));
}

#[tokio::test]
async fn every_unit_of_every_shard_is_found_around_the_ring_and_no_more() {
    let (world, _directory) = world().await;
    for buyer in 0..10 {
        world.held(&format!("buyer {buyer}"), "k", "a", 1).await;
    }
    let answer = world.hold("one more", "k", "a", 1).await;
    assert_eq!(
        (answer.0, code(&answer), &answer.1["definite"]),
        (StatusCode::CONFLICT, "sold-out", &json!(true))
    );
    assert_eq!(world.stock("a").await, (0, 10, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_crowd_at_once_exactly_the_stock_is_served() {
    let (world, _directory) = world().await;
    let names: Vec<_> = (0..300).map(|buyer| format!("buyer {buyer}")).collect();
    let answers =
        futures_util::future::join_all(names.iter().map(|name| world.hold(name, "k", "a", 1)))
            .await;
    let count = |status| answers.iter().filter(|answer| answer.0 == status).count();
    assert_eq!((count(StatusCode::CREATED), count(StatusCode::CONFLICT)), (10, 290));
    assert!(
        answers
            .iter()
            .filter(|answer| answer.0 == StatusCode::CONFLICT)
            .all(|answer| code(answer) == "sold-out")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_double_click_makes_one_hold() {
    let (world, _directory) = world().await;
    let answers =
        futures_util::future::join_all((0..20).map(|_| world.hold("ann", "k", "a", 1))).await;
    for answer in &answers {
        assert!(answer.0 == StatusCode::CREATED || code(answer) == "key-in-flight", "{answer:?}");
    }
    assert_eq!(world.stock("a").await, (9, 1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_hold_across_shards_and_cards_whatever_comes_at_once() {
    let (world, _directory) = world().await;
    let keys: Vec<_> = (0..12).map(|key| format!("k{key}")).collect();
    let answers =
        futures_util::future::join_all(keys.iter().map(|key| world.hold("ann", key, "a", 1))).await;
    assert_eq!(answers.iter().filter(|answer| answer.0 == StatusCode::CREATED).count(), 4);
    let refused = answers.iter().find(|answer| code(answer) == "limit-exceeded").unwrap();
    assert_eq!(refused.0, StatusCode::CONFLICT);
    let with_card = |account: &'static str, qty| {
        let body = json!({"items": [{"sku": "a", "qty": qty}], "instrument": "card"});
        let world = &world;
        async move { world.hold_items(account, "k", body).await }
    };
    assert_eq!(with_card("bob", 3).await.0, StatusCode::CREATED);
    assert_eq!(code(&with_card("cid", 2).await), "limit-exceeded");
    assert_eq!(
        code(&with_card("cid", 2).await),
        "limit-exceeded",
        "the verdict that was told is told again"
    );
    assert_eq!(world.stock("a").await, (3, 7, 0), "what was refused is free");
}

#[tokio::test]
async fn a_cart_is_granted_whole_or_not_at_all() {
    let (world, _directory) = world().await;
    let cart = json!({"items": [{"sku": "b", "qty": 1}, {"seat": "s"}, {"sku": "b", "qty": 1}]});
    assert_eq!(world.hold_items("ann", "k", cart.clone()).await.0, StatusCode::CREATED);
    assert_eq!((world.stock("b").await, world.stock("s").await), ((0, 2, 0), (0, 1, 0)));
    let cart = json!({"items": [{"sku": "a", "qty": 1}, {"seat": "s"}]});
    assert_eq!(code(&world.hold_items("bob", "k", cart).await), "sold-out");
    assert_eq!(world.stock("a").await, (10, 0, 0));
    for buyer in 0..10 {
        world.held(&format!("buyer {buyer}"), "k", "a", 1).await;
    }
}

#[tokio::test]
async fn one_hold_at_a_time_where_the_event_says_so() {
    let (world, _directory) = world_of(sale_with(&json!({"one_hold": true}))).await;
    world.held("ann", "k1", "b", 1).await;
    assert_eq!(code(&world.hold("ann", "k2", "b", 1).await), "already-holding");
    assert_eq!(
        code(&world.hold("ann", "k3", "a", 1).await),
        "already-holding",
        "another SKU does not help"
    );
}

#[tokio::test]
async fn an_expired_hold_is_gone_and_its_unit_comes_back() {
    let (world, _directory) = world_of(sale_with(&json!({"hold_ttl_ms": 150}))).await;
    let hold = world.held("ann", "k", "s", 1).await;
    assert_eq!(code(&world.hold("bob", "k", "s", 1).await), "sold-out");
    world
        .until(|| async {
            world.get(&format!("/v1/holds/{hold}"), "ann").await.0 == StatusCode::GONE
        })
        .await;
    assert_eq!(code(&world.check_out("ann", &hold, "card").await), "hold-expired");
    world.until(|| async { world.hold("bob", "k", "s", 1).await.0 == StatusCode::CREATED }).await;
    assert_eq!(code(&world.check_out("ann", &hold, "card").await), "hold-expired");
}

#[tokio::test]
async fn waves_release_stock_in_time() {
    let soon = onsale_shop::clock::SystemClock::shared().wall_ms() + 300;
    let waves = json!([{"at_ms": 0, "units": 2}, {"at_ms": soon, "units": 5}]);
    let skus = json!([{"sku": "a", "stock": 5, "shards": 2, "waves": waves}]);
    let (world, _directory) = world_of(sale_with(&json!({"skus": skus}))).await;
    assert_eq!(world.stock("a").await, (2, 0, 0));
    for buyer in ["ann", "bob"] {
        world.held(buyer, "k", "a", 1).await;
    }
    assert_eq!(code(&world.hold("cid", "k", "a", 1).await), "sold-out");
    world.until(|| async { world.hold("cid", "k", "a", 2).await.0 == StatusCode::CREATED }).await;
    world.held("dan", "k", "a", 1).await;
    assert_eq!(code(&world.hold("eve", "k", "a", 1).await), "sold-out");
}

#[tokio::test]
async fn an_event_can_grow_but_not_shrink_and_the_same_again_changes_nothing() {
    let (world, _directory) = world().await;
    assert_eq!(world.configure(&sale()).await, StatusCode::NO_CONTENT);
    let skus = |stock: u32, shards: u32| {
        sale_with(&json!({"skus": [{"sku": "a", "stock": stock, "shards": shards}]}))
    };
    assert_eq!(world.configure(&skus(9, 3)).await, StatusCode::CONFLICT);
    assert_eq!(world.configure(&skus(10, 4)).await, StatusCode::CONFLICT);
    assert_eq!(world.configure(&skus(13, 3)).await, StatusCode::NO_CONTENT);
    assert_eq!(world.stock("a").await, (13, 0, 0));
    let unauthorised = world.call(Method::PUT, "/v1/admin/events/e", "ann", sale()).await;
    assert_eq!(unauthorised.0, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn the_seeds_names_work() {
    let (world, _directory) = world().await;
    let (status, body) = world
        .call(Method::POST, "/api/v1/reserve", "ann", json!({"event_id": "e", "qty": 2}))
        .await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    assert_eq!(world.get("/events/e/tickets", "ann").await.1["skus"][0]["held"], json!(2));
    let stock = world.shop.stock("e").unwrap();
    assert_eq!((stock.skus[0].free, stock.skus[0].released, stock.free()), (8, 10, 11));
}
