//! # phantom-order
//!
//! **What it finds.** An order in a buyer's list that this buyer never made.
//!
//! **Why it matters.** Somebody else's ticket, or nobody's: names, seats and cards leak, and the stock no longer adds up.
//!
//! **Evidence.** E0: every checkout of the buyer. E2: the lists.
//!
//! **Example.** A buyer whose only checkout was refused is shown an order at the end.
//!
//! **How it can be wrong.** An order of a hold that the buyer checked out, whatever the answer was, is never a phantom; a second
//! order of it is the business of `duplicate-order`. A checkout that nobody answered explains one order of its hold, or one order whose
//! hold the list does not tell.
//!
//! **Cost.** One pass and a join, O(n log n).

use crate::facts::millis;
use crate::{At, Facts, Finding, Rule, Story, Strength};
use onsale_history::{BuyerId, CallKind, HoldId, Line, OrderId, Outcome, Side};
use std::collections::{BTreeMap, BTreeSet};

/// What a buyer's checkouts can explain.
#[derive(Default)]
struct Made {
    orders: BTreeSet<OrderId>,
    holds: BTreeSet<HoldId>,
    /// Checkouts that may have made an order nobody was told of.
    untold: usize,
}

/// The rule of this file.
pub(crate) struct PhantomOrder;

impl Rule for PhantomOrder {
    fn name(&self) -> &'static str {
        "phantom-order"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("phantom_order.rs")
    }

    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let made = checkouts(facts);
        let nothing = Made::default();
        let mut finding = Finding::default();
        let mut seen = BTreeSet::new();
        for (at, op) in (0..).zip(&facts.history.operations) {
            if op.kind() != CallKind::ListOrders || !op.outcome().is_ok() {
                continue;
            }
            let made = made.get(&op.call.buyer).unwrap_or(&nothing);
            let mut strangers = vec![];
            for line in facts.history.lines_of(op, Side::Answer) {
                let Line::Order { order, hold, .. } = *line else { continue };
                if !seen.insert((op.call.buyer, order)) {
                    continue;
                }
                finding.occasions += 1;
                match hold {
                    _ if made.orders.contains(&order) => {}
                    Some(hold) if made.holds.contains(&hold) => {}
                    Some(_) => self.convict(facts, &mut finding, at, op.call.buyer, order),
                    None => strangers.push(order),
                }
            }
            // Without a hold to tell them apart, any of them may be what an unanswered checkout made.
            for &order in strangers.iter().skip(made.untold) {
                self.convict(facts, &mut finding, at, op.call.buyer, order);
            }
        }
        finding.note = format!("{} orders in lists", finding.occasions);
        finding
    }
}

impl PhantomOrder {
    fn convict(
        &self,
        facts: &Facts<'_>,
        finding: &mut Finding,
        at: At,
        buyer: BuyerId,
        order: OrderId,
    ) {
        finding.violate(|| {
            let (op, buyer, name) = (facts.op(at), facts.buyer_name(buyer), facts.order_name(order));
            Story::new(facts, self.name(), op.end, format!("{buyer} was shown {name} and never made it"))
                .op(at)
                .step(format!("let {buyer} list all orders from {} to {}", millis(op.start), millis(op.end)))
                .step(format!("however no checkout of {buyer} was answered with {name}, or can have made it unseen"))
                .end()
        });
    }
}

fn checkouts(facts: &Facts<'_>) -> BTreeMap<BuyerId, Made> {
    let mut all = BTreeMap::<BuyerId, Made>::new();
    for op in facts.history.operations.iter().filter(|op| op.kind() == CallKind::Checkout) {
        let entry = all.entry(op.call.buyer).or_default();
        match op.outcome() {
            Outcome::Ok => {
                entry.untold += usize::from(op.answer.order.is_none());
                entry.orders.extend(op.answer.order);
                entry.holds.extend(op.call.hold);
            }
            Outcome::Indeterminate(_) => {
                entry.untold += 1;
                entry.holds.extend(op.call.hold);
            }
            Outcome::Failed(_) => {}
        }
    }
    all
}
