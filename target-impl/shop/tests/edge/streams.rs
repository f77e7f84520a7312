use super::world::{BEGIN_MS, Setup, World, event_with};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use futures_util::StreamExt;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::time::Duration;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

async fn world(directory: &std::path::Path) -> World {
    let event = event_with(&[("/sale_opens_at_ms", json!(BEGIN_MS + 1_000))]);
    World::with_event(directory, Setup::default(), &event).await
}

#[tokio::test]
async fn a_websocket_tells_the_place_and_then_the_token() {
    let directory = tempfile::tempdir().unwrap();
    let world = world(directory.path()).await;
    let (ticket, _) = world.join("anna").await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = world.router.clone();
    let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let url = format!("ws://{address}/v1/events/e/queue/ws");
    let mut request = url.clone().into_client_request().unwrap();
    request.headers_mut().insert("cookie", format!("queue_ticket={ticket}").parse().unwrap());
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await.unwrap();
    let first: Value =
        serde_json::from_str(socket.next().await.unwrap().unwrap().to_text().unwrap()).unwrap();
    assert_eq!(
        (first["inWaitingRoom"].as_bool(), first["position"].as_u64()),
        (Some(true), Some(1))
    );
    world.clock.advance(1_000);
    let last = loop {
        let message = tokio::time::timeout(Duration::from_secs(10), socket.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        let view: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
        if view["inWaitingRoom"] == false {
            break view;
        }
    };
    assert!(world.admit(&ticket, last["token"].as_str()).is_ok());
    let end = socket.next().await;
    assert!(matches!(&end, Some(Ok(message)) if message.is_close()), "{end:?}");
    let refused = tokio_tungstenite::connect_async(url).await.unwrap_err().to_string();
    assert!(refused.contains("401"), "{refused}");
    server.abort();
}

#[tokio::test]
async fn server_sent_events_tell_the_place_and_end_with_the_token() {
    let directory = tempfile::tempdir().unwrap();
    let world = world(directory.path()).await;
    let (ticket, _) = world.join("anna").await;
    let request =
        Request::get("/v1/events/e/queue/sse").header("cookie", format!("queue_ticket={ticket}"));
    let answer = world.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let mut body = answer.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    let first = String::from_utf8(first.to_vec()).unwrap();
    assert!(first.starts_with("event: queue\ndata: {\"inWaitingRoom\":true"), "{first}");
    world.clock.advance(1_000);
    let rest = tokio::time::timeout(Duration::from_secs(10), body.collect())
        .await
        .unwrap()
        .unwrap()
        .to_bytes();
    let rest = String::from_utf8(rest.to_vec()).unwrap();
    let last = rest.trim_end().rsplit_once("data: ").unwrap().1;
    let view: Value = serde_json::from_str(last).unwrap();
    assert!(world.admit(&ticket, view["token"].as_str()).is_ok(), "{rest}");
}
