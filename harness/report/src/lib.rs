//! Renders a verdict: text, JSON, JUnit, HTML, Markdown.
//!
//! [`Summary`] holds everything that any report shows; it is computed once, from the history, its verdict and the
//! [`RunFacts`], and written as `report.json`. The other formats are views of it and know nothing else, so that a report can
//! be rendered again, and two runs compared, from `report.json` alone. Nothing here judges, prints, or reads a clock.

pub mod exit;
mod json;
mod run_facts;
mod summary;
mod text;
mod words;

pub use exit::ExitCode;
pub use json::{json, read, schema, verdict_json};
pub use run_facts::{FaultFacts, LoadFacts, RunFacts, Threshold};
pub use summary::*;
pub use text::text;
