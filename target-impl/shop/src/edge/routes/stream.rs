//! The waiting room for those who listen instead of asking: a WebSocket and server-sent events. Both send the same
//! [`QueueView`]s as the poll, at each change and each refresh interval, and end with the admission or the problem.

use super::queue::view;
use crate::edge::room::{Room, State as Standing};
use crate::edge::service::Edge;
use crate::edge::ticket;
use crate::problem::Refusal;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use onsale_contract::problem::Problem;
use onsale_contract::queue::QueueView;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// What is sent.
enum News {
    View(Box<QueueView>),
    Problem(Box<Problem>),
}

impl News {
    fn is_last(&self) -> bool {
        match self {
            Self::View(view) => !view.in_waiting_room,
            Self::Problem(_) => true,
        }
    }
    fn json(&self) -> String {
        let text = match self {
            Self::View(view) => serde_json::to_string(view),
            Self::Problem(problem) => serde_json::to_string(problem),
        };
        text.expect("it is plain data")
    }
}

/// Follows one account in one room.
struct Follower {
    edge: Arc<Edge>,
    room: Arc<Room>,
    account: String,
    begun: bool,
}

impl Follower {
    fn new(edge: Arc<Edge>, event: &str, headers: &HeaderMap) -> Result<Self, Refusal> {
        let room = edge.room(event)?;
        let account = ticket::account_of(&edge.keys, headers, edge.clock.wall_ms())?.to_owned();
        view(&edge, &room, &account)?;
        Ok(Self { edge, room, account, begun: false })
    }

    /// The first view at once; each later one at a change or when the refresh interval is over.
    async fn next(&mut self) -> News {
        if self.begun {
            self.wait().await;
        }
        self.begun = true;
        match view(&self.edge, &self.room, &self.account) {
            Ok(view) => News::View(Box::new(view)),
            Err(Refusal(problem)) => News::Problem(problem),
        }
    }

    async fn wait(&self) {
        let config = self.room.config();
        let seconds =
            config.queue.as_ref().map_or(1.0, |queue| queue.refresh_interval_s).clamp(0.1, 60.0);
        let Some(member) = self.room.roster.find(&self.account) else { return };
        let changed = member.changed.notified();
        if member.state() == Standing::Waiting {
            // The time is up or the state changed: either way it is time to look again.
            let _ = tokio::time::timeout(Duration::from_secs_f64(seconds), changed).await;
        }
    }
}

/// The waiting room over a WebSocket.
#[utoipa::path(
    get, path = "/v1/events/{event}/queue/ws", tag = "queue",
    params(("event" = String, Path), ("queue_ticket" = String, Cookie)),
    responses(
        (status = 101, description = "Text messages, each a `QueueView`; the last one carries the token"),
        (status = 401, body = Problem), (status = 404, body = Problem), (status = 410, body = Problem),
    )
)]
pub(super) async fn websocket(
    State(edge): State<Arc<Edge>>,
    Path(event): Path<String>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Refusal> {
    let follower = Follower::new(edge, &event, &headers)?;
    Ok(upgrade.on_upgrade(|socket| send_all(socket, follower)))
}

async fn send_all(mut socket: WebSocket, mut follower: Follower) {
    loop {
        let news = tokio::select! {
            news = follower.next() => news,
            // Whatever they say, it only matters whether they are still there.
            heard = socket.recv() => match heard {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => continue,
            },
        };
        let sent = socket.send(Message::Text(news.json().into())).await;
        if sent.is_err() || news.is_last() {
            // They may be gone already; there is nothing more to say either way.
            let _ = socket.send(Message::Close(None)).await;
            return;
        }
    }
}

/// The waiting room as server-sent events.
#[utoipa::path(
    get, path = "/v1/events/{event}/queue/sse", tag = "queue",
    params(("event" = String, Path), ("queue_ticket" = String, Cookie)),
    responses(
        (status = 200, description = "Events `queue`, each a `QueueView`, or `problem`", content_type = "text/event-stream"),
        (status = 401, body = Problem), (status = 404, body = Problem), (status = 410, body = Problem),
    )
)]
pub(super) async fn events(
    State(edge): State<Arc<Edge>>,
    Path(event): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let follower = Follower::new(edge, &event, &headers)?;
    let stream = futures_util::stream::unfold(Some(follower), |follower| async {
        let mut follower = follower?;
        let news = follower.next().await;
        let name = if matches!(news, News::View(_)) { "queue" } else { "problem" };
        let event = Ok::<_, Infallible>(Event::default().event(name).data(news.json()));
        Some((event, (!news.is_last()).then_some(follower)))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()).into_response())
}
