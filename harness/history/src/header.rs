//! The facts a judge needs first.

use crate::Nanos;
use serde::{Deserialize, Serialize};

/// The head of a history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Header {
    /// Version of the format; readers refuse what they do not know.
    pub format: u32,
    /// Identifier of the run.
    pub run: String,
    /// Name of the workload.
    pub workload: String,
    /// Where the target was, and what it is.
    pub target: String,
    /// Version of the harness.
    pub harness: String,
    /// The seed of every random choice.
    pub seed: u64,
    /// Wall clock at [`Nanos::ZERO`], in nanoseconds since 1970, for correlation only.
    pub epoch_unix_ns: u64,
    /// The sale.
    pub sale: SaleFacts,
    /// Rules that must be exercised for the run to pass; the others may stay `NotExercised`.
    pub required: Vec<String>,
}

impl Header {
    /// The format that this version writes.
    pub const FORMAT: u32 = 1;
}

/// What was sold, and what the target promised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SaleFacts {
    /// Indexed by [`crate::SkuId`].
    pub skus: Vec<SkuFacts>,
    /// When holds are allowed from.
    pub opens: Nanos,
    /// Promised life of a hold.
    pub ttl: Nanos,
    /// τ: how much before its ttl a hold may end.
    pub earliness: Nanos,
    /// G: how long after its ttl a unit may stay away.
    pub grace: Nanos,
    /// ε: the bound on clock error between any two stamps.
    pub clock_error: Nanos,
    /// δ: how long after the answer of a release the unit may still be away.
    pub release_lag: Nanos,
    /// May a hold past its ttl still be confirmed?
    pub confirm: ConfirmPolicy,
    /// Does an accepted checkout keep the hold past its ttl until the payment is final?
    pub checkout_extends: bool,
    /// What becomes of money that arrives after the hold is gone.
    pub late_capture: LateCapture,
    /// What a refusal for lack of stock promises.
    pub sold_out: SoldOutPolicy,
    /// Units that an account may hold and own at once.
    pub account_limit: Option<u32>,
    /// Units that a payment instrument may hold and own at once.
    pub instrument_limit: Option<u32>,
    /// The waiting room, if there is one.
    pub queue: Option<QueueFacts>,
    /// Price of one unit in minor units (cents).
    pub price: u32,
    /// Lower-case ISO 4217.
    pub currency: String,
}

/// One SKU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SkuFacts {
    /// The target's name for it.
    pub name: String,
    /// Units in all.
    pub capacity: u32,
    /// K: counters the stock is spread over.
    pub shards: u32,
    /// What it is for.
    pub role: SkuRole,
    /// Releases of stock, earliest first, cumulative; empty means all from the start.
    #[serde(default)]
    pub waves: Vec<Wave>,
}

/// What a SKU is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkuRole {
    /// What the crowd wants.
    Hot,
    /// Few units, watched closely: makes per-lease rules exact.
    Canary,
    /// One seat.
    Seat,
}

/// From `at` on, `units` in all are for sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Wave {
    /// Since the run's epoch.
    pub at: Nanos,
    /// Cumulative.
    pub units: u32,
}

/// May a hold past its ttl be confirmed?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConfirmPolicy {
    /// No.
    Strict,
    /// Yes, if a unit can be had again.
    Reacquire,
}

/// What becomes of money that arrives after the hold is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LateCapture {
    /// It goes back.
    Refund,
    /// A unit is taken again if there is one, else it goes back.
    Rehold,
}

/// What a refusal for lack of stock promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SoldOutPolicy {
    /// There was an instant inside the call with too few units free.
    Exact,
    /// Each shard had too few at some instant inside the call.
    ShardLocal,
    /// Exact, up to this old.
    Stale(Nanos),
}

/// The waiting room.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct QueueFacts {
    /// Who is next.
    pub method: QueueMethod,
    /// Admissions a second.
    pub rate: f64,
    /// Admissions at once.
    pub burst: u32,
}

/// Who is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueueMethod {
    /// The one who joined first.
    Fifo,
    /// Chance, among those who joined before the draw; then first come.
    Lottery,
}

impl SkuFacts {
    /// C(t): units released by `at`; a wave counts from its very instant.
    pub fn released(&self, at: Nanos) -> u32 {
        if self.waves.is_empty() {
            return self.capacity;
        }
        self.waves.iter().take_while(|wave| wave.at <= at).last().map_or(0, |wave| wave.units)
    }
}
