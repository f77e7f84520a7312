//! Where the money went, by the provider's own ledger.

use onsale_checker::{Charge, Facts};
use onsale_history::{DeliveryLabel, DeliveryStage, MarkKind, RefundStage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Money in minor units (cents).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Money {
    /// Lower-case ISO 4217.
    pub currency: String,
    /// Payment attempts at the provider.
    pub attempts: u64,
    /// Attempts that ended without money: cancelled or failed for good.
    pub dead: u64,
    /// Attempts with money taken.
    pub captured: u64,
    /// Money taken.
    pub captured_minor: u64,
    /// Captured attempts whose order somebody was shown as confirmed.
    pub bought: u64,
    /// … and their money.
    pub bought_minor: u64,
    /// Captured attempts that were refunded.
    pub refunded: u64,
    /// Money given back.
    pub refunded_minor: u64,
    /// Captured attempts that have neither.
    pub unaccounted: u64,
    /// … and their money.
    pub unaccounted_minor: u64,
    /// Webhooks, by how they were meant.
    pub deliveries: Vec<DeliveryRow>,
}

/// Webhooks that were meant alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryRow {
    /// How they were meant.
    pub label: String,
    /// Sent.
    pub sent: u64,
    /// Answered with 2xx.
    pub accepted: u64,
    /// Answered otherwise.
    pub refused: u64,
    /// Never answered.
    pub lost: u64,
    /// Dropped by a fault, never sent.
    pub dropped: u64,
}

pub(super) fn money(facts: &Facts<'_>) -> Money {
    let mut money = Money { currency: facts.sale.currency.clone(), ..Money::default() };
    let made = |charge: &&Charge| {
        !charge.captures.is_empty() || charge.dead.is_some() || charge.order.is_some()
    };
    for charge in facts.charges.iter().filter(made) {
        money.attempts += 1;
        let taken: u64 = charge.captures.iter().map(|(_, _, amount)| u64::from(*amount)).sum();
        if charge.captures.is_empty() {
            money.dead += u64::from(charge.dead.is_some());
            continue;
        }
        money.captured += 1;
        money.captured_minor += taken;
        let order = charge.order.and_then(|order| facts.orders.get(order.index()));
        if charge.refunded.is_some() {
            money.refunded += 1;
        } else if order.is_some_and(|order| order.confirmed_from.is_some()) {
            money.bought += 1;
            money.bought_minor += taken;
        } else {
            money.unaccounted += 1;
            money.unaccounted_minor += taken;
        }
    }
    money.refunded_minor = given_back(facts);
    money.deliveries = deliveries(facts);
    money
}

fn given_back(facts: &Facts<'_>) -> u64 {
    let refunds = facts.history.marks.iter().filter_map(|mark| match mark.kind {
        MarkKind::Refund { amount, stage: RefundStage::Succeeded, .. } => Some(u64::from(amount)),
        _ => None,
    });
    refunds.sum()
}

fn deliveries(facts: &Facts<'_>) -> Vec<DeliveryRow> {
    let mut rows: BTreeMap<DeliveryLabel, DeliveryRow> = BTreeMap::new();
    for mark in &facts.history.marks {
        let MarkKind::Delivery { label, stage, status, .. } = mark.kind else { continue };
        let row = rows.entry(label).or_default();
        match stage {
            DeliveryStage::Sent => row.sent += 1,
            DeliveryStage::Answered if (200..300).contains(&status) => row.accepted += 1,
            DeliveryStage::Answered => row.refused += 1,
            DeliveryStage::Lost => row.lost += 1,
            DeliveryStage::Dropped => row.dropped += 1,
        }
    }
    let named = |(label, row): (DeliveryLabel, DeliveryRow)| DeliveryRow {
        label: label.word().to_owned(),
        ..row
    };
    rows.into_iter().map(named).collect()
}
