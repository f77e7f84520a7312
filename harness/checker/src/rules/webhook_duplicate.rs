//! # webhook-duplicate
//!
//! **What it finds.** A payment whose "succeeded" was delivered more than once and took effect more than once: two confirmed
//! orders for one payment, or more units in the order than the hold had.
//!
//! **Why it matters.** Providers deliver at least once. A shop that books each delivery sells units that nobody holds.
//!
//! **Evidence.** E1: the deliveries, duplicates among them, that the harness's provider sent. E2: the buyer's last list.
//!
//! **Example.** One capture, two deliveries, and `list -> o3 confirmed, o9 confirmed` where nobody checked out o9.
//!
//! **How it can be wrong.** Two orders that were both answered by checkouts are the business of `duplicate-order`. A buyer whose last
//! list nobody answered leaves the rule undecided.
//!
//! **Cost.** One pass over the marks and a join, O(n log n).

use crate::evidence::{Charge, Ledger};
use crate::facts::millis;
use crate::{At, Facts, Finding, Rule, Story, Strength};
use onsale_history::{CallKind, DeliveryLabel, HoldId, MarkId, OrderId};
use std::collections::BTreeMap;

/// The rule of this file.
pub(crate) struct WebhookDuplicate;

impl Rule for WebhookDuplicate {
    fn name(&self) -> &'static str {
        "webhook-duplicate"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("webhook_duplicate.rs")
    }
    fn implies(&self) -> &'static [&'static str] {
        &["duplicate-order", "free-ticket"]
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let ledger = facts.ledger();
        let mut by_hold = BTreeMap::<HoldId, Vec<OrderId>>::new();
        for (&id, order) in &ledger.orders {
            if let Some(hold) = order.hold.filter(|_| ledger.confirmed_at_end(id).is_some()) {
                by_hold.entry(hold).or_default().push(id);
            }
        }
        let mut finding = Finding::default();
        let mut unread = 0_u64;
        for charge in ledger
            .charges
            .values()
            .filter(|charge| charge.captured > 0 && repeats(charge).len() >= 2)
        {
            let Some(list) = charge.buyer.and_then(|buyer| ledger.lists.get(&buyer)) else {
                unread += 1;
                continue;
            };
            finding.occasions += 1;
            let orders =
                charge.hold.and_then(|hold| by_hold.get(&hold)).map_or(&[][..], Vec::as_slice);
            if let Some(effect) = double_effect(facts, ledger, charge, orders) {
                finding.violate(|| self.tell(facts, charge, *list, &effect));
            }
        }
        if unread > 0 {
            finding.undecided =
                Some(format!("the last lists of the buyers of {unread} payments were not read"));
        }
        finding.note =
            format!("{} payments whose success was delivered more than once", finding.occasions);
        finding
    }
}

/// The genuine deliveries that may have had an effect.
fn repeats(charge: &Charge) -> Vec<MarkId> {
    let genuine = charge
        .deliveries
        .iter()
        .filter(|delivery| !matches!(delivery.label, DeliveryLabel::Forged | DeliveryLabel::Stale));
    genuine.map(|delivery| delivery.mark).collect()
}

/// What the second delivery did, in words.
fn double_effect(
    facts: &Facts<'_>,
    ledger: &Ledger,
    charge: &Charge,
    orders: &[OrderId],
) -> Option<String> {
    let paid = orders
        .iter()
        .flat_map(|order| ledger.captured_for(&ledger.orders[order]))
        .map(|charge| charge.id);
    let payments = paid.chain([charge.id]).collect::<std::collections::BTreeSet<_>>().len();
    let unmade = orders.iter().filter(|order| ledger.orders[order].checkouts.is_empty());
    if orders.len() >= 2 && payments < orders.len() && unmade.count() > 0 {
        let names = orders.iter().map(|&order| facts.order_name(order)).collect::<Vec<_>>();
        return Some(format!("the orders {} are confirmed for it", names.join(" and ")));
    }
    let units = granted(facts, charge.hold?)?;
    let more = orders
        .iter()
        .find(|order| ledger.orders[order].last.is_some_and(|(_, listed)| listed > units))?;
    let listed = ledger.orders[more].last.map_or(0, |(_, listed)| listed);
    Some(format!("{} has {listed} units although its hold had {units}", facts.order_name(*more)))
}

/// The units that a hold was granted with.
fn granted(facts: &Facts<'_>, hold: HoldId) -> Option<u64> {
    let grants = facts.ops_of_hold(hold).iter().filter(|&&at| {
        let op = facts.op(at);
        op.kind() == CallKind::Hold && op.outcome().is_ok() && op.answer.hold == Some(hold)
    });
    grants.map(|&at| facts.items(at).map(|(_, units)| u64::from(units)).sum()).max()
}

impl WebhookDuplicate {
    fn tell(&self, facts: &Facts<'_>, charge: &Charge, list: At, effect: &str) -> crate::Anomaly {
        let (name, read) = (facts.charge_name(charge.id), facts.op(list));
        let deliveries = repeats(charge);
        let sentence = format!(
            "{name} was captured once and delivered {} times, and {effect}",
            deliveries.len()
        );
        let mut story = Story::new(facts, self.name(), read.end, sentence)
            .step(format!("the success of {name} was delivered {} times", deliveries.len()))
            .step(format!("then the buyer listed all orders from {}", millis(read.start)))
            .step(format!("however {effect}: one payment buys once"))
            .op(list);
        story = charge
            .marks()
            .into_iter()
            .chain(deliveries.into_iter().take(4))
            .fold(story, Story::mark);
        story.end()
    }
}
