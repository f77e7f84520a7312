//! Each defect of the edge does its harm, and without it there is none.

use super::world::{Setup, World, code, event, event_with};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

async fn world(
    directory: &std::path::Path,
    defects: &'static str,
    event: &serde_json::Value,
) -> World {
    World::with_event(directory, Setup { defects, ..Setup::default() }, event).await
}

fn forged(token: &str) -> String {
    let body = token.split('.').nth(1).unwrap();
    format!("{}.{body}.", URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#))
}

#[tokio::test]
async fn the_gate_has_the_bugs_it_is_told_to_have() {
    for (defect, attack, refused) in [
        ("token-unbound", "foreign", "token-foreign"),
        ("expired-token-accepted", "expired", "token-expired"),
        ("forged-token-accepted", "forged", "token-invalid"),
        ("unguarded-route", "missing", "token-missing"),
    ] {
        for (defects, expected) in [(defect, Ok(())), ("", Err(refused))] {
            let directory = tempfile::tempdir().unwrap();
            let world = world(directory.path(), defects, &event()).await;
            let (ticket, _) = world.join("anna").await;
            let (other, _) = world.join("bert").await;
            let token = world.admitted(&ticket).await;
            let admitted = match attack {
                "foreign" => world.admit(&other, Some(&token)),
                "expired" => {
                    world.clock.advance(61_000);
                    world.admit(&ticket, Some(&token))
                }
                "forged" => world.admit(&ticket, Some(&forged(&token))),
                _ => world.admit(&ticket, None),
            };
            assert_eq!(
                admitted.map(|_| ()).map_err(|refusal| code(&refusal)),
                expected,
                "{defect}"
            );
        }
    }
}

#[tokio::test]
async fn the_puzzle_has_the_bugs_it_is_told_to_have() {
    let guarded = event_with(&[("/puzzle/scheme", json!("altcha-v2"))]);
    for (defects, forged, again) in [
        ("", "puzzle-invalid", "puzzle-spent"),
        ("puzzle-reusable", "puzzle-invalid", ""),
        ("puzzle-unchecked", "", ""),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let world = world(directory.path(), defects, &guarded).await;
        let puzzle = world.get("/v1/events/e/challenge", &[("x-device", "d")]).await.text;
        let wrong = onsale_pow::forge(&puzzle);
        assert_eq!(world.join_with("anna", "d", Some(&wrong)).await.code(), forged, "{defects}");
        let solved = onsale_pow::solve_json(&puzzle, 1_000).unwrap().unwrap();
        assert_eq!(world.join_with("bert", "d", Some(&solved)).await.code(), "", "{defects}");
        assert_eq!(world.join_with("carl", "d", Some(&solved)).await.code(), again, "{defects}");
    }
}

#[tokio::test]
async fn the_waiting_room_has_the_bugs_it_is_told_to_have() {
    for (defects, in_after_a_batch) in [
        ("", vec![0, 1, 2, 3, 4]),
        ("lifo-batch", vec![29, 30, 31, 32, 33]),
        ("admission-burst", (0..40).collect()),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let later = json!(super::world::BEGIN_MS + 1_000);
        let world =
            world(directory.path(), defects, &event_with(&[("/sale_opens_at_ms", later)])).await;
        let mut tickets = Vec::new();
        for index in 0..40 {
            tickets.push(world.join(&format!("b{index}")).await.0);
        }
        world.clock.advance(1_000);
        world.settle().await;
        let mut inside = Vec::new();
        for (index, ticket) in tickets.iter().enumerate() {
            if world.poll(ticket).await.json()["inWaitingRoom"] == false {
                inside.push(index);
            }
        }
        assert_eq!(inside, in_after_a_batch, "{defects}");
    }
}
