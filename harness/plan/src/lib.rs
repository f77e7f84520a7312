//! Everything a person writes in YAML: [`Workload`], chaos plan, target mapping; diagnostics that point at the line.

mod chaos;
mod inspect;
mod known;
mod schema;
mod target;
mod units;
mod workload;
mod yaml;

pub use chaos::ChaosPlan;
pub use inspect::inspect;
pub use known::Known;
pub use schema::schemas;
pub use target::*;
pub use workload::*;
pub use yaml::{Diagnostic, Diagnostics};
