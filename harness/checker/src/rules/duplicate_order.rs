//! # duplicate-order
//!
//! **What it finds.** Two living orders that were made of one hold.
//!
//! **Why it matters.** One set of units is sold twice, and one buyer is asked to pay twice.
//!
//! **Evidence.** E0: checkouts and the orders they answered. E2: the last lists.
//!
//! **Example.** A double click on "buy": `checkout h0 -> order o0`, then `checkout h0 -> order o1`, and o0 is confirmed.
//!
//! **How it can be wrong.** A target may open a second order when the first has failed, so two orders convict only if both were
//! confirmed to the end, or if one that was confirmed to the end existed already when another checkout of the same hold
//! was answered with the other. Two orders of which none was confirmed are let pass.
//!
//! **Cost.** One pass and a join, O(n log n).

use crate::evidence::Order;
use crate::{At, Facts, Finding, Rule, Story, Strength};
use onsale_history::{HoldId, OrderId, State};
use std::collections::BTreeMap;

/// The rule of this file.
pub(crate) struct DuplicateOrder;

impl Rule for DuplicateOrder {
    fn name(&self) -> &'static str {
        "duplicate-order"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("duplicate_order.rs")
    }

    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let ledger = facts.ledger();
        let mut by_hold = BTreeMap::<HoldId, Vec<OrderId>>::new();
        let mut listed = std::collections::BTreeSet::new();
        for (&id, order) in &ledger.orders {
            if let Some(hold) = order.hold {
                by_hold.entry(hold).or_default().push(id);
                listed.extend(order.last.map(|_| hold));
            }
        }
        let mut finding = Finding::of(listed.len());
        for (&hold, ids) in &by_hold {
            let pairs = ids.iter().flat_map(|one| ids.iter().map(move |two| (*one, *two)));
            let twice = pairs.filter(|(one, two)| one != two).find_map(|(one, two)| {
                evidence(facts, (&ledger.orders[&one], one), (&ledger.orders[&two], two))
                    .map(|ops| (one, two, ops))
            });
            let Some((one, two, ops)) = twice else { continue };
            finding.violate(|| {
                let (hold, one, two) =
                    (facts.hold_name(hold), facts.order_name(one), facts.order_name(two));
                let at = ops.iter().map(|&at| facts.op(at).end).max().unwrap_or_default();
                Story::new(
                    facts,
                    self.name(),
                    at,
                    format!("{hold} became two orders: {one} and {two}"),
                )
                .step(format!("let {one} be made of {hold}; it is confirmed to the end"))
                .step(format!("however {two} was made of {hold} too"))
                .ops(ops)
                .end()
            });
        }
        finding.note = format!("{} holds with an order in a last list", finding.occasions);
        finding
    }
}

/// The operations which show that `two` is a second order beside `one`, if they do.
fn evidence(facts: &Facts<'_>, one: (&Order, OrderId), two: (&Order, OrderId)) -> Option<Vec<At>> {
    let kept =
        one.0.last.map(|(shown, _)| shown).filter(|shown| shown.state == State::Confirmed)?;
    let other = two.0.last.map(|(shown, _)| shown).filter(|shown| shown.state == State::Confirmed);
    if let Some(other) = other.filter(|_| one.1 < two.1) {
        let made = one.0.checkouts.first().into_iter().chain(two.0.checkouts.first());
        return Some(made.copied().chain([kept.at, other.at]).collect());
    }
    let first = *one.0.checkouts.first()?;
    let later = two.0.checkouts.iter().find(|&&at| facts.op(first).precedes(facts.op(at)))?;
    Some(vec![first, *later, kept.at])
}
