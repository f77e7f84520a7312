//! `POST /v1/orders`, `GET /v1/orders/{order}`, `POST …/cancel`, `GET /v1/me/orders`.
//!
//! The account is the one of the `queue_ticket` cookie. `POST /v1/orders` is idempotent by its hold.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Checks a hold out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderRequest {
    /// The hold.
    pub hold_id: String,
    /// The card that will pay.
    pub instrument: String,
}

/// `202`: an order that waits for its payment; also the view of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderView {
    /// The order.
    pub order_id: String,
    /// Its hold.
    pub hold_id: String,
    /// Its state.
    pub status: OrderStatus,
    /// Its lines.
    pub items: Vec<super::hold::HoldItem>,
    /// Minor units.
    pub amount: u32,
    /// Lower-case ISO 4217.
    pub currency: String,
    /// How to pay, while it can be paid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment: Option<PaymentView>,
}

/// What the shopper's browser gives to the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentView {
    /// The provider's payment intent (`pi_…`).
    pub intent: String,
    /// Its client secret.
    pub client_secret: String,
}

/// The state of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderStatus {
    /// Waits for its payment.
    PendingPayment,
    /// Sold.
    Confirmed,
    /// The payment failed for good.
    PaymentFailed,
    /// The hold ended before the payment.
    Expired,
    /// Cancelled by the buyer.
    Cancelled,
    /// Money on its way back.
    Refunding,
    /// Money back.
    Refunded,
}

/// `GET /v1/me/orders?cursor=…`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderList {
    /// Oldest first.
    pub orders: Vec<OrderView>,
    /// Give it back as `cursor` for more; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
