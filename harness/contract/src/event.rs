//! `GET /v1/events/{event}` and `…/availability`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What the landing page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EventView {
    /// Identifier.
    pub event: String,
    /// Name.
    pub title: String,
    /// Price of one unit in minor units.
    pub price: u32,
    /// Lower-case ISO 4217.
    pub currency: String,
    /// Milliseconds since 1970.
    pub sale_opens_at_ms: u64,
    /// Milliseconds since 1970.
    pub queue_opens_at_ms: u64,
    /// Milliseconds since 1970.
    pub server_time_ms: u64,
    /// The state of the stock.
    pub state: StockState,
    /// What can be bought.
    pub skus: Vec<SkuView>,
}

/// One SKU on the landing page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkuView {
    /// Identifier.
    pub sku: String,
    /// The state of its stock.
    pub state: StockState,
}

/// The state of the stock as shown to everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StockState {
    /// Not open yet.
    Scheduled,
    /// Plenty.
    InStock,
    /// At most a tenth is free.
    FewLeft,
    /// Everything is sold.
    SoldOut,
    /// Everything is held or sold; what is given back goes to who waits.
    Standby,
}

/// `GET …/availability`: one entry a SKU; `available + held + confirmed = total` in one reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Availability {
    /// The SKUs.
    pub skus: Vec<SkuAvailability>,
    /// Milliseconds since 1970.
    pub as_of_ms: u64,
    /// Read from the ledger in one transaction, not from a cache.
    pub exact: bool,
}

/// The stock of one SKU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkuAvailability {
    /// Identifier.
    pub sku: String,
    /// Units released so far.
    pub total: u32,
    /// Units that can be held.
    pub available: u32,
    /// Units held or being paid.
    pub held: u32,
    /// Units sold.
    pub confirmed: u32,
}
