//! Orders and the provider's webhooks over HTTP.

use super::Gateway;
use super::checkout::view;
use super::events::internal;
use super::hold::digest;
use super::routes::read;
use crate::defect::Defect;
use crate::ledger::OutcomeVerdict;
use crate::payments::webhook::{self, Rejection};
use crate::problem::Refusal;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Query, State as Shared};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{get, post};
use onsale_contract::STRIPE_SIGNATURE;
use onsale_contract::hold::HoldItem;
use onsale_contract::order::{OrderList, OrderRequest, OrderStatus, OrderView};
use onsale_contract::problem::{ErrorCode, Problem};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Orders of one page.
const PAGE: u32 = 50;

pub(super) fn routes() -> Router<Arc<Gateway>> {
    Router::new()
        .route("/v1/orders", post(check_out))
        .route("/v1/orders/{order}", get(find))
        .route("/v1/orders/{order}/cancel", post(cancel))
        .route("/v1/me/orders", get(list))
        .route("/v1/webhooks/psp", post(take_webhook))
}

async fn check_out(
    Shared(shop): Shared<Arc<Gateway>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let principal = shop.gatekeeper.identify(&headers)?;
    let request: OrderRequest = read(&body)?;
    let work = tokio::spawn(async move { shop.check_out(&principal.account, request).await });
    let order = work.await.unwrap_or_else(|_| Err(ErrorCode::Internal.into()))?;
    Ok((StatusCode::ACCEPTED, Json(order)).into_response())
}

async fn find(
    Shared(shop): Shared<Arc<Gateway>>,
    Path(order_id): Path<String>,
    headers: HeaderMap,
) -> Result<Json<OrderView>, Refusal> {
    let principal = shop.gatekeeper.identify(&headers)?;
    let order = shop.ledger.find_order(order_id).await.map_err(|error| internal(&error))?;
    let order = order.ok_or(ErrorCode::OrderNotFound)?;
    if order.account != principal.account {
        return Err(ErrorCode::Forbidden.into());
    }
    Ok(Json(view(order)))
}

async fn cancel(
    Shared(shop): Shared<Arc<Gateway>>,
    Path(order_id): Path<String>,
    headers: HeaderMap,
) -> Result<Json<OrderView>, Refusal> {
    let principal = shop.gatekeeper.identify(&headers)?;
    let work = tokio::spawn(async move { shop.cancel_order(&principal.account, &order_id).await });
    work.await.unwrap_or_else(|_| Err(ErrorCode::Internal.into())).map(Json)
}

#[derive(Deserialize)]
struct Cursor {
    cursor: Option<String>,
}

impl Cursor {
    fn place(&self) -> Result<i64, Refusal> {
        let bad = || {
            Refusal::from(
                Problem::new(ErrorCode::InvalidRequest).detail("this cursor is none of ours"),
            )
        };
        self.cursor.as_deref().map_or(Ok(0), |cursor| cursor.parse().map_err(|_| bad()))
    }
}

async fn list(
    Shared(shop): Shared<Arc<Gateway>>,
    Query(cursor): Query<Cursor>,
    headers: HeaderMap,
) -> Result<Json<OrderList>, Refusal> {
    let principal = shop.gatekeeper.identify(&headers)?;
    let found = shop.ledger.orders_of(principal.account.clone(), cursor.place()?, PAGE).await;
    let found = found.map_err(|error| internal(&error))?;
    let full = u32::try_from(found.len()).is_ok_and(|count| count == PAGE);
    let next = found.last().filter(|_| full).map(|order| order.seq.to_string());
    let mut orders: Vec<OrderView> = found.into_iter().map(view).collect();
    if shop.config.defects.has(Defect::PhantomOrders) && next.is_none() {
        orders.push(phantom(&shop, &principal.account));
    }
    Ok(Json(OrderList { orders, next }))
}

/// The defect `phantom-orders`: an order that nobody made.
fn phantom(shop: &Gateway, account: &str) -> OrderView {
    let id = digest(&["phantom", account]);
    let sale = shop.all_sales().into_iter().next();
    let sku = sale.as_ref().and_then(|sale| sale.skus.keys().next().cloned()).unwrap_or_default();
    OrderView {
        order_id: format!("or_{id}"),
        hold_id: format!("h_{id}"),
        status: OrderStatus::Confirmed,
        items: vec![HoldItem { sku, qty: 1 }],
        amount: sale.as_ref().map_or(0, |sale| sale.terms.price),
        currency: sale.map(|sale| sale.terms.currency.clone()).unwrap_or_default(),
        payment: None,
    }
}

/// A webhook is answered 2xx only when what it says is in the ledger, or says nothing to us.
pub(super) async fn take_webhook(
    Shared(shop): Shared<Arc<Gateway>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, Refusal> {
    let header =
        headers.get(STRIPE_SIGNATURE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let verified =
        webhook::verify(header, &body, &shop.config.webhook_secret, shop.clock.wall_ms() / 1_000);
    let defects = &shop.config.defects;
    match verified {
        Ok(()) => {}
        Err(Rejection::Stale) if defects.has(Defect::StaleWebhook) => {}
        Err(_) if defects.has(Defect::UnsignedWebhook) => {}
        Err(rejection) => {
            shop.metrics.webhooks_refused.add();
            return Err(Problem::new(ErrorCode::SignatureInvalid)
                .detail(rejection.to_string())
                .into());
        }
    }
    let event: Value = read(&body)?;
    let Some(outcome) = webhook::outcome(&event) else {
        return Ok(Json(json!({ "received": true })));
    };
    let work = tokio::spawn(async move {
        let verdict = shop.settle(outcome).await.map_err(|error| internal(&error))?;
        match verdict {
            OutcomeVerdict::Unknown => return Err(Refusal::from(ErrorCode::UnknownPayment)),
            OutcomeVerdict::Repeated => shop.metrics.webhooks_repeated.add(),
            _ => shop.metrics.webhooks_accepted.add(),
        }
        Ok(())
    });
    work.await.unwrap_or_else(|_| Err(ErrorCode::Internal.into()))?;
    Ok(Json(json!({ "received": true })))
}
