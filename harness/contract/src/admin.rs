//! `PUT /v1/admin/events/{event}` and `GET …/ledger`, for test installations. Needs `Authorization: Bearer <admin key>`.

use super::challenge::PuzzleScheme;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A sale, whole. `PUT` twice with the same body changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventConfig {
    /// Name.
    pub title: String,
    /// Price of one unit in minor units.
    pub price: u32,
    /// Lower-case ISO 4217.
    pub currency: String,
    /// Milliseconds since 1970.
    pub sale_opens_at_ms: u64,
    /// Milliseconds since 1970; tickets are given from then on.
    pub queue_opens_at_ms: u64,
    /// What is sold.
    pub skus: Vec<SkuConfig>,
    /// Promised life of a hold.
    pub hold_ttl_ms: u64,
    /// One hold an account at a time (`already-holding`), or as many as the limit allows.
    pub one_hold: bool,
    /// Units that an account may hold and own at once.
    pub account_limit: u32,
    /// Units that an instrument may hold and own at once.
    pub instrument_limit: u32,
    /// What becomes of money that arrives after the hold is gone.
    pub late_capture: LateCapture,
    /// The waiting room; without it nobody needs a token.
    pub queue: Option<QueueConfig>,
    /// The puzzle in front of the waiting room.
    pub puzzle: PuzzleConfig,
}

/// One SKU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SkuConfig {
    /// Identifier.
    pub sku: String,
    /// Units in all.
    pub stock: u32,
    /// K: counters the stock is spread over; the remainder is on shard 0.
    pub shards: u32,
    /// Releases, cumulative; empty means all at the opening.
    #[serde(default)]
    pub waves: Vec<WaveConfig>,
    /// It is a seat.
    #[serde(default)]
    pub seat: bool,
}

/// From `at_ms` on, `units` in all are for sale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WaveConfig {
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// Cumulative.
    pub units: u32,
}

/// What becomes of money that arrives after the hold is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LateCapture {
    /// It goes back.
    Refund,
    /// A unit is taken again if there is one, else it goes back.
    Rehold,
}

/// The waiting room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QueueConfig {
    /// Who is next.
    pub method: QueueMethod,
    /// Admissions a second.
    pub rate_per_s: f64,
    /// Admissions at once.
    pub batch: u32,
    /// Positions at most.
    pub capacity: u64,
    /// A shopper who does not ask for so long loses the position.
    pub abandon_after_ms: u64,
    /// Life of a checkout token.
    pub token_ttl_ms: u64,
    /// Seconds between polls, as told to shoppers.
    pub refresh_interval_s: f64,
    /// How checkout tokens are signed.
    pub token_algorithm: TokenAlgorithm,
}

/// Who is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueMethod {
    /// Who joined first.
    Fifo,
    /// Chance among those who joined before the opening; then first come.
    Lottery,
}

/// How checkout tokens are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum TokenAlgorithm {
    /// Ed25519.
    EdDSA,
    /// HMAC-SHA256.
    HS256,
}

/// The puzzle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PuzzleConfig {
    /// Which protocol.
    pub scheme: PuzzleScheme,
    /// v2: hash rounds a try. Ignored by v1.
    pub cost: u32,
    /// v1: the number is below this. v2: the counter that solves it is below this.
    pub max_number: u32,
    /// Life of a puzzle.
    pub ttl_ms: u64,
}

/// `GET …/ledger?cursor=…`: the target's testimony.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LedgerPage {
    /// Holds, in the order of their making.
    pub holds: Vec<LedgerHold>,
    /// Give it back as `cursor` for more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// One hold with all that belongs to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LedgerHold {
    /// The hold.
    pub hold_id: String,
    /// Whose.
    pub account: String,
    /// Its state, as in the ledger.
    pub state: String,
    /// Its lines.
    pub items: Vec<super::hold::HoldItem>,
    /// Its order, if any.
    pub order_id: Option<String>,
    /// Its payment attempts: provider's reference and state.
    pub payments: Vec<(String, String)>,
    /// Milliseconds since 1970.
    pub created_at_ms: u64,
    /// Milliseconds since 1970.
    pub expires_at_ms: u64,
}
