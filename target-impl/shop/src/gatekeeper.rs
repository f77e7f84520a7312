//! Who may pass from the waiting room to the gateway.

use crate::problem::Refusal;
use axum::http::HeaderMap;

/// A shopper whose ticket and token were checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The account.
    pub account: String,
    /// The checkout token's identifier, where one was asked for.
    pub token: Option<String>,
}

/// Checks tickets, tokens and devices. The waiting room implements it; tests may let everybody in.
pub trait Gatekeeper: Send + Sync {
    /// For `POST …/holds`: ticket, checkout token, device, velocity.
    fn admit(&self, event: &str, headers: &HeaderMap) -> Result<Principal, Refusal>;
    /// For everything else that a shopper does: the ticket says who it is; no checkout token is needed.
    fn identify(&self, headers: &HeaderMap) -> Result<Principal, Refusal>;
}
