//! What can go wrong with the provider itself.

use onsale_history::RecordError;
use std::net::SocketAddr;

/// A failure of the provider, not of a payment.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is taken, or not ours.
    #[error("failed to listen on `{address}`")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The client for webhooks cannot be made.
    #[error("failed to set up the webhook client")]
    WebhookClient(#[source] reqwest::Error),
    /// A mark was not written: the ledger is no evidence any more.
    #[error("failed to mark what the provider did")]
    Mark(#[source] std::sync::Arc<RecordError>),
    /// Payments or webhooks went on for longer than the caller wanted to wait.
    #[error("{pending} payments or webhooks were still under way after {waited_ms} ms")]
    NotQuiet {
        /// How many.
        pending: usize,
        /// How long the wait was.
        waited_ms: u128,
    },
}
