//! Joins that every rule reads, made once.

mod charge;
mod envelope;
mod groups;
mod lease;
mod order;
mod prepare;
mod sighting;
mod words;

pub use charge::Charge;
pub(crate) use envelope::Ghost;
pub use envelope::{Envelope, Interval};
pub use groups::Groups;
pub use lease::Lease;
pub use order::Order;
pub(crate) use order::is_over;
pub(crate) use prepare::SaleTimes;
pub use prepare::{At, Facts};
pub use sighting::Sighting;
pub(crate) use words::millis;
