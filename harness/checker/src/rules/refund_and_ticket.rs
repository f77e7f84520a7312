//! # refund-and-ticket
//!
//! **What it finds.** An order that is confirmed at the end although its money went back.
//!
//! **Why it matters.** A free ticket by another road: the payment came late, the shop returned it, and issued the ticket too.
//!
//! **Evidence.** E1: captures and refunds. E2: the buyer's last list.
//!
//! **Example.** The capture meets an expired hold; one worker refunds, another holds again and confirms.
//!
//! **How it can be wrong.** An order with a second payment that was kept is paid. A refund that ended after the last list began may
//! have come after it, and leaves the rule undecided.
//!
//! **Cost.** One pass over the marks and a join, O(n log n).

use crate::evidence::{Charge, Ledger, Order, Shown};
use crate::facts::millis;
use crate::{Facts, Finding, Rule, Story, Strength};
use onsale_history::{Nanos, OrderId, State};

/// The rule of this file.
pub(crate) struct RefundAndTicket;

impl Rule for RefundAndTicket {
    fn name(&self) -> &'static str {
        "refund-and-ticket"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("refund_and_ticket.rs")
    }

    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let ledger = facts.ledger();
        let price = u64::from(facts.history.header.sale.price);
        let mut finding = Finding::default();
        let (mut unread, mut close) = (0_u64, 0_u64);
        for (&id, order) in &ledger.orders {
            let Some(refunded) = last_refund(ledger, order) else { continue };
            let Some((shown, units)) = order.last else {
                let listed = order
                    .viewers
                    .iter()
                    .chain(&order.makers)
                    .any(|buyer| ledger.lists.contains_key(buyer));
                unread += u64::from(!listed);
                finding.occasions += u64::from(listed);
                continue;
            };
            finding.occasions += 1;
            let kept = ledger.captured_for(order).map(Charge::kept).sum::<u64>();
            if shown.state != State::Confirmed || kept >= (units * price).max(1) {
                continue;
            }
            if refunded < shown.start {
                finding.violate(|| self.tell(facts, ledger, (id, order), shown));
            } else {
                close += 1;
            }
        }
        if unread + close > 0 {
            finding.undecided =
                Some(format!("{} orders with a refund were not listed after it", unread + close));
        }
        finding.note =
            format!("{} orders with a refund, looked for in the last lists", finding.occasions);
        finding
    }
}

fn last_refund(ledger: &Ledger, order: &Order) -> Option<Nanos> {
    ledger.captured_for(order).flat_map(|charge| &charge.refunds).map(|refund| refund.0).max()
}

impl RefundAndTicket {
    fn tell(
        &self,
        facts: &Facts<'_>,
        ledger: &Ledger,
        (id, order): (OrderId, &Order),
        shown: Shown,
    ) -> crate::Anomaly {
        let (name, buyer) = (facts.order_name(id), facts.buyer_name(shown.buyer));
        let sentence = format!("{name} of {buyer} is confirmed although its money went back");
        let mut story = Story::new(facts, self.name(), shown.end, sentence);
        for charge in ledger.captured_for(order) {
            let charge_name = facts.charge_name(charge.id);
            story = story.step(format!(
                "{charge_name} took {}, and {} came back",
                charge.captured,
                charge.returned()
            ));
            story = charge.marks().into_iter().fold(story, Story::mark);
        }
        if let Some(refunded) = last_refund(ledger, order) {
            story = story.margin(shown.start.minus(refunded));
        }
        story
            .step(format!("then {buyer} listed all orders from {}", millis(shown.start)))
            .step(format!("however {name} is confirmed: either the money or the ticket should be there, not both"))
            .ops(order.checkouts.first().copied())
            .op(shown.at)
            .end()
    }
}
