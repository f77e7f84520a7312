//! Each defect of the inventory and money half is seen in a small scene, and not without it.

use super::world::{SECRET, World, code, sale, sale_with};
use axum::http::{Method, StatusCode};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use onsale_shop::defect::Defect;
use serde_json::{Value, json};
use std::time::Duration;

type Scene = for<'a> fn(&'a World) -> BoxFuture<'a, bool>;

const CAPTURED: &str = "payment_intent.succeeded";

async fn granted(world: &World, sku: &str, buyers: usize) -> usize {
    let names: Vec<_> = (0..buyers).map(|buyer| format!("buyer {buyer}")).collect();
    let answers =
        futures_util::future::join_all(names.iter().map(|name| world.hold(name, "k", sku, 1)))
            .await;
    answers.iter().filter(|answer| answer.0 == StatusCode::CREATED).count()
}

async fn give_back(world: &World, account: &str, hold: &str) {
    let (status, _) =
        world.call(Method::DELETE, &format!("/v1/holds/{hold}"), account, Value::Null).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
}

/// Can the seat be had within so many milliseconds?
async fn seat_comes_back(world: &World, within_ms: u64) -> bool {
    for turn in 0..within_ms / 20 {
        if world.hold("late comer", &format!("turn {turn}"), "s", 1).await.0 == StatusCode::CREATED
        {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

/// Holds and checks the seat out; gives order and payment.
async fn ordered(world: &World) -> (String, String) {
    let hold = world.held("ann", "k", "s", 1).await;
    world.ordered("ann", &hold).await
}

async fn availability(world: &World) -> Value {
    world.get("/v1/events/e/availability", "-").await.1
}

/// Available units plus held plus confirmed units that are not the total.
fn adds_up(reply: &Value) -> bool {
    reply["skus"].as_array().unwrap().iter().all(|sku| {
        let units = |name: &str| sku[name].as_u64().unwrap();
        units("available") + units("held") + units("confirmed") == units("total")
    })
}

/// An order that failed, its money that came too late, and what became of both.
async fn late_money(world: &World) -> (String, usize) {
    let (order, intent) = ordered(world).await;
    world.await_status("ann", &order, "payment_failed").await;
    let object = world.provider.capture(&intent, 500);
    world.webhook("evt", CAPTURED, &object).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    (world.status_of("ann", &order).await, world.provider.0.lock().unwrap().refunds.len())
}

#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn scenes() -> Vec<(Defect, Value, Scene)> {
    let plain = json!({});
    let brief = json!({"hold_ttl_ms": 300});
    let later = json!({"sale_opens_at_ms": 4_000_000_000_000_u64});
    vec![
        (Defect::ReserveWithoutCheck, plain.clone(), |w| {
            async { granted(w, "b", 8).await > 2 }.boxed()
        }),
        (Defect::LostDecrement, json!({"skus": [{"sku": "a", "stock": 60, "shards": 1}]}), |w| {
            async { granted(w, "a", 150).await > 60 }.boxed()
        }),
        (Defect::ReaperStops, brief.clone(), |w| {
            async {
                w.held("ann", "k", "s", 1).await;
                !seat_comes_back(w, 2_500).await
            }
            .boxed()
        }),
        (Defect::ReaperLate, brief.clone(), |w| {
            async {
                w.held("ann", "k", "s", 1).await;
                !seat_comes_back(w, 800).await && seat_comes_back(w, 4_000).await
            }
            .boxed()
        }),
        (Defect::DoubleReclaim, brief.clone(), |w| {
            async {
                w.held("ann", "k", "b", 2).await;
                w.until(|| async {
                    w.get("/v1/events/e/availability", "-").await.1["skus"][1]["held"] == json!(0)
                })
                .await;
                tokio::time::sleep(Duration::from_millis(200)).await;
                granted(w, "b", 8).await > 2
            }
            .boxed()
        }),
        (Defect::ReclaimAfterConfirm, brief.clone(), |w| {
            async {
                let (_, intent) = ordered(w).await;
                w.pay(&intent).await;
                seat_comes_back(w, 1_000).await
            }
            .boxed()
        }),
        (Defect::ConfirmAfterExpiry, brief.clone(), |w| {
            async {
                let hold = w.held("ann", "k", "s", 1).await;
                w.until(|| async {
                    w.get(&format!("/v1/holds/{hold}"), "ann").await.0 == StatusCode::GONE
                })
                .await;
                w.check_out("ann", &hold, "card").await.0 == StatusCode::ACCEPTED
            }
            .boxed()
        }),
        (Defect::ConfirmAfterCancel, plain.clone(), |w| {
            async {
                let hold = w.held("ann", "k", "s", 1).await;
                give_back(w, "ann", &hold).await;
                w.check_out("ann", &hold, "card").await.0 == StatusCode::ACCEPTED
            }
            .boxed()
        }),
        (Defect::EarlyExpiry, json!({"hold_ttl_ms": 4_000}), |w| {
            async {
                w.held("ann", "k", "s", 1).await;
                seat_comes_back(w, 2_000).await
            }
            .boxed()
        }),
        (Defect::CancelKeepsStock, plain.clone(), |w| {
            async {
                let hold = w.held("ann", "k", "s", 1).await;
                give_back(w, "ann", &hold).await;
                !seat_comes_back(w, 200).await
            }
            .boxed()
        }),
        (
            Defect::ForgottenHold,
            json!({"account_limit": 100, "skus": [{"sku": "a", "stock": 60, "shards": 1}]}),
            |w| {
                async {
                    let mut lost = 0;
                    for key in 0..60 {
                        let hold = w.held("ann", &format!("k{key}"), "a", 1).await;
                        lost += usize::from(
                            w.get(&format!("/v1/holds/{hold}"), "ann").await.0
                                == StatusCode::NOT_FOUND,
                        );
                    }
                    lost > 0
                }
                .boxed()
            },
        ),
        (Defect::NoRingFallback, json!({"account_limit": 10}), |w| {
            async {
                let mut held = 0;
                for key in 0..10 {
                    held += usize::from(
                        w.hold("ann", &format!("k{key}"), "a", 1).await.0 == StatusCode::CREATED,
                    );
                }
                held < 10
            }
            .boxed()
        }),
        (Defect::SoldOutCached, plain.clone(), |w| {
            async {
                let hold = w.held("ann", "k", "s", 1).await;
                assert_eq!(code(&w.hold("bob", "k", "s", 1).await), "sold-out");
                give_back(w, "ann", &hold).await;
                !seat_comes_back(w, 200).await
            }
            .boxed()
        }),
        (Defect::FallbackSellsTwice, json!({"account_limit": 20}), |w| {
            async {
                let mut held = 0;
                for key in 0..20 {
                    held += usize::from(
                        w.hold("ann", &format!("k{key}"), "a", 1).await.0 == StatusCode::CREATED,
                    );
                }
                held > 10
            }
            .boxed()
        }),
        (Defect::WebhookTwice, plain.clone(), |w| {
            async {
                let (_, intent) = ordered(w).await;
                w.pay(&intent).await;
                w.pay(&intent).await;
                w.get("/v1/me/orders", "ann").await.1["orders"].as_array().unwrap().len() > 1
            }
            .boxed()
        }),
        (Defect::UnsignedWebhook, plain.clone(), |w| {
            async {
                let (order, intent) = ordered(w).await;
                let now = w.shop.clock.wall_ms() / 1_000;
                w.signed_webhook("evt", CAPTURED, &w.provider.intent(&intent), "wrong", now).await;
                w.status_of("ann", &order).await == "confirmed"
            }
            .boxed()
        }),
        (Defect::StaleWebhook, plain.clone(), |w| {
            async {
                let (order, intent) = ordered(w).await;
                let now = w.shop.clock.wall_ms() / 1_000;
                w.signed_webhook("evt", CAPTURED, &w.provider.intent(&intent), SECRET, now - 400)
                    .await;
                w.status_of("ann", &order).await == "confirmed"
            }
            .boxed()
        }),
        (Defect::AmountUnchecked, plain.clone(), |w| {
            async {
                let (order, intent) = ordered(w).await;
                let object = w.provider.capture(&intent, 1);
                w.webhook("evt", CAPTURED, &object).await;
                w.status_of("ann", &order).await == "confirmed"
            }
            .boxed()
        }),
        (Defect::LateMoneyKept, brief.clone(), |w| async { late_money(w).await.1 == 0 }.boxed()),
        (Defect::RefundTwice, brief.clone(), |w| async { late_money(w).await.1 == 2 }.boxed()),
        (Defect::RefundAndTicket, brief.clone(), |w| {
            async { late_money(w).await == ("confirmed".into(), 1) }.boxed()
        }),
        (Defect::KeyIgnored, plain.clone(), |w| {
            async { w.held("ann", "k", "a", 1).await != w.held("ann", "k", "a", 1).await }.boxed()
        }),
        (Defect::KeyBodyUnchecked, plain.clone(), |w| {
            async {
                w.held("ann", "k", "a", 1).await;
                w.hold("ann", "k", "a", 2).await.0 == StatusCode::CREATED
            }
            .boxed()
        }),
        (Defect::LimitCheckThenAct, plain.clone(), |w| {
            async {
                let keys: Vec<_> = (0..8).map(|key| format!("k{key}")).collect();
                let answers = futures_util::future::join_all(
                    keys.iter().map(|key| w.hold("ann", key, "a", 1)),
                )
                .await;
                answers.iter().filter(|answer| answer.0 == StatusCode::CREATED).count() > 4
            }
            .boxed()
        }),
        (Defect::QuantityUnchecked, plain.clone(), |w| {
            async {
                w.hold("ann", "k", "a", -1).await.0 == StatusCode::CREATED
                    && w.hold("ann", "k0", "a", 0).await.0 == StatusCode::CREATED
            }
            .boxed()
        }),
        (
            Defect::OrderListLags,
            json!({"account_limit": 40, "instrument_limit": 40, "skus": [{"sku": "a", "stock": 40, "shards": 1}]}),
            |w| {
                async {
                    for key in 0..40 {
                        let hold = w.held("ann", &format!("k{key}"), "a", 1).await;
                        w.ordered("ann", &hold).await;
                    }
                    w.get("/v1/me/orders", "ann").await.1["orders"].as_array().unwrap().len() < 40
                }
                .boxed()
            },
        ),
        (Defect::PhantomOrders, plain.clone(), |w| {
            async {
                !w.get("/v1/me/orders", "ann").await.1["orders"].as_array().unwrap().is_empty()
            }
            .boxed()
        }),
        (Defect::TwoPayments, plain.clone(), |w| {
            async {
                let hold = w.held("ann", "k", "s", 1).await;
                w.ordered("ann", &hold).await;
                w.ordered("ann", &hold).await;
                let books = w.provider.0.lock().unwrap();
                books.intents.values().filter(|intent| intent["status"] == "succeeded").count() == 2
            }
            .boxed()
        }),
        (Defect::OpensEarly, later, |w| {
            async { w.hold("ann", "k", "a", 1).await.0 == StatusCode::CREATED }.boxed()
        }),
        (Defect::ConfirmBeforePayment, plain.clone(), |w| {
            async {
                let (order, _) = ordered(w).await;
                w.status_of("ann", &order).await == "confirmed"
            }
            .boxed()
        }),
        (Defect::StockMiscounted, plain, |w| {
            async {
                w.held("ann", "k", "a", 1).await;
                !adds_up(&availability(w).await)
            }
            .boxed()
        }),
    ]
}

async fn is_seen(defect: &'static str, changes: Value, scene: Scene) -> bool {
    let directory = tempfile::tempdir().unwrap();
    let sale = if changes == json!({}) { sale() } else { sale_with(&changes) };
    let world = World::selling(directory.path(), defect, sale).await;
    scene(&world).await
}

#[tokio::test(flavor = "multi_thread")]
async fn each_defect_is_seen_and_a_shop_without_it_does_not_show_it() {
    let scenes = scenes();
    let named: Vec<_> = scenes.iter().map(|(defect, ..)| *defect).collect();
    let own: Vec<_> =
        Defect::ALL.iter().copied().filter(|defect| *defect <= Defect::StockMiscounted).collect();
    assert_eq!(named, own, "every defect of this half has a scene, in their order");
    let results = scenes.into_iter().map(|(defect, changes, scene)| async move {
        let with = is_seen(defect.word(), changes.clone(), scene).await;
        let without = is_seen("", changes, scene).await;
        (defect.word(), with, without)
    });
    let results = futures_util::future::join_all(results).await;
    let wrong: Vec<_> =
        results.into_iter().filter(|(_, with, without)| !with || *without).collect();
    assert!(wrong.is_empty(), "(defect, seen with it, seen without it): {wrong:?}");
}
