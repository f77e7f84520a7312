//! The names that the first descriptions of this system used, for those who know it by them.

use super::Gateway;
use super::hold::{digest, hold_to_the_end};
use super::order_routes::take_webhook;
use super::routes::{availability, key_of, read};
use crate::problem::Refusal;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State as Shared;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{get, post};
use onsale_contract::hold::{HoldItem, HoldRequest};
use onsale_contract::problem::ErrorCode;
use serde::Deserialize;
use std::sync::Arc;

pub(super) fn routes() -> Router<Arc<Gateway>> {
    Router::new()
        .route("/api/v1/reserve", post(reserve))
        .route("/webhooks/stripe/payment_intent", post(take_webhook))
        .route("/events/{event}/tickets", get(availability))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reserve {
    event_id: String,
    qty: i64,
    sku: Option<String>,
}

/// Reserves units of the named SKU, or of the event's first. Without a key every request is one of its own.
async fn reserve(
    Shared(shop): Shared<Arc<Gateway>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let Reserve { event_id, qty, sku } = read(&body)?;
    let sale = shop.sale(&event_id).ok_or(ErrorCode::EventNotFound)?;
    let principal = shop.gatekeeper.admit(&event_id, &headers)?;
    let sku = sku.or_else(|| sale.skus.keys().next().cloned()).ok_or(ErrorCode::SkuNotFound)?;
    let key = key_of(&headers).unwrap_or_else(|_| {
        let instant = shop.clock.monotonic().as_nanos().to_string();
        digest(&["no key", &instant, &shop.clock.wall_ms().to_string()])
    });
    let request = HoldRequest { items: vec![HoldItem { sku, qty }], instrument: None };
    let answer = hold_to_the_end(shop, sale, principal.account, key, request).await?;
    Ok((StatusCode::CREATED, Json(answer)).into_response())
}
