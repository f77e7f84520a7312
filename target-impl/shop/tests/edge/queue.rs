use super::world::{BEGIN_MS, Setup, World, event_with};
use axum::http::StatusCode;
use futures_util::future::join_all;
use serde_json::json;
use std::time::Duration;

async fn admitted(world: &World, tickets: &[String]) -> Vec<bool> {
    let mut all = Vec::new();
    for ticket in tickets {
        all.push(world.poll(ticket).await.json()["inWaitingRoom"] == false);
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_joins_get_different_positions_and_are_admitted_in_their_order() {
    let directory = tempfile::tempdir().unwrap();
    let event = event_with(&[("/queue/rate_per_s", json!(200.0)), ("/queue/batch", json!(20))]);
    let world = World::with_event(directory.path(), Setup::default(), &event).await;
    let names = (0..300).map(|index| format!("buyer-{index}")).collect::<Vec<_>>();
    let mut joined = join_all(names.iter().map(|name| world.join(name))).await;
    joined.sort_by_key(|(_, position)| *position);
    let positions = joined.iter().map(|(_, position)| *position).collect::<Vec<_>>();
    assert_eq!(positions, (1..=300).collect::<Vec<_>>());
    let tickets = joined.into_iter().map(|(ticket, _)| ticket).collect::<Vec<_>>();
    let mut sizes = Vec::new();
    while sizes.last() != Some(&300) {
        // Asked from the last to the first: whoever is admitted, all asked after it must be.
        let backwards = tickets.iter().rev().cloned().collect::<Vec<_>>();
        let seen = admitted(&world, &backwards).await;
        let first = seen.iter().position(|&admitted| admitted).unwrap_or(300);
        assert!(seen[first..].iter().all(|&admitted| admitted), "somebody was overtaken");
        sizes.push(300 - first);
        world.clock.advance(50);
        tokio::time::sleep(Duration::from_millis(12)).await;
    }
    assert!(sizes.len() > 20, "admission took its time: {sizes:?}");
}

#[tokio::test]
async fn who_joins_later_has_a_later_position_and_joining_again_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let event = event_with(&[("/sale_opens_at_ms", json!(BEGIN_MS + 60_000))]);
    let world = World::with_event(directory.path(), Setup::default(), &event).await;
    for (account, position) in [("a", 1), ("b", 2), ("a", 1), ("c", 3), ("b", 2), ("d", 4)] {
        assert_eq!(world.join(account).await.1, position, "{account}");
    }
    let both = join_all([world.join("e"), world.join("e"), world.join("e")]).await;
    assert!(both.iter().all(|(_, position)| *position == 5), "{both:?}");
}

#[tokio::test]
async fn nobody_is_admitted_before_the_opening_and_then_one_batch_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let event = event_with(&[("/sale_opens_at_ms", json!(BEGIN_MS + 4_000))]);
    let world = World::with_event(directory.path(), Setup::default(), &event).await;
    let mut tickets = Vec::new();
    for index in 0..12 {
        tickets.push(world.join(&format!("b{index}")).await.0);
    }
    world.clock.advance(3_999);
    world.settle().await;
    assert!(!admitted(&world, &tickets).await.contains(&true));
    world.clock.advance(1);
    world.settle().await;
    assert_eq!(admitted(&world, &tickets).await.iter().filter(|&&admitted| admitted).count(), 5);
}

#[tokio::test]
async fn no_stretch_of_time_sees_more_than_its_rate_and_one_batch() {
    let directory = tempfile::tempdir().unwrap();
    let event = event_with(&[("/queue/rate_per_s", json!(20.0)), ("/queue/batch", json!(4))]);
    let world = World::with_event(directory.path(), Setup::default(), &event).await;
    let mut tickets = Vec::new();
    for index in 0..40 {
        tickets.push(world.join(&format!("b{index}")).await.0);
    }
    let mut seen = Vec::new();
    for step in 0..14_u32 {
        // Uneven steps: the clock stands still while the conductor works.
        world.clock.advance(if step % 4 == 0 { 400 } else { 100 });
        world.settle().await;
        let count = admitted(&world, &tickets).await.iter().filter(|&&admitted| admitted).count();
        let now = onsale_shop::clock::Clock::wall_ms(&*world.clock);
        seen.push((now, count));
    }
    for (at, &(start, before)) in seen.iter().enumerate() {
        for &(end, after) in &seen[at..] {
            let allowed = 20 * (end - start) + 4_000;
            assert!(u64::try_from(after - before).unwrap() * 1_000 <= allowed, "{seen:?}");
        }
    }
    assert!(seen.last().unwrap().1 >= 16, "{seen:?}");
}

