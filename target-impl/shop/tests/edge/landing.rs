use super::world::{BEGIN_MS, Setup, World, event, event_with};
use axum::http::StatusCode;
use serde_json::json;
use std::sync::atomic::Ordering;

const HTML: (&str, &str) = ("accept", "text/html,application/xhtml+xml");

#[tokio::test]
async fn the_landing_data_and_the_page_tell_the_state_of_the_stock() {
    let directory = tempfile::tempdir().unwrap();
    let event = event_with(&[("/sale_opens_at_ms", json!(BEGIN_MS + 1_000))]);
    let world = World::with_event(directory.path(), Setup::default(), &event).await;
    let cases = [
        (0, 0, 0, "SCHEDULED"),
        (1_000, 0, 0, "IN_STOCK"),
        (0, 89, 0, "IN_STOCK"),
        (0, 90, 40, "FEW_LEFT"),
        (0, 100, 99, "STANDBY"),
        (0, 100, 100, "SOLD_OUT"),
        (0, 95, 95, "FEW_LEFT"),
    ];
    for (later_ms, taken, confirmed, state) in cases {
        world.clock.advance(later_ms);
        world.stock.taken.store(taken, Ordering::SeqCst);
        world.stock.confirmed.store(confirmed, Ordering::SeqCst);
        let data = world.get("/v1/events/e", &[]).await;
        assert_eq!((data.status, data.json()["state"].as_str()), (StatusCode::OK, Some(state)));
        assert_eq!(data.json()["skus"][0]["state"], state);
        assert_eq!(
            data.json()["server_time_ms"],
            onsale_shop::clock::Clock::wall_ms(&*world.clock)
        );
        let page = world.get("/v1/events/e", &[HTML]).await;
        assert!(page.text.contains(&format!(r#"data-state="{state}">{state}<"#)), "{state}");
    }
    assert_eq!(world.get("/v1/events/nothing", &[]).await.code(), "event-not-found");
    assert_eq!(world.get("/events/nothing", &[]).await.code(), "event-not-found");
}

#[tokio::test]
async fn the_page_has_item_price_and_all_its_parts_and_escapes_them() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with_event(directory.path(), Setup::default(), &event()).await;
    for (path, headers) in [("/v1/events/e", vec![HTML]), ("/events/e", vec![])] {
        let page = world.get(path, &headers).await;
        assert!(page.header("content-type").starts_with("text/html"), "{path}");
        for part in [
            "Show &lt;1&gt;",
            "49.50 EUR",
            "countdown",
            "id=\"join\"",
            "id=\"position\"",
            "hold-timer",
            "checkout",
        ] {
            assert!(page.text.contains(part), "{path}: {part}");
        }
        assert!(!page.text.contains("{{") && !page.text.contains("<1>"), "{path}");
    }
}

#[tokio::test]
async fn static_parts_may_be_kept_for_ever_and_live_data_never() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with_event(directory.path(), Setup::default(), &event()).await;
    for headers in [vec![], vec![HTML], vec![("accept", "application/json, text/html")]] {
        let live = world.get("/v1/events/e", &headers).await;
        assert_eq!((live.header("cache-control"), live.header("vary")), ("no-store", "accept"));
    }
    let shell = world.get("/events/e", &[]).await;
    assert!(shell.header("cache-control").starts_with("public, max-age="));
    assert!(!shell.text.contains("IN_STOCK"), "what may be kept has nothing live");
    let mut parts = 0;
    for piece in shell.text.split('"').filter(|piece| piece.starts_with("/static/")) {
        let part = world.get(piece, &[]).await;
        assert_eq!(part.status, StatusCode::OK, "{piece}");
        assert_eq!(part.header("cache-control"), "public, max-age=31536000, immutable");
        let (_, version_and_name) = piece.split_at("/static/".len());
        let (version, name) = version_and_name.split_once('/').unwrap();
        let kind = if name.contains(".css") { "text/css" } else { "text/javascript" };
        assert!(part.header("content-type").starts_with(kind), "{piece}");
        let stale = format!("/static/{}/{name}", version.chars().rev().collect::<String>());
        assert_eq!(world.get(&stale, &[]).await.status, StatusCode::NOT_FOUND);
        parts += 1;
    }
    assert_eq!(parts, 2);
}
