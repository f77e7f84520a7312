//! A workload: the sale, who comes, how, and what is expected.
//!
//! Durations are written with a unit (`250ms`, `4s`, `2m`), rates as `500/s`, shares as `5%`, money as cents.
//! Everything has a default (`defaults.rs`); what contradicts itself is told by `check.rs`.

mod check;
mod defaults;

pub(crate) use check::steps as check_steps;

use crate::known::Known;
use crate::units;
use crate::yaml::{self, Diagnostics};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// A validated workload file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Workload {
    /// Its name: the file name without `.yaml`.
    #[serde(skip)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
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
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Sku {
    /// Identifier.
    pub name: String,
    /// Units in all.
    pub stock: u32,
    /// K: counters the stock is spread over.
    #[serde(default = "defaults::one")]
    pub shards: u32,
    /// Releases after the opening, cumulative; empty means all at the opening.
    #[serde(default)]
    pub waves: Vec<Wave>,
}

/// A release of stock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Wave {
    /// After the opening.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub after: Duration,
    /// Cumulative units.
    pub units: u32,
}

/// Canary SKUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Canaries {
    /// How many SKUs.
    pub count: u32,
    /// Units of each (1 to 4).
    pub stock: u32,
}

/// Holds: what the target promises, and what is tolerated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct HoldPolicy {
    /// Life of a hold.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub ttl: Duration,
    /// τ: how much earlier it may end.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub earliness: Duration,
    /// G: how long after its end a unit may stay away.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub grace: Duration,
    /// δ: how long after the answer of a release a unit may stay away.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub release_lag: Duration,
    /// What becomes of late money.
    pub late_capture: LateCapture,
    /// One hold an account at a time.
    pub one_hold: bool,
}

/// What becomes of money that arrives after the hold is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LateCapture {
    /// It goes back.
    Refund,
    /// A unit is taken again if there is one.
    Rehold,
}

/// The waiting room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Queue {
    /// Who is next.
    pub method: QueueMethod,
    /// Admissions a second.
    #[serde(with = "units::rate")]
    #[schemars(with = "units::RateText")]
    pub rate: f64,
    /// Admissions at once.
    pub batch: u32,
    /// How long before the opening tickets are given.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub opens_before: Duration,
    /// A shopper who does not ask for so long loses the position.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub abandon_after: Duration,
    /// Life of a checkout token.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub token_ttl: Duration,
    /// Between polls.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub poll_every: Duration,
    /// How tokens are signed.
    pub token: TokenAlgorithm,
}

/// Who is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueMethod {
    /// Who joined first.
    Fifo,
    /// Chance.
    Lottery,
}

/// How tokens are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TokenAlgorithm {
    /// Ed25519.
    #[serde(rename = "eddsa")]
    EdDsa,
    /// HMAC-SHA256.
    #[serde(rename = "hs256")]
    Hs256,
}

/// The puzzle in front of the waiting room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Puzzle {
    /// Which protocol.
    pub scheme: PuzzleScheme,
    /// v2: hash rounds a try.
    pub cost: u32,
    /// Highest number (v1) or counter (v2), exclusive.
    pub max_number: u32,
}

/// Which ALTCHA protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PuzzleScheme {
    /// None.
    None,
    /// v1.
    #[serde(rename = "altcha-v1")]
    AltchaV1,
    /// v2.
    #[serde(rename = "altcha-v2")]
    AltchaV2,
}

/// Who comes, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
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
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub timeout: Duration,
    /// Attacks of each kind at least.
    pub attacks: u32,
    /// How many buyers a barrier releases at once just before the commit point; 0 for none.
    pub barrier: u32,
    /// How long the load may take in all.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub limit: Duration,
    /// Open model, or closed (each worker begins the next shopper when one ends).
    pub model: Model,
}

/// Open or closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Arrivals do not wait for the target.
    Open,
    /// A fixed number of shoppers at a time.
    Closed,
}

/// One stretch of arrivals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Phase {
    /// How long.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub lasts: Duration,
    /// Its shape; shares of `shoppers` follow from the areas.
    pub shape: Arrival,
}

