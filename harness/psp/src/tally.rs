//! What the provider's faults did so far, so that whoever asked for a fault can see whether it was felt.

use serde::Serialize;

/// Counts since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Payments that took the slow way.
    pub slow: u64,
    /// Confirmations declined.
    pub declined: u64,
    /// Payments failed for good.
    pub failed: u64,
    /// Payments that asked for an action.
    pub actions: u64,
    /// Webhooks never sent.
    pub dropped: u64,
    /// Webhooks sent a second time.
    pub duplicated: u64,
    /// Webhooks held back.
    pub delayed: u64,
    /// Webhooks let overtake.
    pub reordered: u64,
    /// Webhooks sent before the call was answered.
    pub early: u64,
    /// Forged webhooks sent.
    pub forged: u64,
    /// Stale webhooks sent.
    pub stale: u64,
    /// Captures of a wrong amount.
    pub wrong_amounts: u64,
    /// Answers lost.
    pub answers_lost: u64,
    /// Refunds that failed.
    pub refunds_failed: u64,
    /// Captures after a cancellation.
    pub captured_after_cancel: u64,
    /// Calls held up.
    pub calls_delayed: u64,
    /// Calls refused because the provider was down.
    pub calls_refused: u64,
}
