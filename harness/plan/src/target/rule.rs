//! What an answer means: ordered rules, the first that fits decides.

use super::{ClassWord, Pick};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Either `when` with `is`, or `by` with `cases`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Rule {
    /// All that is said here must hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// Then it means this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<ClassWord>,
    /// A value that decides (an error code).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Pick>,
    /// What its values mean; any other value is for the next rule.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub cases: IndexMap<String, ClassWord>,
}

/// What must hold of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Condition {
    /// `200`, `2xx`, `[400, 409]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Statuses>,
    /// Predicates on JSON; all must hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub json: Vec<Predicate>,
    /// Header values (regular expressions).
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, String>,
    /// The body has this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// The body matches this regular expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<String>,
}

/// One status or several: `200`, `2xx`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Statuses {
    /// One.
    Code(u16),
    /// A hundred of them: `2xx`.
    Family(String),
    /// Several.
    Any(Vec<Statuses>),
}

/// What must hold of what a JSONPath finds; without a comparison, that it finds something.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Predicate {
    /// The JSONPath.
    pub path: String,
    /// It is this value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<serde_json::Value>,
    /// It is one of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<serde_json::Value>,
    /// It is text that matches this regular expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<String>,
    /// It is there (`true`) or not (`false`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
}
