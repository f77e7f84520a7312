//! Everything a person writes in YAML: [`Workload`], chaos plan, target mapping; diagnostics that point at the line.

mod workload;

pub use workload::*;
