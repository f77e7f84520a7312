//! Judges a history. [`check`] is a pure function: no clock, no network, no files.
//!
//! [`Facts`] are the history's joins, made once: leases, orders, charges, phases. A [`Rule`] reads them and returns a
//! [`Finding`]; [`RULES`] is the catalogue. Anomalies are told with [`Story`]. [`docs`] is the help page of a rule.

mod check;
mod evidence;
mod explain;
mod facts;
mod finding;
mod refusal;
mod rules;
mod story;
mod sweep;
mod verdict;

pub use check::check;
pub use explain::docs;
pub use facts::{At, Charge, Envelope, Facts, Groups, Interval, Lease, Order, Sighting};
pub use finding::Finding;
pub use rules::{RULES, Rule, rule};
pub use story::Story;
pub use verdict::{Anomaly, Bounds, Edge, RuleVerdict, Strength, Validity, Verdict, Witness};
