//! Turns a [`Call`] into a request for this target, by its mapping, and an answer, or its absence, into an outcome.
//!
//! The only translator between the wire's opaque strings and a history's dense integers, and the only place that
//! decides what is definite. A mapping is compiled once a run ([`Client::compile`]); a worker has a [`Connection`], a
//! shopper is a [`Buyer`].
//!
//! What is definite: an answer is what the first fitting rule of the mapping says, and no more than the class allows. No
//! connection is `Unreachable`: nothing left. A connection that broke after the first byte, or an answer that did not
//! come in time, is indeterminate; so is an answer that no rule knows.

mod answer;
mod buyer;
mod call;
mod classify;
mod client;
mod compile;
mod connection;
mod context;
mod error;
mod pick;
mod probe;
mod provision;
mod send;
mod slot;
mod template;
mod token;
mod transport;

pub use buyer::Buyer;
pub use call::{Answer, Call, Token};
pub use client::Client;
pub use connection::{Connection, Gate};
pub use context::{RunContext, Secrets, sale_values};
pub use error::{CompileError, ProvisionError};
pub use probe::{Check, Probe, probe};