#[tokio::test]
async fn who_does_not_ask_loses_the_place_and_blocks_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let event = event_with(&[("/sale_opens_at_ms", json!(BEGIN_MS + 8_000))]);
    let world = World::with_event(directory.path(), Setup::default(), &event).await;
    let (absent, first) = world.join("absent").await;
    let (present, second) = world.join("present").await;
    assert_eq!((first, second), (1, 2));
    for _ in 0..4 {
        world.clock.advance(1_500);
        assert_eq!(world.poll(&present).await.status, StatusCode::OK);
    }
    world.settle().await;
    let lost = world.poll(&absent).await;
    assert_eq!((lost.status, lost.code().as_str()), (StatusCode::GONE, "position-expired"));
    world.clock.advance(2_000);
    world.settle().await;
    assert_eq!(world.poll(&present).await.json()["inWaitingRoom"], false);
    assert_eq!(world.join("absent").await.1, 3, "a new place at the end");
}

#[tokio::test]
async fn the_view_tells_position_estimate_and_standby() {
    let directory = tempfile::tempdir().unwrap();
    let event = event_with(&[
        ("/sale_opens_at_ms", json!(BEGIN_MS + 120_000)),
        ("/queue/capacity", json!(30)),
    ]);
    let world = World::with_event(directory.path(), Setup::default(), &event).await;
    let mut last = String::new();
    for index in 0..30 {
        last = world.join(&format!("b{index}")).await.0;
    }
    let view = world.poll(&last).await.json();
    assert_eq!(view["position"], 30);
    assert_eq!(view["ahead"], 29);
    assert_eq!(view["inWaitingRoom"], true);
    assert_eq!(view["waitTimeKnown"], true);
    assert_eq!(view["waitTime"], 2, "two minutes to the opening and three seconds");
    assert_eq!(view["queueIsFull"], true);
    assert_eq!(view["standby"], false);
    assert_eq!(view["token"], serde_json::Value::Null);
    let full = world.join_with("late", "d", None).await;
    assert_eq!(
        (full.status, full.code().as_str()),
        (StatusCode::SERVICE_UNAVAILABLE, "queue-full")
    );
    world.stock.taken.store(100, std::sync::atomic::Ordering::SeqCst);
    while world.poll(&last).await.json()["standby"] == false {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn the_doors_and_the_names_are_checked() {
    let directory = tempfile::tempdir().unwrap();
    let event = event_with(&[("/queue_opens_at_ms", json!(BEGIN_MS + 1_500))]);
    let world = World::with_event(directory.path(), Setup::default(), &event).await;
    let early = world.join_with("anna", "d", None).await;
    assert_eq!(
        (early.status.as_u16(), early.code().as_str(), early.header("retry-after")),
        (425, "queue-not-open", "2")
    );
    world.clock.advance(1_500);
    for account in ["", "a:b", "a b", "a;b", "ä", &"x".repeat(129)] {
        let refused = world.join_with(account, "d", None).await;
        assert_eq!(refused.code(), "invalid-request", "{account}");
    }
    assert_eq!(world.join("anna").await.1, 1);
    assert_eq!(world.get("/v1/events/nothing/queue", &[]).await.code(), "event-not-found");
}

#[tokio::test]
async fn a_lottery_is_drawn_at_the_opening_and_then_it_is_first_come() {
    let directory = tempfile::tempdir().unwrap();
    let event = event_with(&[
        ("/queue/method", json!("lottery")),
        ("/sale_opens_at_ms", json!(BEGIN_MS + 1_000)),
        ("/queue/rate_per_s", json!(1.0)),
        ("/queue/batch", json!(1)),
    ]);
    let world = World::with_event(directory.path(), Setup::default(), &event).await;
    let mut tickets = Vec::new();
    for index in 0..40 {
        let (ticket, position) = world.join(&format!("b{index}")).await;
        assert_eq!(position, 0, "not before the draw");
        tickets.push(ticket);
    }
    assert_eq!(world.poll(&tickets[0]).await.json()["waitTimeKnown"], false);
    world.clock.advance(1_000);
    world.settle().await;
    let mut ranks = Vec::new();
    for ticket in &tickets {
        ranks.push(world.poll(ticket).await.json()["position"].as_u64().unwrap());
    }
    assert_eq!(world.join("late").await.1, 41);
    let in_order = (1..=40).collect::<Vec<_>>();
    assert_ne!(ranks, in_order, "one chance in 40!");
    let first = ranks.iter().position(|&rank| rank == 1).unwrap();
    assert_eq!(
        world.poll(&tickets[first]).await.json()["inWaitingRoom"],
        false,
        "the first rank goes first"
    );
    let mut sorted = ranks.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, in_order);
}
