//! What is taken out of an answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One value of an answer: exactly one of the sources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Pick {
    /// A JSONPath (RFC 9535) into the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
    /// A header's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// A cookie that the answer sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cookie: Option<String>,
    /// A regular expression on the `Location` header; its first group, or all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// A regular expression on the body; its first group, or all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Factor for numbers, to get milliseconds out of seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<f64>,
}

/// A number out of several fields: the sum of `plus`, less the sum of `minus`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Amount {
    /// Paths (`$.total`), from the item on.
    pub plus: Vec<String>,
    /// Paths (`$.total`), from the item on.
    pub minus: Vec<String>,
}

impl Pick {
    /// Names of the sources that are given.
    pub fn sources(&self) -> Vec<(&'static str, &str)> {
        [
            ("json", &self.json),
            ("header", &self.header),
            ("cookie", &self.cookie),
            ("location", &self.location),
            ("text", &self.text),
        ]
        .into_iter()
        .filter_map(|(name, source)| source.as_deref().map(|source| (name, source)))
        .collect()
    }
}
