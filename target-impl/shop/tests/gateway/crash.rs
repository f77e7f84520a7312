use super::provider::Provider;
use super::world::{Setup, World, sale_with};
use axum::http::{Method, StatusCode};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What every shopper was promised, over all lives.
#[derive(Default)]
struct Promises {
    held: Mutex<BTreeSet<(String, String)>>,
    confirmed: Mutex<BTreeSet<(String, String)>>,
}

/// Checks I0, I1 and I2 in the database itself.
fn check_invariants(directory: &Path, seed: u64) {
    let database = rusqlite::Connection::open(directory.join("shop.db")).unwrap();
    let live = "h.state IN ('HELD', 'PAYING', 'CONFIRMED')";
    let invariants = [
        ("I0", "SELECT COUNT(*) FROM items i WHERE released > stock OR released != (SELECT SUM(cap) FROM buckets b WHERE b.event = i.event AND b.sku = i.sku)".to_owned()),
        ("I1", format!("SELECT COUNT(*) FROM buckets b WHERE taken > cap OR taken < 0 OR taken != (SELECT COALESCE(SUM(qty), 0) FROM hold_lines l JOIN holds h USING (hold_id) WHERE h.event = b.event AND l.sku = b.sku AND l.shard = b.shard AND {live})")),
        ("I2 accounts", format!("SELECT COUNT(*) FROM quota q WHERE scope = 'account' AND (taken > limit_units OR taken != (SELECT COALESCE(SUM(qty), 0) FROM hold_lines l JOIN holds h USING (hold_id) WHERE h.event = q.event AND h.account = q.key AND {live}))")),
        ("I2 instruments", format!("SELECT COUNT(*) FROM quota q WHERE scope = 'instrument' AND (taken > limit_units OR taken != (SELECT COALESCE(SUM(qty), 0) FROM hold_lines l JOIN holds h USING (hold_id) WHERE h.event = q.event AND h.instrument = q.key AND {live}))")),
    ];
    for (name, sql) in invariants {
        let broken: i64 = database.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(broken, 0, "{name} is broken, seed {seed}");
    }
}

async fn shopper(
    world: &World,
    index: usize,
    life: u64,
    seed: u64,
    promises: &Promises,
    steps: &AtomicUsize,
) {
    let mut chance = fastrand::Rng::with_seed(seed ^ (life << 32) ^ index as u64);
    let account = format!("buyer {index}");
    for step in 0..30 {
        steps.fetch_add(1, Ordering::Relaxed);
        let items = match chance.u8(0..4) {
            0 => json!([{"sku": "b"}, {"sku": "a"}]),
            1 => json!([{"sku": "s"}]),
            _ => json!([{"sku": "a", "qty": chance.i64(1..3)}]),
        };
        let (status, body) =
            world.hold_items(&account, &format!("{life}-{step}"), json!({"items": items})).await;
        if status != StatusCode::CREATED {
            continue;
        }
        let hold = body["hold_id"].as_str().unwrap().to_owned();
        promises.held.lock().unwrap().insert((account.clone(), hold.clone()));
        match chance.u8(0..5) {
            0 => drop(
                world.call(Method::DELETE, &format!("/v1/holds/{hold}"), &account, json!({})).await,
            ),
            1 => {}
            choice => {
                let (status, order) =
                    world.check_out(&account, &hold, &format!("card {}", index % 7)).await;
                if status != StatusCode::ACCEPTED {
                    continue;
                }
                let (order_id, intent) = (
                    order["order_id"].as_str().unwrap(),
                    order["payment"]["intent"].as_str().unwrap_or_default(),
                );
                if choice == 2 {
                    let path = format!("/v1/orders/{order_id}/cancel");
                    drop(world.call(Method::POST, &path, &account, json!({})).await);
                } else if choice == 3
                    && !intent.is_empty()
                    && world.provider.intent(intent)["status"] != "canceled"
                {
                    let amount =
                        order["amount"].as_u64().unwrap() + u64::from(chance.u8(0..8) == 0);
                    let object = world.provider.capture(intent, amount);
                    let sent = world
                        .webhook(&format!("evt {intent}"), "payment_intent.succeeded", &object)
                        .await;
                    assert_eq!(sent, StatusCode::OK);
                    if world.status_of(&account, order_id).await == "confirmed" {
                        promises
                            .confirmed
                            .lock()
                            .unwrap()
                            .insert((account.clone(), order_id.to_owned()));
                    }
                }
            }
        }
    }
}

