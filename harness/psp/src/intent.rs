//! Stripe's `PaymentIntent`s.

use crate::fate::{Draw, Fate};
use onsale_history::Nanos;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Where a payment is. `succeeded` and `canceled` are final, but for the faults that break that promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    RequiresPaymentMethod,
    RequiresConfirmation,
    RequiresAction,
    Processing,
    Succeeded,
    Cancelled,
}

impl Status {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::RequiresPaymentMethod => "requires_payment_method",
            Self::RequiresConfirmation => "requires_confirmation",
            Self::RequiresAction => "requires_action",
            Self::Processing => "processing",
            Self::Succeeded => "succeeded",
            Self::Cancelled => "canceled",
        }
    }
}

/// How a confirmed payment will end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Capture,
    Fail,
}

/// A confirmation under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settling {
    pub(crate) confirmation: u64,
    pub(crate) ending: Ending,
}

/// One payment.
#[derive(Clone, Debug)]
pub(crate) struct Intent {
    pub(crate) id: String,
    pub(crate) fate: Fate,
    pub(crate) client_secret: String,
    pub(crate) status: Status,
    pub(crate) amount: u32,
    pub(crate) received: u32,
    pub(crate) refunded: u32,
    pub(crate) currency: String,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) payment_method: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) confirmations: u64,
    /// The confirmation under way; a cancellation ends it, unless a fault lets it go on.
    pub(crate) settling: Option<Settling>,
    pub(crate) events: u64,
    pub(crate) refunds: u64,
    pub(crate) answers: u64,
    pub(crate) declined: bool,
    pub(crate) created_unix: u64,
    pub(crate) created_at: Nanos,
    pub(crate) captured_at: Option<Nanos>,
    pub(crate) cancelled_unix: Option<u64>,
    pub(crate) cancellation_reason: Option<String>,
}

impl Intent {
    /// The payment with this number.
    pub(crate) fn identity(fate: Fate) -> (String, String) {
        let id = format!(
            "pi_{:016x}{:08x}",
            fate.bits(Draw::Identity, 0),
            fate.bits(Draw::Identity, 1) >> 32
        );
        let secret = format!("{id}_secret_{:016x}", fate.bits(Draw::Secret, 0));
        (id, secret)
    }
    /// The charge that a capture of this payment makes.
    pub(crate) fn charge(&self) -> String {
        self.id.replacen("pi_", "ch_", 1)
    }
    /// What can still be given back.
    pub(crate) fn refundable(&self) -> u32 {
        self.received - self.refunded
    }
    /// What the target wrote under a metadata key.
    pub(crate) fn meta(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).map(String::as_str)
    }
    /// Stripe's object.
    pub(crate) fn json(&self) -> Value {
        let charge = (self.confirmations > 0).then(|| self.charge());
        let metadata: Map<String, Value> =
            self.metadata.iter().map(|(k, v)| (k.clone(), Value::from(v.as_str()))).collect();
        json!({
            "id": self.id,
            "object": "payment_intent",
            "amount": self.amount,
            "amount_capturable": 0,
            "amount_received": self.received,
            "canceled_at": self.cancelled_unix,
            "cancellation_reason": self.cancellation_reason,
            "capture_method": "automatic",
            "client_secret": self.client_secret,
            "confirmation_method": "automatic",
            "created": self.created_unix,
            "currency": self.currency,
            "customer": null,
            "description": self.description,
            "last_payment_error": self.declined.then(|| json!({
                "type": "card_error",
                "code": "card_declined",
                "decline_code": "generic_decline",
                "message": "Your card was declined.",
            })),
            "latest_charge": charge,
            "livemode": false,
            "metadata": metadata,
            "next_action": (self.status == Status::RequiresAction).then(|| json!({
                "type": "use_stripe_sdk",
                "use_stripe_sdk": { "type": "three_d_secure_redirect" },
            })),
            "payment_method": self.payment_method,
            "payment_method_types": ["card"],
            "status": self.status.word(),
        })
    }
    /// What the events about refunds carry.
    pub(crate) fn charge_json(&self) -> Value {
        json!({
            "id": self.charge(),
            "object": "charge",
            "amount": self.amount,
            "amount_captured": self.received,
            "amount_refunded": self.refunded,
            "captured": self.received > 0,
            "created": self.created_unix,
            "currency": self.currency,
            "livemode": false,
            "metadata": self.metadata,
            "paid": self.received > 0,
            "payment_intent": self.id,
            "refunded": self.refunded > 0 && self.refundable() == 0,
            "status": "succeeded",
        })
    }
}
