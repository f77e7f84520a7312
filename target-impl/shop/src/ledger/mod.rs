//! The ledger: the only truth about stock, holds and money. Everything else may lie, lag or forget.
//!
//! [`Ledger`] is the port, [`SqliteLedger`] the embedded adapter. Each method is one transaction of the design (T1 to
//! T7); its answer is given after the commit. Lock order everywhere: buckets (sorted), holds, quota (sorted).

mod lease_clock;
mod model;
mod sqlite;

pub use lease_clock::LeaseClock;
pub use model::{
    Attempt, BucketState, Checkout, Configured, Granted, HoldCommand, HoldLine, HoldRecord, Marked,
    OrderRecord, Outcome, OutcomeKind, OutcomeVerdict, PayCommand, PayVerdict, Rebuilt, Refund,
    Release, RemoveVerdict, Removed, SkuCount, State, Verdict,
};
pub use sqlite::SqliteLedger;

use crate::admission::Bucket;
use futures_util::future::BoxFuture;
use onsale_contract::admin::{EventConfig, LedgerPage};
use onsale_contract::problem::ErrorCode;

/// The port.
pub trait Ledger: Send + Sync {
    /// Every stored event.
    fn events(&self) -> Answer<'_, Vec<(String, EventConfig)>>;
    /// Stores an event and makes its buckets. The same again changes nothing.
    fn configure(&self, event: String, config: EventConfig, wall_ms: u64)
    -> Answer<'_, Configured>;
    /// Raises the caps of what is due by `wall_ms`; gives the buckets that grew, epoch raised.
    fn release_waves(&self, wall_ms: u64) -> Answer<'_, Vec<Bucket>>;
    /// T1, for a batch. One verdict each, in order.
    fn hold(&self, batch: Vec<HoldCommand>) -> Answer<'_, Vec<Verdict>>;
    /// The verdict that was told for a hold, if any.
    fn recall(&self, hold_id: String, body_hash: String) -> Answer<'_, Option<Verdict>>;
    /// Units that an account has; for the defect that looks first and acts later.
    fn account_units(&self, event: String, account: String) -> Answer<'_, u32>;
    /// T2.
    fn pay(&self, command: PayCommand) -> Answer<'_, PayVerdict>;
    /// The provider has made the payment.
    fn attach(&self, attempt_id: String, psp_ref: String, client_secret: String) -> Answer<'_, ()>;
    /// T3.
    fn outcome(&self, outcome: Outcome) -> Answer<'_, OutcomeVerdict>;
    /// T4: at most `most` holds whose time is over.
    fn expire(&self, most: u32) -> Answer<'_, Vec<Removed>>;
    /// Gives a HELD hold back.
    fn cancel_hold(&self, hold_id: String, account: String) -> Answer<'_, RemoveVerdict>;
    /// The buyer asks to cancel an order: when its payment is cancelled, the hold will be CANCELLED.
    fn mark_cancelling(&self, order_id: String, account: String) -> Answer<'_, Marked>;
    /// T5: payments whose money is to go back.
    fn refunds_due(&self, most: u32) -> Answer<'_, Vec<Refund>>;
    /// T5: a refund is done, or failed for good and the next one is to be tried.
    fn refunded(&self, attempt_id: String, number: u32, done: bool) -> Answer<'_, ()>;
    /// T6: attempts to look at now.
    fn attempts_due(&self, most: u32) -> Answer<'_, Vec<Attempt>>;
    /// T6: looked at; look again later.
    fn attempt_seen(&self, attempt_id: String) -> Answer<'_, ()>;
    /// T7: raises a bucket's epoch if it is `seen` (any, if none is given); gives what the store must know.
    fn rebuild(&self, bucket: Bucket, seen: Option<u64>) -> Answer<'_, Option<Rebuilt>>;
    /// Releases that the store has not confirmed.
    fn outbox(&self, most: u32) -> Answer<'_, Vec<(i64, Release)>>;
    /// Those are done.
    fn outbox_done(&self, ids: Vec<i64>) -> Answer<'_, ()>;
    /// Every bucket, for the audit.
    fn buckets(&self) -> Answer<'_, Vec<BucketState>>;
    /// Ids of every hold with a verdict, for the memory of repeats.
    fn told(&self) -> Answer<'_, Vec<String>>;
    /// One hold.
    fn find_hold(&self, hold_id: String) -> Answer<'_, Option<HoldRecord>>;
    /// One order.
    fn find_order(&self, order_id: String) -> Answer<'_, Option<OrderRecord>>;
    /// An account's orders after a place in the list.
    fn orders_of(&self, account: String, after: i64, most: u32) -> Answer<'_, Vec<OrderRecord>>;
    /// The stock of an event, in one transaction.
    fn counts(&self, event: String) -> Answer<'_, Vec<SkuCount>>;
    /// The target's testimony after a place in the list.
    fn testimony(&self, event: String, after: i64, most: u32) -> Answer<'_, LedgerPage>;
}

/// What a transaction answers, after its commit.
pub type Answer<'a, R> = BoxFuture<'a, Result<R, LedgerError>>;

/// Why nobody knows whether a transaction happened, or why it did not.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A statement failed; the transaction was rolled back.
    #[error("failed to run a transaction of the ledger")]
    Statement(#[source] rusqlite::Error),
    /// The commit failed: it may or may not have happened.
    #[error("failed to commit to the ledger: {0}")]
    Commit(String),
    /// What is stored cannot be read.
    #[error("failed to read the configuration of event `{event}` from the ledger")]
    Config {
        /// The event.
        event: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The ledger has stopped.
    #[error("the ledger has stopped")]
    Stopped,
}

/// A refusal that the ledger tells and keeps.
pub(crate) fn code_of(reason: &str) -> ErrorCode {
    match reason {
        "already-holding" => ErrorCode::AlreadyHolding,
        _ => ErrorCode::LimitExceeded,
    }
}
