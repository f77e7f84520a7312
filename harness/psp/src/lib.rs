//! The payment provider the harness owns: ledger, webhooks, faults.
//!
//! It speaks enough of Stripe's API that an unmodified Stripe SDK with another base URL works. Its ledger is trusted
//! evidence: every change of a charge or refund, and every attempt to deliver a webhook, is marked through the run's
//! [`onsale_history::Scribe`] at the instant it happens, before an answer or a webhook tells anybody.
//!
//! What differs from Stripe, on purpose:
//! - A confirmed intent is `processing` until its latency has passed, then `succeeded`; Stripe's cards capture at once.
//! - The metadata keys `attempt_id, hold_id, order_id, account, instrument` are read into the marks; `instrument` counts
//!   as the attached payment method when no `payment_method` is given.
//! - An intent that fails for good is `canceled` with the reason `automatic`, after a `payment_intent.payment_failed`.
//! - API versions, customers, Connect and manual capture are ignored.

mod config;
mod error;
mod knobs;
mod ledger;
mod provider;
mod signature;
mod tally;

mod books;
mod event;
mod fate;
mod form;
mod intent;
mod problem;
mod refund;

mod api;
mod delivery;
mod engine;
mod idempotency;

pub use config::{Config, Retry};
pub use error::Error;
pub use knobs::Knobs;
pub use ledger::{ChargeEntry, EventEntry, Ledger, RefundEntry};
pub use provider::Provider;
pub use signature::{Rejection, TOLERANCE, sign, verify};
pub use tally::Tally;
