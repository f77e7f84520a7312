//! Refunds.

use onsale_history::Nanos;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Money on its way back.
#[derive(Clone, Debug)]
pub(crate) struct Refund {
    pub(crate) id: String,
    pub(crate) intent: String,
    pub(crate) charge: String,
    pub(crate) amount: u32,
    pub(crate) currency: String,
    pub(crate) succeeded: bool,
    pub(crate) reason: Option<String>,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) created_unix: u64,
    pub(crate) created_at: Nanos,
}

impl Refund {
    /// `succeeded` or `failed`.
    pub(crate) fn status(&self) -> &'static str {
        if self.succeeded { "succeeded" } else { "failed" }
    }
    /// Stripe's object.
    pub(crate) fn json(&self) -> Value {
        json!({
            "id": self.id,
            "object": "refund",
            "amount": self.amount,
            "charge": self.charge,
            "created": self.created_unix,
            "currency": self.currency,
            "failure_reason": (!self.succeeded).then_some("unknown"),
            "metadata": self.metadata,
            "payment_intent": self.intent,
            "reason": self.reason,
            "status": self.status(),
        })
    }
}
