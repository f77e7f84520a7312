//! A target's mapping file: how its API means what a shopper wants, and how its answers are to be read.
//!
//! Text may have slots: `{{name}}`, `{{name?}}` (its header, parameter or member is left out when there is no value),
//! `{{name | int}}` (a JSON number), `{{name | json}}` (JSON as it is). A JSON object `{"$each": items, "as": …}` is a
//! list with one `as` for every item. What names mean:
//!
//! - the run: `run.id`, `target.url`, `psp.url`, `event`, `now`, `now+5m`, `uuid`, `secret.<name>`, `sale.…`
//! - the buyer: `buyer.id`, `buyer.account`, `buyer.device`, and what was captured by `extract`
//! - the call: `key`, `hold`, `order`, `charge`, `instrument`, `puzzle`, `token`, `cursor`, and inside `$each: items`
//!   `item.sku` and `item.quantity` (outside: of the first line)

mod check;
mod names;
mod operation;
mod pick;
mod rule;

pub use names::{ClassWord, OperationName, StateWord};
pub use operation::{
    Answers, Body, Capture, Graphql, HttpStep, Keyed, Lines, Operation, Paging, Poll, Scope,
};
pub use pick::{Amount, Pick};
pub use rule::{Condition, Predicate, Rule, Statuses};

use crate::units;
use crate::yaml::{self, Diagnostics};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// A validated mapping file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Target {
    /// Its name: the file name without `.yaml`.
    #[serde(skip)]
    pub name: String,
    /// Version of the form; this one is 1.
    pub version: u32,
    /// For people.
    #[serde(default)]
    pub description: String,
    /// Hosts that may be reached; loopback if none is named.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// What the target says it can do. What it does not say is not tested.
    #[serde(default)]
    pub capabilities: Capabilities,
    /// What the target promises in numbers.
    #[serde(default)]
    pub parameters: Parameters,
    /// Who takes the money, and how the target hears of it.
    #[serde(default)]
    pub payment: PaymentMode,
    /// How requests are sent.
    #[serde(default)]
    pub client: ClientBehaviour,
    /// Values from the environment; never stored, never printed.
    #[serde(default)]
    pub secrets: IndexMap<String, Secret>,
    /// Who asks.
    #[serde(default)]
    pub roles: IndexMap<String, Role>,
    /// Rules that follow those of every step; the first that fits decides.
    #[serde(default)]
    pub classify: Vec<Rule>,
    /// What the target calls the states of holds and orders.
    #[serde(default)]
    pub states: IndexMap<String, StateWord>,
    /// What a shopper wants, as requests.
    pub operations: IndexMap<OperationName, Operation>,
}

/// What a target can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "a list of what is there and what is not")]
pub struct Capabilities {
    /// Units are set aside for a time.
    pub hold: bool,
    /// Holds end by themselves.
    pub ttl: bool,
    /// Holds can be given back.
    pub release: bool,
    /// Holds can be made longer.
    pub extend: bool,
    /// Seats, each on its own.
    pub seats: bool,
    /// Stock comes in waves.
    pub waves: bool,
    /// A limit per account.
    pub account_limit: bool,
    /// A limit per payment instrument.
    pub instrument_limit: bool,
    /// A waiting room.
    pub queue: bool,
    /// A puzzle in front of it.
    pub proof_of_work: bool,
    /// Repeating a request with its key does it once.
    pub idempotency: Option<Idempotency>,
    /// Money goes back.
    pub refunds: bool,
    /// The target hears of payments by webhooks.
    pub webhooks: bool,
}

/// How a target knows a repeated request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Idempotency {
    /// The header that carries the key.
    pub header: String,
    /// What a known key with another body gets.
    #[serde(default)]
    pub other_body: OtherBody,
}

/// What a known key with another body gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OtherBody {
    /// A refusal.
    #[default]
    Refused,
    /// The first answer once more.
    Replayed,
}

