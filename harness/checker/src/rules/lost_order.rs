//! # lost-order
//!
//! **What it finds.** An order that its buyer was shown as confirmed, and that the buyer's last list leaves out or shows in a state
//! that a confirmed order cannot come to.
//!
//! **Why it matters.** The buyer has paid, was told so, and stands at the door without a ticket.
//!
//! **Evidence.** E0: reads and lists that say `confirmed`. E2: the last list of each buyer, read after everything is quiet.
//!
//! **Example.** `read o3 -> confirmed`, and at the end `list -> ` without o3.
//!
//! **How it can be wrong.** It believes the target's own word "confirmed". Money on its way back (`refunding`, `refunded`) is
//! accepted as an end. A buyer whose last list nobody answered leaves the rule undecided.
//!
//! **Cost.** One pass and a join, O(n log n).

use crate::facts::millis;
use crate::{Facts, Finding, Rule, Story, Strength};
use onsale_history::State;

/// The rule of this file.
pub(crate) struct LostOrder;

impl Rule for LostOrder {
    fn name(&self) -> &'static str {
        "lost-order"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("lost_order.rs")
    }

    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let ledger = facts.ledger();
        let mut finding = Finding::default();
        let mut unread = 0_u64;
        for (&id, order) in &ledger.orders {
            let Some(told) = order.shown.iter().find(|shown| shown.state == State::Confirmed)
            else {
                continue;
            };
            let Some(&list) = ledger.lists.get(&told.buyer) else {
                unread += 1;
                if let Some(&open) = ledger.unread.get(&told.buyer) {
                    finding.unsettled(facts.op(open).id);
                }
                continue;
            };
            let read = facts.op(list);
            if told.at == list || told.end >= read.start {
                continue;
            }
            finding.occasions += 1;
            let last = order.last.map(|(shown, _)| shown).filter(|shown| shown.buyer == told.buyer);
            let kept = last.is_some_and(|shown| {
                matches!(shown.state, State::Confirmed | State::Refunding | State::Refunded)
            });
            if kept {
                continue;
            }
            finding.violate(|| {
                let (buyer, name) = (facts.buyer_name(told.buyer), facts.order_name(id));
                let found = last.map_or("does not show it".to_owned(), |shown| {
                    format!("shows it as {}", shown.state)
                });
                Story::new(
                    facts,
                    self.name(),
                    read.end,
                    format!("{buyer} was told that {name} is confirmed, and the last list {found}"),
                )
                .step(format!("let {name} be confirmed, as {buyer} read by {}", millis(told.end)))
                .step(format!(
                    "then {buyer} listed all orders from {} to {}",
                    millis(read.start),
                    millis(read.end)
                ))
                .step(format!("however the list {found}: a confirmed order cannot go there"))
                .margin(read.start.minus(told.end))
                .edge(told.at, list, "the read ended before the list began")
                .end()
            });
        }
        if unread > 0 {
            finding.undecided = Some(format!(
                "the last list of the buyers of {unread} confirmed orders was not read"
            ));
        }
        finding.note = format!(
            "{} orders acknowledged as confirmed, looked for in the last lists",
            finding.occasions
        );
        finding
    }
}
