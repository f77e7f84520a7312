//! `POST /v1/events/{event}/holds`, `GET` and `DELETE /v1/holds/{hold}`.
//!
//! Needs `Authorization: Bearer <checkout token>`, the cookie `queue_ticket` and, for `POST`, `Idempotency-Key`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Asks for units; all or nothing over its lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HoldRequest {
    /// What.
    pub items: Vec<HoldItem>,
    /// The card that will pay, if it is known already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instrument: Option<String>,
}

/// One line: so many units of a SKU, or one seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HoldItem {
    /// The SKU; a seat is a SKU too.
    #[serde(alias = "seat")]
    pub sku: String,
    /// At least 1.
    #[serde(default = "one")]
    pub qty: i64,
}

const fn one() -> i64 {
    1
}

/// `201`: held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HoldAnswer {
    /// The hold.
    pub hold_id: String,
    /// Grows with every grant of the same bucket.
    pub fence: u64,
    /// Milliseconds since 1970.
    pub expires_at_ms: u64,
    /// Milliseconds since 1970.
    pub server_time_ms: u64,
    /// Milliseconds left.
    pub ttl_ms: u64,
}

/// `GET /v1/holds/{hold}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HoldView {
    /// The hold.
    pub hold_id: String,
    /// Its state.
    pub status: HoldStatus,
    /// Its lines.
    pub items: Vec<HoldItem>,
    /// Milliseconds since 1970.
    pub expires_at_ms: u64,
}

/// The state of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HoldStatus {
    /// Set aside.
    Held,
    /// Checked out; kept until the payment is final.
    Paying,
    /// Sold.
    Confirmed,
    /// Past its time.
    Expired,
    /// Given back.
    Cancelled,
    /// Its payment failed for good.
    Failed,
}
