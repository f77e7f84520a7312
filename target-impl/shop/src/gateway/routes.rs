//! The gateway over HTTP: holds and stock. Orders, administration and the seeds' aliases are beside this file.

use super::checkout::conflict;
use super::events::internal;
use super::hold::hold_to_the_end;
use super::{Gateway, admin_routes, order_routes, seed_routes};
use crate::defect::Defect;
use crate::ledger::State;
use crate::problem::Refusal;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State as Shared};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{get, post};
use onsale_contract::IDEMPOTENCY_KEY;
use onsale_contract::event::{Availability, SkuAvailability};
use onsale_contract::hold::{HoldItem, HoldRequest, HoldStatus, HoldView};
use onsale_contract::problem::{ErrorCode, Problem};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Every route of the gateway. The waiting room's routes are not among them.
pub fn router(shop: Arc<Gateway>) -> Router {
    Router::new()
        .route("/v1/events/{event}/holds", post(hold))
        .route("/v1/holds/{hold}", get(find_hold).delete(cancel_hold))
        .route("/v1/events/{event}/availability", get(availability))
        .merge(order_routes::routes())
        .merge(admin_routes::routes())
        .merge(seed_routes::routes())
        .with_state(shop)
}

/// Reads a body; what is wrong with it is told.
pub(super) fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|error| Problem::new(ErrorCode::InvalidRequest).detail(error.to_string()).into())
}

/// The idempotency key, quoted or not.
pub(super) fn key_of(headers: &HeaderMap) -> Result<String, Refusal> {
    let value = headers
        .get(IDEMPOTENCY_KEY)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .trim();
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    if value.is_empty() || value.len() > 255 {
        return Err(ErrorCode::KeyMissing.into());
    }
    Ok(value.to_owned())
}

async fn hold(
    Shared(shop): Shared<Arc<Gateway>>,
    Path(event): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let sale = shop.sale(&event).ok_or(ErrorCode::EventNotFound)?;
    let principal = shop.gatekeeper.admit(&event, &headers)?;
    let key = key_of(&headers)?;
    let request: HoldRequest = read(&body)?;
    let answer = hold_to_the_end(shop, sale, principal.account, key, request).await?;
    Ok((StatusCode::CREATED, Json(answer)).into_response())
}

async fn find_hold(
    Shared(shop): Shared<Arc<Gateway>>,
    Path(hold_id): Path<String>,
    headers: HeaderMap,
) -> Result<Json<HoldView>, Refusal> {
    let principal = shop.gatekeeper.identify(&headers)?;
    if let Some((command, granted)) = shop.acknowledged.get(&hold_id) {
        if command.account != principal.account {
            return Err(ErrorCode::Forbidden.into());
        }
        let items = command
            .lines
            .into_iter()
            .map(|line| HoldItem { sku: line.sku, qty: line.quantity })
            .collect();
        return Ok(Json(HoldView {
            hold_id,
            status: HoldStatus::Held,
            items,
            expires_at_ms: granted.until_ms,
        }));
    }
    let record = shop.ledger.find_hold(hold_id.clone()).await.map_err(|error| internal(&error))?;
    let record = record.ok_or(ErrorCode::HoldNotFound)?;
    let status = record.state.status().ok_or(ErrorCode::HoldNotFound)?;
    if record.account != principal.account {
        return Err(ErrorCode::Forbidden.into());
    }
    if record.over || record.state == State::Expired {
        return Err(conflict(State::Expired));
    }
    Ok(Json(HoldView { hold_id, status, items: record.items, expires_at_ms: record.until_ms }))
}

async fn cancel_hold(
    Shared(shop): Shared<Arc<Gateway>>,
    Path(hold_id): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, Refusal> {
    let principal = shop.gatekeeper.identify(&headers)?;
    let work = tokio::spawn(async move { shop.cancel_hold(&principal.account, &hold_id).await });
    work.await.unwrap_or_else(|_| Err(ErrorCode::Internal.into()))?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn availability(
    Shared(shop): Shared<Arc<Gateway>>,
    Path(event): Path<String>,
) -> Result<Json<Availability>, Refusal> {
    shop.sale(&event).ok_or(ErrorCode::EventNotFound)?;
    let counts = shop.ledger.counts(event).await.map_err(|error| internal(&error))?;
    let units = |count: i64| u32::try_from(count).unwrap_or_default();
    let double = shop.config.defects.has(Defect::StockMiscounted);
    let skus = counts.into_iter().map(|count| SkuAvailability {
        available: units(count.released - count.held - count.confirmed),
        total: units(count.released),
        held: units(if double { count.held * 2 } else { count.held }),
        confirmed: units(count.confirmed),
        sku: count.sku,
    });
    Ok(Json(Availability {
        skus: skus.collect(),
        as_of_ms: shop.lease_clock.now_ms(),
        exact: true,
    }))
}
