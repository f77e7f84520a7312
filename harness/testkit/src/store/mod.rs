//! A simulated sale: one thread, simulated time, every choice from one seed.
//!
//! The shop keeps its stock in K counters that are probed one after the other, reaps late but within the grace, lets a
//! checkout keep its hold, refunds late money and answers a repeated key with the stored answer: all that the safe
//! reference may legally do. The world loses, delays and repeats requests, answers and webhooks. A [`crate::Defect`]
//! changes one decision.

mod orders;
mod plan;
mod protocol;
mod provider;
mod room;
mod session;
mod stock;
mod world;

pub use plan::Plan;
pub use protocol::simulate;
