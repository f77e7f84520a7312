//! # free-ticket
//!
//! **What it finds.** A confirmed order that was not paid in full: no money was taken for it, too little, or not yet when it was
//! shown as confirmed.
//!
//! **Why it matters.** Tickets are given away, by a forged webhook, a wrong amount, or a confirmation that runs ahead of the payment.
//!
//! **Evidence.** E0 and E2: reads and lists that say `confirmed`. E1: captures in the harness's own ledger, marked before anybody
//! is told of them. The price is the header's price of a unit times the units in the list.
//!
//! **Example.** A payment of half the price is captured, and the order is confirmed all the same.
//!
//! **How it can be wrong.** The join of payment and order rests on the payment's metadata and the checkout's answer. If money was
//! taken that no order can be found for, or the record has no end, the rule is undecided.
//!
//! **Cost.** One pass and a join, O(n log n).

use crate::evidence::{Ledger, Order, Shown};
use crate::facts::millis;
use crate::{Facts, Finding, Rule, Story, Strength};
use onsale_history::{OrderId, State};

/// The rule of this file.
pub(crate) struct FreeTicket;

impl Rule for FreeTicket {
    fn name(&self) -> &'static str {
        "free-ticket"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("free_ticket.rs")
    }

    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let ledger = facts.ledger();
        let mut finding = Finding::default();
        if ledger.charges.is_empty() || facts.history.header.sale.price == 0 {
            finding.note.push_str("the harness's provider took no part in this sale");
            return finding;
        }
        let mut open = 0_u64;
        for (&id, order) in &ledger.orders {
            let Some(shown) = unpaid(facts, ledger, order, &mut finding.occasions) else {
                continue;
            };
            if ledger.complete && !ledger.has_stray_capture() {
                finding.violate(|| self.tell(facts, ledger, (id, order), shown));
            } else {
                open += 1;
            }
        }
        if open > 0 {
            finding.undecided = Some(format!(
                "{open} confirmed orders may be paid by a payment that names no order"
            ));
        }
        finding.note = format!("{} orders shown as confirmed", finding.occasions);
        finding
    }
}

/// Money taken for an order by the end of a read.
fn paid_by(facts: &Facts<'_>, ledger: &Ledger, order: &Order, shown: Shown) -> u64 {
    let by = shown.end.plus(facts.history.header.sale.clock_error);
    let charges = ledger.captured_for(order);
    charges
        .filter(|charge| charge.capture.is_some_and(|(at, _)| at <= by))
        .map(|charge| charge.captured)
        .sum()
}

/// What an order costs, as far as its list tells; 1 when it does not.
fn price_of(facts: &Facts<'_>, order: &Order) -> u64 {
    let units = order.last.map(|(_, units)| units);
    units.map_or(1, |units| units * u64::from(facts.history.header.sale.price))
}

/// A read that shows the order as confirmed before it was paid.
fn unpaid(facts: &Facts<'_>, ledger: &Ledger, order: &Order, occasions: &mut u64) -> Option<Shown> {
    let confirmed = || order.shown.iter().filter(|shown| shown.state == State::Confirmed);
    let first = confirmed().min_by_key(|shown| shown.end)?;
    *occasions += 1;
    let last = order.last.map(|(shown, _)| shown).filter(|shown| shown.state == State::Confirmed);
    if price_of(facts, order) > 0 && paid_by(facts, ledger, order, *first) == 0 {
        return Some(*first);
    }
    last.filter(|&last| paid_by(facts, ledger, order, last) < price_of(facts, order))
}

impl FreeTicket {
    fn tell(
        &self,
        facts: &Facts<'_>,
        ledger: &Ledger,
        (id, order): (OrderId, &Order),
        shown: Shown,
    ) -> crate::Anomaly {
        let (name, buyer) = (facts.order_name(id), facts.buyer_name(shown.buyer));
        let (paid, price) = (paid_by(facts, ledger, order, shown), price_of(facts, order));
        let cost = if order.last.is_some() { format!(" of {price}") } else { String::new() };
        let mut story = Story::new(
            facts,
            self.name(),
            shown.end,
            format!("{name} of {buyer} is confirmed with {paid}{cost} paid"),
        )
        .step(format!("{buyer} was shown {name} as confirmed by {}", millis(shown.end)))
        .step(format!("however the provider had taken {paid}{cost} for it by then"))
        .ops(order.checkouts.first().copied())
        .op(shown.at);
        for charge in ledger.captured_for(order) {
            story = charge.marks().into_iter().fold(story, Story::mark);
        }
        story.end()
    }
}
