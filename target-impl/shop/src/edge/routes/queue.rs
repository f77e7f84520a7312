//! The puzzle and the waiting room.

use crate::defect::Defect;
use crate::edge::gate::device_of;
use crate::edge::puzzle::{self, Spending};
use crate::edge::room::{Join, Room};
use crate::edge::service::Edge;
use crate::edge::ticket;
use crate::problem::Refusal;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use onsale_contract::challenge::PuzzleScheme;
use onsale_contract::problem::{ErrorCode, Problem};
use onsale_contract::queue::{JoinAnswer, JoinRequest, QueueView};
use onsale_contract::{CAPTCHA, QUEUE_TICKET};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Answers that are only true now.
pub(super) const NO_STORE: (header::HeaderName, HeaderValue) =
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));

/// A puzzle (ALTCHA v1 or v2), bound to this event and the device of the request.
#[utoipa::path(
    get, path = "/v1/events/{event}/challenge", tag = "queue",
    params(("event" = String, Path), ("x-device" = Option<String>, Header)),
    responses(
        (status = 200, description = "The puzzle, as ALTCHA v1 or v2 writes it", body = serde_json::Value),
        (status = 204, description = "The event asks for no puzzle"),
        (status = 404, body = Problem),
    )
)]
pub(super) async fn challenge(
    State(edge): State<Arc<Edge>>,
    Path(event): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let config = edge.room(&event)?.config();
    let now_ms = edge.clock.wall_ms();
    let made = edge.puzzles.issue(&edge.keys, &config.puzzle, &event, device_of(&headers), now_ms);
    let Some(puzzle) = made else { return Ok(StatusCode::NO_CONTENT.into_response()) };
    edge.metrics.puzzles.add();
    Ok(([NO_STORE], Json(puzzle)).into_response())
}

/// Joins the waiting room. Joining again keeps the place.
#[utoipa::path(
    post, path = "/v1/events/{event}/queue", tag = "queue", request_body = JoinRequest,
    params(("event" = String, Path), ("x-device" = Option<String>, Header), ("x-captcha" = Option<String>, Header)),
    responses(
        (status = 202, description = "In the waiting room; the ticket is also set as cookie", body = JoinAnswer),
        (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 425, body = Problem), (status = 429, body = Problem), (status = 503, body = Problem),
    )
)]
pub(super) async fn join(
    State(edge): State<Arc<Edge>>,
    Path(event): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let room = edge.room(&event)?;
    let joined = try_join(&edge, &room, &headers, &body).await;
    edge.metrics.refusals.add_many(u64::from(joined.is_err()));
    let answer = joined?;
    let max_age_s = edge.config.limits.ticket_ttl_ms / 1_000;
    let cookie = format!(
        "{QUEUE_TICKET}={}; Path=/; Max-Age={max_age_s}; HttpOnly; SameSite=Lax",
        answer.ticket
    );
    let cookie = HeaderValue::from_str(&cookie).expect("an account's characters fit into a header");
    Ok((StatusCode::ACCEPTED, [NO_STORE, (header::SET_COOKIE, cookie)], Json(answer))
        .into_response())
}

async fn try_join(
    edge: &Edge,
    room: &Room,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<JoinAnswer, Refusal> {
    let invalid = |why: String| Refusal::from(Problem::new(ErrorCode::InvalidRequest).detail(why));
    let request =
        serde_json::from_slice::<JoinRequest>(body).map_err(|error| invalid(error.to_string()))?;
    if !ticket::is_account(&request.account) {
        return Err(invalid("an account is 1 to 128 letters, digits or -_.@+".to_owned()));
    }
    let config = room.config();
    let now_ms = edge.clock.wall_ms();
    if now_ms < config.queue_opens_at_ms {
        let seconds = (config.queue_opens_at_ms - now_ms).div_ceil(1_000);
        return Err(Problem::new(ErrorCode::QueueNotOpen).retry_after(seconds).into());
    }
    let device = device_of(headers);
    let spends = spending(edge, room, device, request.puzzle.as_deref(), now_ms)?;
    edge.velocity.device(device, &request.account)?;
    check_captcha(edge, headers).await?;
    let (answer, joined) = oneshot::channel();
    let join = Join { account: request.account.clone(), spends, answer };
    room.joins.try_send(join).map_err(|_| Problem::new(ErrorCode::Overloaded).retry_after(1))?;
    // A conductor that is gone took nothing in that it did not answer.
    let joined = joined.await.map_err(|_| Refusal::from(ErrorCode::Internal))??;
    let expires_at_s = now_ms.saturating_add(edge.config.limits.ticket_ttl_ms) / 1_000;
    Ok(JoinAnswer {
        ticket: ticket::sign(&edge.keys, &request.account, expires_at_s),
        position: joined.position,
        wait_s: joined.wait_s,
        refresh_interval_s: config.queue.as_ref().map_or(1.0, |queue| queue.refresh_interval_s),
    })
}

/// What a join must spend: its puzzle, if the event asks for one.
fn spending(
    edge: &Edge,
    room: &Room,
    device: &str,
    solution: Option<&str>,
    now_ms: u64,
) -> Result<Option<Spending>, Refusal> {
    let has = |defect| edge.config.defects.has(defect);
    if room.config().puzzle.scheme == PuzzleScheme::None || has(Defect::PuzzleUnchecked) {
        return Ok(None);
    }
    let spends = puzzle::verify(&edge.keys, &room.event, device, solution, now_ms)?;
    Ok((!has(Defect::PuzzleReusable)).then_some(spends))
}

async fn check_captcha(edge: &Edge, headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(verifier) = &edge.captcha else { return Ok(()) };
    let answer = headers.get(CAPTCHA).and_then(|value| value.to_str().ok());
    let answer = answer
        .ok_or_else(|| Problem::new(ErrorCode::CaptchaFailed).detail("there is no `x-captcha`"))?;
    match verifier.verify(answer).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(ErrorCode::CaptchaFailed.into()),
        Err(error) => {
            tracing::warn!(%error, "the CAPTCHA verifier did not answer");
            Err(Problem::new(ErrorCode::Overloaded)
                .detail("the CAPTCHA cannot be judged now")
                .retry_after(2)
                .into())
        }
    }
}

/// Where the holder of the ticket stands; once admitted, the checkout token. Asking keeps the place.
#[utoipa::path(
    get, path = "/v1/events/{event}/queue", tag = "queue",
    params(("event" = String, Path), ("queue_ticket" = String, Cookie)),
    responses(
        (status = 200, body = QueueView), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 410, body = Problem),
    )
)]
pub(super) async fn position(
    State(edge): State<Arc<Edge>>,
    Path(event): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    edge.metrics.polls.add();
    let room = edge.room(&event)?;
    let now_ms = edge.clock.wall_ms();
    let account = ticket::account_of(&edge.keys, &headers, now_ms)?;
    let view = room.view(&edge.keys, account, now_ms, edge.clock.monotonic())?;
    Ok(([NO_STORE], Json(view)).into_response())
}

/// The same for those who listen.
pub(super) fn view(edge: &Edge, room: &Room, account: &str) -> Result<QueueView, Refusal> {
    room.view(&edge.keys, account, edge.clock.wall_ms(), edge.clock.monotonic())
}
