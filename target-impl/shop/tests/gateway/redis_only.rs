use super::provider::Provider;
use super::world::{Setup, World, code, sale_with};
use axum::http::StatusCode;
use serde_json::json;
use std::path::Path;

/// One life of a shop: what runs in it is dropped in the middle when `scene` ends, as by a kill.
fn live<R>(directory: &Path, redis_only: bool, scene: impl AsyncFnOnce(&World) -> R) -> R {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let result = runtime.block_on(async {
        let world =
            World::open(directory, Setup { defects: "", redis_only }, Provider::default()).await;
        world.configure(&sale_with(&json!({}))).await;
        scene(&world).await
    });
    runtime.shutdown_background();
    result
}

/// Buys every unit of `a`, is killed, and counts how many of them can be bought again.
fn sold_again_after_kill(redis_only: bool) -> (usize, usize) {
    let directory = tempfile::tempdir().unwrap();
    let holds = live(directory.path(), redis_only, async |world: &World| {
        let mut holds = Vec::new();
        for buyer in 0..10 {
            let buyer = format!("buyer {buyer}");
            holds.push((buyer.clone(), world.held(&buyer, "k", "a", 1).await));
        }
        assert_eq!(code(&world.hold("one more", "k", "a", 1).await), "sold-out");
        holds
    });
    live(directory.path(), redis_only, async |world: &World| {
        let mut again = 0;
        for buyer in 0..20 {
            let answer = world.hold(&format!("new buyer {buyer}"), "k", "a", 1).await;
            again += usize::from(answer.0 == StatusCode::CREATED);
        }
        let mut lost = 0;
        for (buyer, hold) in &holds {
            lost += usize::from(
                code(&world.get(&format!("/v1/holds/{hold}"), buyer).await) == "hold-not-found",
            );
        }
        (again, lost)
    })
}

#[test]
fn a_kill_loses_acknowledged_holds_and_sells_their_units_again_under_redis_only() {
    assert_eq!(sold_again_after_kill(true), (10, 10));
}

#[test]
fn a_kill_loses_nothing_under_the_safe_design() {
    assert_eq!(sold_again_after_kill(false), (0, 0));
}

#[test]
fn without_a_kill_the_ledger_catches_up_and_orders_are_made() {
    let directory = tempfile::tempdir().unwrap();
    live(directory.path(), true, async |world: &World| {
        let hold = world.held("ann", "k", "a", 2).await;
        assert_eq!(
            world.get(&format!("/v1/holds/{hold}"), "ann").await.0,
            StatusCode::OK,
            "before the ledger knows"
        );
        assert_eq!(world.held("ann", "k", "a", 2).await, hold, "a repeat");
        assert_eq!(code(&world.hold("ann", "k2", "a", 3).await), "limit-exceeded");
        let (order, intent) = world.ordered("ann", &hold).await;
        world.pay(&intent).await;
        assert_eq!(world.status_of("ann", &order).await, "confirmed");
        assert_eq!(world.stock("a").await, (8, 0, 2));
    });
}

#[test]
fn a_shutdown_writes_down_what_was_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let hold = live(directory.path(), true, async |world: &World| {
        let hold = world.held("ann", "k", "a", 2).await;
        world.shop.shutdown().await;
        hold
    });
    live(directory.path(), true, async |world: &World| {
        assert_eq!(world.get(&format!("/v1/holds/{hold}"), "ann").await.0, StatusCode::OK);
        assert_eq!(world.stock("a").await, (8, 2, 0));
    });
}
