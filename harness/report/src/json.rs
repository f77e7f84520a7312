//! Reports for machines: `report.json`, its schema, and `verdict.json`.

use crate::{SCHEMA_VERSION, Summary};
use onsale_checker::Verdict;

/// A report that cannot be read back.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The text is not a report.
    #[error("failed to read a report")]
    Syntax(#[source] serde_json::Error),
    /// The report is of a version that this harness does not know.
    #[error("the report has schema version {found}; this harness reads {SCHEMA_VERSION}")]
    Version {
        /// What it says.
        found: u64,
    },
}

/// `report.json`.
pub fn json(summary: &Summary) -> String {
    pretty(summary)
}

/// Reads `report.json` back.
///
/// # Errors
/// When it is not one, or of another version.
pub fn read(text: &str) -> Result<Summary, ReadError> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(ReadError::Syntax)?;
    let found = value.get("schema_version").and_then(serde_json::Value::as_u64).unwrap_or(0);
    if found != u64::from(SCHEMA_VERSION) {
        return Err(ReadError::Version { found });
    }
    serde_json::from_value(value).map_err(ReadError::Syntax)
}

/// `verdict.json`: the same verdict gives the same bytes.
pub fn verdict_json(verdict: &Verdict) -> String {
    pretty(verdict)
}

/// The JSON Schema of `report.json`, as committed beside this crate.
pub fn schema() -> String {
    pretty(&schemars::schema_for!(Summary))
}

fn pretty(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("no map has keys that are not strings");
    text + "\n"
}
