use super::world::{BEGIN_MS, Setup, World, event_with};
use serde_json::json;

#[tokio::test]
async fn a_restart_keeps_order_tickets_and_tokens_and_gives_no_burst() {
    let directory = tempfile::tempdir().unwrap();
    let event = event_with(&[("/queue/rate_per_s", json!(10.0)), ("/queue/batch", json!(4))]);
    let world = World::with_event(directory.path(), Setup::default(), &event).await;
    let mut tickets = Vec::new();
    for index in 0..12 {
        tickets.push(world.join(&format!("b{index}")).await.0);
    }
    world.clock.advance(1_000);
    world.settle().await;
    let mut before = Vec::new();
    for ticket in &tickets {
        before.push(world.poll(ticket).await.json());
    }
    let tokens = before.iter().filter(|view| view["token"].is_string()).count();
    assert_eq!(tokens, 4);
    // Nothing is shut down: the process is gone.
    let clock = world.clock.clone();
    world.edge.close();
    drop(world);
    let world = World::open(directory.path(), clock, Setup::default()).await;
    world.configure(&event);
    world.settle().await;
    for (ticket, before) in tickets.iter().zip(&before) {
        let after = world.poll(ticket).await.json();
        for field in ["position", "ahead", "inWaitingRoom", "token", "tokenExpiresAtMs"] {
            assert_eq!(after[field], before[field], "{field}: {after}");
        }
    }
    assert!(world.admit(&tickets[0], before[0]["token"].as_str()).is_ok());
    assert_eq!(world.join("b11").await.1, 12, "joining again keeps the place");
    assert_eq!(world.join("new").await.1, 13, "no position is given twice");
    world.clock.advance(200);
    world.settle().await;
    assert_eq!(world.poll(&tickets[5]).await.json()["inWaitingRoom"], false);
    assert_eq!(
        world.poll(&tickets[6]).await.json()["inWaitingRoom"],
        true,
        "the pace began anew, empty"
    );
}

#[tokio::test]
async fn a_restart_does_not_draw_again_and_spent_puzzles_stay_spent() {
    let directory = tempfile::tempdir().unwrap();
    let event = event_with(&[
        ("/queue/method", json!("lottery")),
        ("/sale_opens_at_ms", json!(BEGIN_MS + 1_000)),
        ("/puzzle/scheme", json!("altcha-v2")),
    ]);
    let world = World::with_event(directory.path(), Setup::default(), &event).await;
    let (mut tickets, mut puzzles) = (Vec::new(), Vec::new());
    for index in 0..20 {
        let account = format!("b{index}");
        let puzzle = world.get("/v1/events/e/challenge", &[("x-device", "d")]).await.text;
        let solved = onsale_pow::solve_json(&puzzle, 1_000).unwrap().unwrap();
        let joined = world.join_with(&account, "d", Some(&solved)).await.json();
        tickets.push(joined["ticket"].as_str().unwrap().to_owned());
        puzzles.push(solved);
    }
    world.clock.advance(1_000);
    world.settle().await;
    let mut before = Vec::new();
    for ticket in &tickets {
        before.push(world.poll(ticket).await.json()["position"].clone());
    }
    let clock = world.clock.clone();
    world.edge.close();
    drop(world);
    let world = World::open(directory.path(), clock, Setup::default()).await;
    world.configure(&event);
    world.settle().await;
    for (ticket, before) in tickets.iter().zip(&before) {
        assert_eq!(world.poll(ticket).await.json()["position"], *before);
    }
    for puzzle in &puzzles {
        assert_eq!(world.join_with("other", "d", Some(puzzle)).await.code(), "puzzle-spent");
    }
}
