//! The landing data, the page, and its static parts.

use super::queue::NO_STORE;
use crate::edge::landing::{ASSETS, Live, page};
use crate::edge::room::Room;
use crate::edge::service::Edge;
use crate::problem::Refusal;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use onsale_contract::event::{EventView, SkuView, StockState};
use onsale_contract::problem::Problem;
use std::sync::Arc;

const VARY: (header::HeaderName, HeaderValue) = (header::VARY, HeaderValue::from_static("accept"));

/// The landing data; the page for `Accept: text/html`.
#[utoipa::path(
    get, path = "/v1/events/{event}", tag = "landing", params(("event" = String, Path)),
    responses((status = 200, body = EventView), (status = 404, body = Problem))
)]
pub(super) async fn event(
    State(edge): State<Arc<Edge>>,
    Path(event): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let room = edge.room(&event)?;
    let view = landing(&edge, &room);
    if wants_html(&headers) {
        let page = page(&view, Live::Shown, &edge.config.psp_url);
        return Ok(([NO_STORE, VARY], Html(page)).into_response());
    }
    Ok(([NO_STORE, VARY], Json(view)).into_response())
}

/// The page without anything that is only true now, so that a CDN may keep it; its script asks for the rest.
pub(super) async fn shell(
    State(edge): State<Arc<Edge>>,
    Path(event): Path<String>,
) -> Result<Response, Refusal> {
    let room = edge.room(&event)?;
    let page = page(&landing(&edge, &room), Live::Later, &edge.config.psp_url);
    let cache = [(header::CACHE_CONTROL, "public, max-age=60, stale-while-revalidate=600")];
    Ok((cache, Html(page)).into_response())
}

/// A static part of the page, by its content's hash: it never changes.
pub(super) async fn asset(Path((version, name)): Path<(String, String)>) -> Response {
    let found = ASSETS.iter().find(|asset| asset.name == name && asset.version == version);
    let Some(asset) = found else { return StatusCode::NOT_FOUND.into_response() };
    let headers = [
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::CONTENT_TYPE, asset.kind),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, asset.text).into_response()
}

fn wants_html(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("");
    // Who names JSON first wants JSON.
    let place = |kind: &str| accept.find(kind);
    match (place("text/html"), place("application/json")) {
        (Some(html), Some(json)) => html < json,
        (html, _) => html.is_some(),
    }
}

fn landing(edge: &Edge, room: &Room) -> EventView {
    let config = room.config();
    let now_ms = edge.clock.wall_ms();
    let stock = edge.stock(&room.event);
    let open = now_ms >= config.sale_opens_at_ms;
    let shown = |state: Option<StockState>| match state {
        Some(state) if open => state,
        _ => StockState::Scheduled,
    };
    let sku_state = |sku: &str| {
        let found =
            stock.as_ref().and_then(|stock| stock.skus.iter().find(|known| known.sku == sku));
        shown(found.map(crate::gateway::SkuStock::state))
    };
    EventView {
        event: room.event.clone(),
        title: config.title.clone(),
        price: config.price,
        currency: config.currency.clone(),
        sale_opens_at_ms: config.sale_opens_at_ms,
        queue_opens_at_ms: config.queue_opens_at_ms,
        server_time_ms: now_ms,
        state: shown(stock.as_ref().map(crate::gateway::StockView::state)),
        skus: config
            .skus
            .iter()
            .map(|sku| SkuView { sku: sku.sku.clone(), state: sku_state(&sku.sku) })
            .collect(),
    }
}
