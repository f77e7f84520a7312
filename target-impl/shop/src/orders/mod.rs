//! The order queue: what admission let through, on its way to the ledger.
//!
//! An intent is in the queue before T1 sees it, and leaves it after T1's commit; the hold's identifier makes a second
//! delivery harmless. [`OrderQueue`] is the port; [`LocalQueue`] the adapter in this process.

mod consumer;
mod local;

pub use consumer::{Consumer, Waiters, Written};
pub use local::LocalQueue;

use crate::ledger::HoldCommand;
use futures_util::future::BoxFuture;

/// The port. A lane is a partition: what is in one lane is handled in order, a batch at a time.
pub trait OrderQueue: Send + Sync {
    /// How many lanes there are.
    fn lanes(&self) -> usize;
    /// Appends an intent; it is safe when this returns.
    fn append(&self, lane: usize, intent: HoldCommand) -> BoxFuture<'_, Result<(), QueueError>>;
    /// Waits for intents and gives at most `most`; nothing once the queue is closed and empty. What was given before
    /// counts as handled.
    fn receive(&self, lane: usize, most: usize) -> BoxFuture<'_, Vec<HoldCommand>>;
    /// Takes nothing more in.
    fn close(&self);
}

/// Why an intent is not in the queue.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum QueueError {
    /// Too many are waiting.
    #[error("the order queue's lane {0} is full")]
    Full(usize),
    /// It takes nothing more in.
    #[error("the order queue is closed")]
    Closed,
}