/// Shoppers at random, dropped in the middle after so many steps.
fn live(directory: &Path, life: u64, seed: u64, provider: &Provider, promises: &Arc<Promises>) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let world = Arc::new(World::open(directory, Setup::default(), provider.clone()).await);
        let skus = json!([{"sku": "a", "stock": 60, "shards": 3}, {"sku": "b", "stock": 20, "shards": 2}, {"sku": "s", "stock": 1, "shards": 1}]);
        world.configure(&sale_with(&json!({"hold_ttl_ms": 200, "skus": skus}))).await;
        let steps = Arc::new(AtomicUsize::new(0));
        for index in 0..24 {
            let (world, promises, steps) = (Arc::clone(&world), Arc::clone(promises), Arc::clone(&steps));
            tokio::spawn(async move { shopper(&world, index, life, seed, &promises, &steps).await });
        }
        let until = 250 + usize::try_from(seed % 97).unwrap();
        world.until(|| async { steps.load(Ordering::Relaxed) >= until }).await;
    });
    runtime.shutdown_background();
}

#[test]
fn the_invariants_hold_and_promises_are_kept_over_kills_in_the_middle() {
    for seed in 1..=3 {
        let directory = tempfile::tempdir().unwrap();
        let (provider, promises) = (Provider::default(), Arc::new(Promises::default()));
        for life in 0..3 {
            live(directory.path(), life, seed, &provider, &promises);
            check_invariants(directory.path(), seed);
        }
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let world = World::open(directory.path(), Setup::default(), provider.clone()).await;
            let held = promises.held.lock().unwrap().clone();
            for (account, hold) in &held {
                let (status, _) = world.get(&format!("/v1/holds/{hold}"), account).await;
                assert_ne!(status, StatusCode::NOT_FOUND, "a promised hold is lost, seed {seed}");
            }
            let confirmed = promises.confirmed.lock().unwrap().clone();
            for (account, order) in &confirmed {
                assert_eq!(world.status_of(account, order).await, "confirmed", "seed {seed}");
            }
            assert!(!held.is_empty() && !confirmed.is_empty(), "seed {seed} did nothing");
            for sku in ["a", "b", "s"] {
                world.until(|| async { world.stock(sku).await.1 == 0 }).await;
                let (free, _, _) = world.stock(sku).await;
                let seen = || {
                    u64::from(
                        world
                            .shop
                            .stock("e")
                            .unwrap()
                            .skus
                            .iter()
                            .find(|one| one.sku == sku)
                            .unwrap()
                            .free,
                    )
                };
                world.until(|| async { seen() == free }).await;
            }
            world.shop.shutdown().await;
        });
        check_invariants(directory.path(), seed);
    }
}

#[test]
fn many_holds_a_second_are_acknowledged_durably() {
    let directory = tempfile::tempdir().unwrap();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let skus = json!([{"sku": "a", "stock": 4_000, "shards": 8}]);
        let world = World::selling(directory.path(), "", sale_with(&json!({"skus": skus}))).await;
        let world = Arc::new(world);
        let clock = Arc::clone(&world.shop.clock);
        let begun = clock.monotonic();
        let shoppers = (0..200).map(|shopper| {
            let world = Arc::clone(&world);
            tokio::spawn(async move {
                for round in 0..20 {
                    world.held(&format!("buyer {shopper}/{round}"), "k", "a", 1).await;
                }
            })
        });
        for shopper in futures_util::future::join_all(shoppers).await {
            shopper.unwrap();
        }
        let took = clock.monotonic().saturating_sub(begun);
        let commits = world.shop.metrics.ledger_commits.get();
        println!("4000 holds in {took:?}, {commits} commits");
        assert_eq!(world.stock("a").await, (0, 4_000, 0));
        assert!(commits < 2_000, "{commits} commits for 4000 holds: nothing is batched");
    });
}
