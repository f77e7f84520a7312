//! Histories for tests: a simulated sale with switchable defects, and an exhaustive oracle.
//!
//! [`simulate`] plays a whole sale in simulated time and yields the [`onsale_history::History`] that a harness would have
//! written; [`Plan`] says what is sold and how unkind the world is, [`Defect`] which bug the shop has. [`Oracle`] decides by
//! exhaustion whether a small history of one SKU has any legal explanation. Nothing here judges; the tests compare.

mod defect;
mod oracle;
mod small;
mod store;

pub use defect::Defect;
pub use oracle::{Claim, Oracle, Promise};
pub use small::{Small, small_history};
pub use store::{Plan, simulate};
