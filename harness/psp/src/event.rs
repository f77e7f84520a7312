//! Events: what webhooks carry and `/v1/events` lists.

use onsale_history::{DeliveryKind, DeliveryLabel, Nanos};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// One change, as it was when it happened.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) id: String,
    /// Stripe's type, such as `payment_intent.succeeded`.
    pub(crate) kind: &'static str,
    pub(crate) intent: String,
    /// What the event claims.
    pub(crate) amount: u32,
    pub(crate) at: Nanos,
    pub(crate) created_unix: u64,
    pub(crate) object: Arc<Value>,
    /// Some attempt was answered 2xx.
    pub(crate) delivered: bool,
    pub(crate) attempts: u32,
}

impl Event {
    /// Stripe's object.
    pub(crate) fn json(&self) -> Value {
        json!({
            "id": self.id,
            "object": "event",
            "api_version": "2024-06-20",
            "created": self.created_unix,
            "data": { "object": *self.object },
            "livemode": false,
            "pending_webhooks": u8::from(!self.delivered),
            "request": { "id": null, "idempotency_key": null },
            "type": self.kind,
        })
    }
}

/// The kind of mark for a type of event.
pub(crate) fn delivery_kind(kind: &str) -> DeliveryKind {
    match kind {
        "payment_intent.succeeded" => DeliveryKind::Succeeded,
        "payment_intent.payment_failed" => DeliveryKind::PaymentFailed,
        "payment_intent.canceled" => DeliveryKind::Cancelled,
        "charge.refunded" | "refund.failed" => DeliveryKind::Refunded,
        _ => DeliveryKind::Other,
    }
}

/// What is to be done after the books were changed.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// End the confirmation of a payment after a while.
    Settle { intent: String, confirmation: u64, after: Duration },
    /// Carry an event to the webhook.
    Deliver(Parcel),
}

/// One event on its way.
#[derive(Clone, Debug)]
pub(crate) struct Parcel {
    pub(crate) event: String,
    pub(crate) intent: String,
    pub(crate) kind: DeliveryKind,
    pub(crate) amount: u32,
    pub(crate) body: Arc<str>,
    pub(crate) label: DeliveryLabel,
    pub(crate) wait: Wait,
}

/// When a parcel leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// At once.
    No,
    /// After a while.
    For(Duration),
    /// When another parcel has left, or after the limit.
    Overtaken,
}
