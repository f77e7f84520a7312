//! Administration of test installations over HTTP.

use super::Gateway;
use super::events::internal;
use super::routes::read;
use crate::problem::Refusal;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Query, State as Shared};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Json;
use axum::routing::{get, put};
use onsale_contract::admin::{EventConfig, LedgerPage};
use onsale_contract::problem::{ErrorCode, Problem};
use serde::Deserialize;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Holds of one page.
const PAGE: u32 = 500;

pub(super) fn routes() -> Router<Arc<Gateway>> {
    Router::new()
        .route("/v1/admin/events/{event}", put(configure))
        .route("/v1/admin/events/{event}/ledger", get(testimony))
}

fn authorise(shop: &Gateway, headers: &HeaderMap) -> Result<(), Refusal> {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    let fits: bool = given.as_bytes().ct_eq(shop.config.admin_key.as_bytes()).into();
    if fits { Ok(()) } else { Err(ErrorCode::Forbidden.into()) }
}

async fn configure(
    Shared(shop): Shared<Arc<Gateway>>,
    Path(event): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Refusal> {
    authorise(&shop, &headers)?;
    if event.is_empty() || event.contains(['{', '}']) {
        return Err(Problem::new(ErrorCode::InvalidRequest)
            .detail("this is not a name for an event")
            .into());
    }
    let terms: EventConfig = read(&body)?;
    shop.configure(&event, terms).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct Cursor {
    cursor: Option<i64>,
}

async fn testimony(
    Shared(shop): Shared<Arc<Gateway>>,
    Path(event): Path<String>,
    Query(cursor): Query<Cursor>,
    headers: HeaderMap,
) -> Result<Json<LedgerPage>, Refusal> {
    authorise(&shop, &headers)?;
    shop.sale(&event).ok_or(ErrorCode::EventNotFound)?;
    let page = shop.ledger.testimony(event, cursor.cursor.unwrap_or_default(), PAGE).await;
    page.map(Json).map_err(|error| internal(&error))
}
