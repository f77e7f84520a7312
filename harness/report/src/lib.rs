//! Renders a verdict: text, JSON, JUnit, HTML, Markdown.
//!
//! [`Summary`] holds everything that any report shows; it is computed once, from the history, its verdict and the
//! [`RunFacts`], and written as `report.json`. The other formats are views of it and know nothing else, so that a report can
//! be rendered again, and two runs compared, from `report.json` alone. Nothing here judges, prints, or reads a clock.

mod compare;
pub mod exit;
mod html;
mod json;
mod junit;
mod markdown;
mod run_facts;
mod summary;
mod text;
mod words;

pub use compare::compare;
pub use exit::ExitCode;
pub use html::html;
pub use json::{ReadError, json, read, schema, verdict_json};
pub use junit::junit;
pub use markdown::markdown;
pub use run_facts::{FaultFacts, LoadFacts, RunFacts, Threshold};
pub use summary::*;
pub use text::text;
