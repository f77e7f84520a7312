//! What the provider did, as data: evidence beside the marks.

use crate::Tally;
use crate::books::Books;
use serde::Serialize;
use std::collections::BTreeMap;

/// Everything at one instant. Times are nanoseconds on the run's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// In the order of creation.
    pub charges: Vec<ChargeEntry>,
    /// In the order of creation.
    pub refunds: Vec<RefundEntry>,
    /// In the order in which they happened.
    pub events: Vec<EventEntry>,
    /// What faults did.
    pub tally: Tally,
}

/// One payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChargeEntry {
    /// `pi_…`.
    pub id: String,
    /// Stripe's word.
    pub status: &'static str,
    /// Asked for, in minor units.
    pub amount: u32,
    /// Taken.
    pub received: u32,
    /// Given back.
    pub refunded: u32,
    /// Lower-case ISO 4217.
    pub currency: String,
    /// What the target wrote into it.
    pub metadata: BTreeMap<String, String>,
    /// How often it was confirmed.
    pub confirmations: u64,
    /// When.
    pub created_at_ns: u64,
    /// When, if ever.
    pub captured_at_ns: Option<u64>,
}

/// One refund.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefundEntry {
    /// `re_…`.
    pub id: String,
    /// Of which payment.
    pub charge: String,
    /// Minor units.
    pub amount: u32,
    /// `succeeded` or `failed`.
    pub status: &'static str,
    /// When.
    pub created_at_ns: u64,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventEntry {
    /// `evt_…`.
    pub id: String,
    /// Stripe's type.
    pub kind: &'static str,
    /// About which payment.
    pub charge: String,
    /// When.
    pub at_ns: u64,
    /// How often a webhook was sent.
    pub attempts: u32,
    /// Whether one was accepted.
    pub delivered: bool,
}

impl Ledger {
    pub(crate) fn of(books: &Books) -> Self {
        let charges = books.intents.values().map(|intent| ChargeEntry {
            id: intent.id.clone(),
            status: intent.status.word(),
            amount: intent.amount,
            received: intent.received,
            refunded: intent.refunded,
            currency: intent.currency.clone(),
            metadata: intent.metadata.clone(),
            confirmations: intent.confirmations,
            created_at_ns: intent.created_at.0,
            captured_at_ns: intent.captured_at.map(|at| at.0),
        });
        let refunds = books.refunds.values().map(|refund| RefundEntry {
            id: refund.id.clone(),
            charge: refund.intent.clone(),
            amount: refund.amount,
            status: refund.status(),
            created_at_ns: refund.created_at.0,
        });
        let events = books.events.values().map(|event| EventEntry {
            id: event.id.clone(),
            kind: event.kind,
            charge: event.intent.clone(),
            at_ns: event.at.0,
            attempts: event.attempts,
            delivered: event.delivered,
        });
        Self {
            charges: charges.collect(),
            refunds: refunds.collect(),
            events: events.collect(),
            tally: books.tally,
        }
    }

    /// The ledger as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a ledger has only strings for keys")
    }
}
