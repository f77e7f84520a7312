//! A workload: the sale, who comes, how, and what is expected.
//!
//! Durations are written with a unit (`250ms`, `4s`, `2m`), rates as `500/s`, shares as `5%`, money as cents.

use indexmap::IndexMap;
use std::time::Duration;

/// A validated workload file.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Its name: the file name without `.yaml`.
    pub name: String,
    /// For people.
    pub description: String,
    /// What is sold.
    pub sale: Sale,
    /// Who comes, and how.
    pub load: Load,
    /// How the payment provider behaves.
    pub psp: Psp,
    /// What is broken while the sale goes on.
    pub chaos: Vec<Step>,
    /// What must come out.
    pub expect: Expect,
    /// The target's mapping file, relative to the workload's file.
    pub target: String,
}

/// What is sold.
#[derive(Clone, Debug, PartialEq)]
pub struct Sale {
    /// Identifier of the event; made unique a run.
    pub event: String,
    /// Name.
    pub title: String,
    /// Price of one unit in minor units.
    pub price: u32,
    /// Lower-case ISO 4217.
    pub currency: String,
    /// From the first arrival to the opening of the sale; early shoppers queue.
    pub opens_after: Duration,
    /// The hot SKUs.
    pub skus: Vec<Sku>,
    /// Seats, each a SKU with stock 1.
    pub seats: u32,
    /// SKUs with few units that are watched closely.
    pub canaries: Canaries,
    /// Holds.
    pub hold: HoldPolicy,
    /// Units that an account may have.
    pub account_limit: u32,
    /// Units that a card may have.
    pub instrument_limit: u32,
    /// The waiting room.
    pub queue: Option<Queue>,
    /// The puzzle.
    pub puzzle: Puzzle,
}

/// A hot SKU.
#[derive(Clone, Debug, PartialEq)]
pub struct Sku {
    /// Identifier.
    pub name: String,
    /// Units in all.
    pub stock: u32,
    /// K: counters the stock is spread over.
    pub shards: u32,
    /// Releases after the opening, cumulative; empty means all at the opening.
    pub waves: Vec<Wave>,
}

/// A release of stock.
#[derive(Clone, Debug, PartialEq)]
pub struct Wave {
    /// After the opening.
    pub after: Duration,
    /// Cumulative units.
    pub units: u32,
}

/// Canary SKUs.
#[derive(Clone, Debug, PartialEq)]
pub struct Canaries {
    /// How many SKUs.
    pub count: u32,
    /// Units of each (1 to 4).
    pub stock: u32,
}

/// Holds: what the target promises, and what is tolerated.
#[derive(Clone, Debug, PartialEq)]
pub struct HoldPolicy {
    /// Life of a hold.
    pub ttl: Duration,
    /// τ: how much earlier it may end.
    pub earliness: Duration,
    /// G: how long after its end a unit may stay away.
    pub grace: Duration,
    /// δ: how long after the answer of a release a unit may stay away.
    pub release_lag: Duration,
    /// What becomes of late money.
    pub late_capture: LateCapture,
    /// One hold an account at a time.
    pub one_hold: bool,
}

/// What becomes of money that arrives after the hold is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateCapture {
    /// It goes back.
    Refund,
    /// A unit is taken again if there is one.
    Rehold,
}

/// The waiting room.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Who is next.
    pub method: QueueMethod,
    /// Admissions a second.
    pub rate: f64,
    /// Admissions at once.
    pub batch: u32,
    /// How long before the opening tickets are given.
    pub opens_before: Duration,
    /// A shopper who does not ask for so long loses the position.
    pub abandon_after: Duration,
    /// Life of a checkout token.
    pub token_ttl: Duration,
    /// Between polls.
    pub poll_every: Duration,
    /// How tokens are signed.
    pub token: TokenAlgorithm,
}

/// Who is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueMethod {
    /// Who joined first.
    Fifo,
    /// Chance.
    Lottery,
}

/// How tokens are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenAlgorithm {
    /// Ed25519.
    EdDsa,
    /// HMAC-SHA256.
    Hs256,
}