/// What a target promises in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Parameters {
    /// Life of a hold, where it cannot be set.
    #[serde(with = "units::maybe_duration")]
    #[schemars(with = "units::MaybeDurationText")]
    pub hold_ttl: Option<Duration>,
    /// How long after the answer of a release a unit may stay away.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub release_lag: Duration,
    /// How long payments may take to settle.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub settle: Duration,
    /// How far its clock may be off.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub clock_leeway: Duration,
    /// How fresh what it says of its stock is.
    pub stock: StockReading,
}

/// How fresh a reading of the stock is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StockReading {
    /// True at an instant inside the call.
    Exact,
    /// True at most so long ago.
    Eventual(
        #[serde(with = "units::duration")]
        #[schemars(with = "units::DurationText")]
        Duration,
    ),
    /// Nobody says.
    #[default]
    Unknown,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            hold_ttl: None,
            release_lag: Duration::ZERO,
            settle: Duration::from_secs(10),
            clock_leeway: Duration::ZERO,
            stock: StockReading::Unknown,
        }
    }
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            hold: true,
            ttl: false,
            release: false,
            extend: false,
            seats: false,
            waves: false,
            account_limit: false,
            instrument_limit: false,
            queue: false,
            proof_of_work: false,
            idempotency: None,
            refunds: false,
            webhooks: false,
        }
    }
}

/// Who takes the money, and how the target hears of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PaymentMode {
    /// Nobody: a commit is a sale.
    #[default]
    None,
    /// The target, within the commit call.
    Sync,
    /// An admin call confirms it.
    AdminConfirm,
    /// The harness plays the provider; webhooks carry Stripe's signature.
    PspWebhook,
}

/// How requests are sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ClientBehaviour {
    /// How long an answer may take.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub timeout: Duration,
    /// How long a connection may take.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub connect_timeout: Duration,
    /// Connections are used again.
    pub keep_alive: bool,
    /// Longest answer that is read, in bytes.
    pub answer_bytes_max: u64,
    /// How often a call is repeated with its key, by the class of its answer.
    pub retries: IndexMap<ClassWord, u32>,
    /// `Retry-After` is heeded.
    pub retry_after: bool,
}

impl Default for ClientBehaviour {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(5),
            connect_timeout: Duration::from_secs(1),
            keep_alive: true,
            answer_bytes_max: 4 << 20,
            retries: IndexMap::new(),
            retry_after: true,
        }
    }
}

/// A value from the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Secret {
    /// The variable's name.
    pub env: String,
}

/// Who asks: where, with which headers, and how they show who they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Role {
    /// Where its requests go; `{{target.url}}` if not said.
    pub base: Option<String>,
    /// Headers of every request.
    pub headers: IndexMap<String, String>,
    /// How they show who they are.
    pub auth: Option<Auth>,
    /// Cookies are kept, one jar a buyer.
    pub cookies: bool,
    /// Steps before a buyer's first operation, for what they capture.
    pub login: Vec<HttpStep>,
}

/// How a role shows who it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Auth {
    /// `Authorization: Bearer …`.
    Bearer(String),
    /// `Authorization: Basic …`.
    Basic(Basic),
    /// A header of its own.
    Header(NamedValue),
    /// A parameter of the query string.
    Query(NamedValue),
}

/// A user and a password.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Basic {
    /// Who.
    pub user: String,
    /// A secret.
    pub password: String,
}

/// A name and a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct NamedValue {
    /// Of a header or a parameter.
    pub name: String,
    /// Text with slots.
    pub value: String,
}

impl Target {
    /// Reads a mapping: all mistakes at once, each with its place.
    pub fn parse(file: &Path, text: &str) -> Result<Self, Diagnostics> {
        let (mut target, mut check) = yaml::read::<Self>(&file.display().to_string(), text)?;
        target.name =
            file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        check::check(&target, &mut check);
        check.finish(target)
    }
}