/// How sessions begin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Psp {
    /// Shortest and longest time from confirmation to capture.
    #[serde(with = "units::duration_range")]
    #[schemars(with = "units::RangeText")]
    pub latency: (Duration, Duration),
    /// Seldom: so long.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub slow: Duration,
    /// Share of slow payments.
    #[serde(with = "units::share")]
    #[schemars(with = "units::ShareText")]
    pub slow_share: f64,
    /// Declines that a second try may pass.
    #[serde(with = "units::share")]
    #[schemars(with = "units::ShareText")]
    pub decline: f64,
    /// Payments that fail for good.
    #[serde(with = "units::share")]
    #[schemars(with = "units::ShareText")]
    pub fail: f64,
    /// Webhooks never sent (until the reconciler asks).
    #[serde(with = "units::share")]
    #[schemars(with = "units::ShareText")]
    pub drop: f64,
    /// Webhooks sent twice.
    #[serde(with = "units::share")]
    #[schemars(with = "units::ShareText")]
    pub duplicate: f64,
    /// Webhooks held back.
    #[serde(with = "units::share")]
    #[schemars(with = "units::ShareText")]
    pub delay: f64,
    /// For how long.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub delay_by: Duration,
    /// Webhooks that overtake an earlier one.
    #[serde(with = "units::share")]
    #[schemars(with = "units::ShareText")]
    pub reorder: f64,
    /// Webhooks sent before the create call is answered.
    #[serde(with = "units::share")]
    #[schemars(with = "units::ShareText")]
    pub early: f64,
    /// Forged webhooks: so many are sent along.
    pub forged: u32,
    /// Webhooks with a stale signature: so many.
    pub stale: u32,
    /// Rightly signed webhooks with a wrong amount: so many.
    pub wrong_amount: u32,
    /// Create or confirm calls whose answer is lost after they took effect.
    #[serde(with = "units::share")]
    #[schemars(with = "units::ShareText")]
    pub answer_lost: f64,
    /// Refunds that fail at first.
    #[serde(with = "units::share")]
    #[schemars(with = "units::ShareText")]
    pub refund_fails: f64,
    /// Payments that are cancelled and captured all the same.
    #[serde(with = "units::share")]
    #[schemars(with = "units::ShareText")]
    pub capture_after_cancel: f64,
}

/// One step of a chaos plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Step {
    /// Name of the fault.
    pub fault: String,
    /// When.
    pub trigger: Trigger,
    /// How long it lasts; zero for an instant.
    #[serde(with = "units::duration", default)]
    #[schemars(with = "units::DurationText")]
    pub lasts: Duration,
}

/// When a fault begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// After the first arrival.
    At(
        #[serde(with = "units::duration")]
        #[schemars(with = "units::DurationText")]
        Duration,
    ),
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Expect {
    /// Rules that must be exercised; empty means every rule that the target's capabilities allow.
    pub rules: Vec<String>,
    /// Decisive occasions that each rule asks for, instead of its own number; for small workloads.
    pub occasions: Option<u32>,
    /// 99th percentile of the response time from the due time, at most.
    #[serde(with = "units::maybe_duration")]
    #[schemars(with = "units::MaybeDurationText")]
    pub p99: Option<Duration>,
    /// Share of the offered requests that must be sent in time.
    #[serde(with = "units::maybe_share")]
    #[schemars(with = "units::MaybeShareText")]
    pub achieved: Option<f64>,
    /// Largest share of operations that may stay unknown.
    #[serde(with = "units::maybe_share")]
    #[schemars(with = "units::MaybeShareText")]
    pub unknown: Option<f64>,
}

impl Workload {
    /// Reads a workload: all mistakes at once, each with its place. `known` are the names that may be used.
    pub fn parse(file: &Path, text: &str, known: &Known) -> Result<Self, Diagnostics> {
        let (mut workload, mut check) = yaml::read::<Self>(&file.display().to_string(), text)?;
        workload.name =
            file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        check::check(&workload, known, &mut check);
        check.finish(workload)
    }
}