/// The puzzle in front of the waiting room.
#[derive(Clone, Debug, PartialEq)]
pub struct Puzzle {
    /// Which protocol.
    pub scheme: PuzzleScheme,
    /// v2: hash rounds a try.
    pub cost: u32,
    /// Highest number (v1) or counter (v2), exclusive.
    pub max_number: u32,
}

/// Which ALTCHA protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PuzzleScheme {
    /// None.
    None,
    /// v1.
    AltchaV1,
    /// v2.
    AltchaV2,
}

/// Who comes, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Shoppers in all.
    pub shoppers: u32,
    /// When they arrive.
    pub arrival: Vec<Phase>,
    /// Weights of the personas, by name; order matters for the seed.
    pub personas: IndexMap<String, u32>,
    /// Goose users (workers, connections).
    pub workers: u32,
    /// Threads that solve puzzles.
    pub puzzle_threads: u32,
    /// How long an answer may take.
    pub timeout: Duration,
    /// Attacks of each kind at least.
    pub attacks: u32,
    /// How many buyers a barrier releases at once just before the commit point; 0 for none.
    pub barrier: u32,
    /// How long the load may take in all.
    pub limit: Duration,
    /// Open model, or closed (each worker begins the next shopper when one ends).
    pub model: Model,
}

/// Open or closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Arrivals do not wait for the target.
    Open,
    /// A fixed number of shoppers at a time.
    Closed,
}

/// One stretch of arrivals.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// How long.
    pub lasts: Duration,
    /// Its shape; shares of `shoppers` follow from the areas.
    pub shape: Arrival,
}

/// How sessions begin.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrival {
    /// Evenly, at a relative rate.
    Constant(f64),
    /// From one relative rate to another.
    Ramp(f64, f64),
    /// At random (exponential gaps) with a mean relative rate.
    Poisson(f64),
    /// A spike: everything within 200 ms at a relative rate.
    Spike(f64),
}

/// How the payment provider behaves. Shares are 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Psp {
    /// Shortest and longest time from confirmation to capture.
    pub latency: (Duration, Duration),
    /// Seldom: so long.
    pub slow: Duration,
    /// Share of slow payments.
    pub slow_share: f64,
    /// Declines that a second try may pass.
    pub decline: f64,
    /// Payments that fail for good.
    pub fail: f64,
    /// Webhooks never sent (until the reconciler asks).
    pub drop: f64,
    /// Webhooks sent twice.
    pub duplicate: f64,
    /// Webhooks held back.
    pub delay: f64,
    /// For how long.
    pub delay_by: Duration,
    /// Webhooks that overtake an earlier one.
    pub reorder: f64,
    /// Webhooks sent before the create call is answered.
    pub early: f64,
    /// Forged webhooks: so many are sent along.
    pub forged: u32,
    /// Webhooks with a stale signature: so many.
    pub stale: u32,
    /// Rightly signed webhooks with a wrong amount: so many.
    pub wrong_amount: u32,
    /// Create or confirm calls whose answer is lost after they took effect.
    pub answer_lost: f64,
    /// Refunds that fail at first.
    pub refund_fails: f64,
}

/// One step of a chaos plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Name of the fault.
    pub fault: String,
    /// When.
    pub trigger: Trigger,
    /// How long it lasts; zero for an instant.
    pub lasts: Duration,
}

/// When a fault begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// After the first arrival.
    At(Duration),
    /// When fewer units of the hot SKUs are free.
    StockBelow(u32),
    /// When so many holds were granted.
    Holds(u32),
    /// Between the admission of a hold and its commit, for the nth hold.
    BetweenAdmitAndCommit(u32),
    /// At the first refusal for lack of stock.
    FirstSoldOut,
}

/// What must come out.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// Rules that must be exercised; empty means every rule that the target's capabilities allow.
    pub rules: Vec<String>,
    /// 99th percentile of the response time from the due time, at most.
    pub p99: Option<Duration>,
    /// Share of the offered requests that must be sent in time.
    pub achieved: Option<f64>,
    /// Largest share of operations that may stay unknown.
    pub unknown: Option<f64>,
}
