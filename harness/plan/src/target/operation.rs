//! Operations: steps, what is captured on the way, and what the last answer tells.

use super::{Amount, Pick, Rule};
use crate::units;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Operation {
    /// Who asks.
    #[serde(default = "buyer")]
    pub role: String,
    /// Requests, in order. One step is the commit point: the one marked, or the only one.
    pub steps: Vec<HttpStep>,
    /// What the acknowledging answer tells.
    #[serde(default)]
    pub answer: Answers,
    /// A list in the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
}

fn buyer() -> String {
    "buyer".to_owned()
}

/// One request and how its answer is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HttpStep {
    /// `POST /v1/orders`: method and path, or method and whole URL.
    pub request: String,
    /// Who asks, where it is not who asks in the operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Headers, besides those of the role.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, String>,
    /// The query string.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub query: IndexMap<String, String>,
    /// The body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
    /// What is captured, by the name it can be used by.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub extract: IndexMap<String, Capture>,
    /// What answers mean, before the mapping's own rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classify: Vec<Rule>,
    /// This request takes effect: barriers wait before it, and the operation begins with it.
    #[serde(default)]
    pub commit: bool,
    /// This answer is the operation's answer; the last step's if none is marked.
    #[serde(default)]
    pub acknowledge: bool,
    /// So many redirects are followed; 0 leaves them to the rules.
    #[serde(default)]
    pub redirects: u8,
    /// Ask again until something holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poll: Option<Poll>,
    /// How long this answer may take.
    #[serde(default, with = "units::maybe_duration", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "units::MaybeDurationText")]
    pub timeout: Option<Duration>,
}

/// What a request carries. All values are text with slots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// JSON; `{{quantity | int}}` alone in a text is a number.
    Json(serde_json::Value),
    /// `application/x-www-form-urlencoded`.
    Form(IndexMap<String, String>),
    /// A GraphQL document with its variables.
    Graphql(Graphql),
}

/// A GraphQL request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Graphql {
    /// The document, sent as it is.
    pub query: String,
    /// Its variables, with slots.
    #[serde(default)]
    pub variables: serde_json::Value,
}

/// One captured value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Capture {
    /// Where it is.
    pub from: Pick,
    /// What it is if it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// An `ok` answer without it is not understood.
    #[serde(default)]
    pub required: bool,
    /// How long it is known.
    #[serde(default)]
    pub scope: Scope,
    /// It belongs to one hold, order or charge, and is found again by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<Keyed>,
}

/// How long a captured value is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Until the operation ends.
    #[default]
    Operation,
    /// As long as the buyer.
    Buyer,
    /// By everybody, until the run ends.
    Run,
}

/// What a captured value belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Keyed {
    /// The hold of the answer.
    Hold,
    /// The order of the answer.
    Order,
    /// The charge of the answer.
    Charge,
}

/// Asking again until something holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Poll {
    /// Until this holds.
    pub until: super::Condition,
    /// So often.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub every: Duration,
    /// At most so long.
    #[serde(with = "units::duration")]
    #[schemars(with = "units::DurationText")]
    pub timeout: Duration,
}

/// What an answer tells, each by its place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Answers {
    /// The hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<Pick>,
    /// The order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Pick>,
    /// The payment attempt, as the provider calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charge: Option<Pick>,
    /// The state, in the target's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Pick>,
    /// Position (join, poll), time to live in ms (hold).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Pick>,
    /// How many are before a shopper who is `queued`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Pick>,
    /// The puzzle is the whole answer, as JSON.
    pub challenge: bool,
}

/// A list of orders or of stock in an answer. Paths begin at the item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Lines {
    /// JSONPath of the items.
    pub each: String,
    /// JSONPath of the lines in an item, where it has several (SKUs of an order).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// The order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// Its hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<String>,
    /// Its state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The SKU; from the line on, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sku: Option<String>,
    /// Units; from the line on, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<String>,
    /// Units in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<Amount>,
    /// Units free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available: Option<Amount>,
    /// Units set aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Amount>,
    /// Units sold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Amount>,
    /// How the rest is got.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paging: Option<Paging>,
}

/// How the rest of a list is got. The step uses `{{cursor?}}` (or the URL is given by the answer).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Paging {
    /// JSONPath of the next cursor; its absence is the end.
    Cursor(String),
    /// `{{cursor}}` counts items; a page with fewer than so many is the last.
    Offset(u32),
    /// JSONPath of the next page's URL; its absence is the end.
    Next(String),
}
