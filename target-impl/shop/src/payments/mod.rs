//! Payments: the provider's API, and its webhooks.

mod provider;
pub mod webhook;

pub use provider::{Intent, IntentStatus, Provider, ProviderError, RefundAnswer};
