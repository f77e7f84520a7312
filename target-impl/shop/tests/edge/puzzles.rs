use super::world::{Setup, World, event_with};
use axum::http::StatusCode;
use futures_util::future::join_all;
use serde_json::{Value, json};

const SCHEMES: [&str; 2] = ["altcha-v1", "altcha-v2"];

fn guarded(scheme: &str) -> Value {
    event_with(&[("/puzzle/scheme", json!(scheme))])
}

async fn solved(world: &World, device: &str) -> String {
    let challenge = world.get("/v1/events/e/challenge", &[("x-device", device)]).await;
    assert_eq!((challenge.status, challenge.header("cache-control")), (StatusCode::OK, "no-store"));
    onsale_pow::solve_json(&challenge.text, 1_000).unwrap().expect("it has a solution")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_joins_with_one_solution_exactly_one_is_accepted() {
    for scheme in SCHEMES {
        let directory = tempfile::tempdir().unwrap();
        let world = World::with_event(directory.path(), Setup::default(), &guarded(scheme)).await;
        let puzzle = solved(&world, "d").await;
        let accounts = (0..20).map(|index| format!("b{index}")).collect::<Vec<_>>();
        let answers =
            join_all(accounts.iter().map(|account| world.join_with(account, "d", Some(&puzzle))))
                .await;
        let accepted =
            answers.iter().filter(|answer| answer.status == StatusCode::ACCEPTED).count();
        assert_eq!(accepted, 1, "{scheme}");
        let spent = answers.iter().filter(|answer| answer.code() == "puzzle-spent").count();
        assert_eq!(spent, 19, "{scheme}");
    }
}

#[tokio::test]
async fn a_solution_is_bound_to_event_device_and_time() {
    for scheme in SCHEMES {
        let directory = tempfile::tempdir().unwrap();
        let world = World::with_event(directory.path(), Setup::default(), &guarded(scheme)).await;
        let other = serde_json::from_value(guarded(scheme)).unwrap();
        onsale_shop::gateway::EventListener::configured(&*world.edge, "f", &other);
        let foreign = world.get("/v1/events/f/challenge", &[("x-device", "d")]).await.text;
        let foreign = onsale_pow::solve_json(&foreign, 1_000).unwrap().unwrap();
        let unsolved = world.get("/v1/events/e/challenge", &[("x-device", "d")]).await.text;
        let late = solved(&world, "d").await;
        let cases = [
            ("none", None),
            ("rubbish", Some("rubbish".to_owned())),
            ("forged", Some(onsale_pow::forge(&unsolved))),
            ("another event's", Some(foreign)),
            ("another device's", Some(solved(&world, "other").await)),
        ];
        for (name, puzzle) in cases {
            let answer = world.join_with("anna", "d", puzzle.as_deref()).await;
            assert_eq!(answer.code(), "puzzle-invalid", "{scheme}: {name}");
        }
        world.clock.advance(32_000);
        assert_eq!(
            world.join_with("anna", "d", Some(&late)).await.code(),
            "puzzle-invalid",
            "{scheme}: late"
        );
        let fresh = solved(&world, "d").await;
        assert_eq!(world.join_with("anna", "d", Some(&fresh)).await.status, StatusCode::ACCEPTED);
    }
}

#[tokio::test]
async fn joining_again_keeps_the_place_but_needs_a_puzzle_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with_event(directory.path(), Setup::default(), &guarded("altcha-v2")).await;
    let puzzle = solved(&world, "d").await;
    assert_eq!(world.join_with("anna", "d", Some(&puzzle)).await.json()["position"], 1);
    assert_eq!(world.join_with("anna", "d", Some(&puzzle)).await.code(), "puzzle-spent");
    let another = solved(&world, "d").await;
    assert_eq!(world.join_with("anna", "d", Some(&another)).await.json()["position"], 1);
}

#[tokio::test]
async fn an_event_without_a_puzzle_has_no_content_there() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with_event(directory.path(), Setup::default(), &guarded("none")).await;
    assert_eq!(world.get("/v1/events/e/challenge", &[]).await.status, StatusCode::NO_CONTENT);
}
