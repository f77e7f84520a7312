//! # orphan-charge
//!
//! **What it finds.** Money that was taken and, at the end, bought nothing: there is no confirmed order for it, and it was not
//! returned in full.
//!
//! **Why it matters.** This is what buyers call fraud: paid, no ticket, no refund. Late payments make it.
//!
//! **Evidence.** E1: captures and refunds in the harness's own ledger. E2: the buyer's last list, read after everything is quiet.
//!
//! **Example.** A payment is captured after the hold has expired; the shop gives the unit to somebody else and keeps the money.
//!
//! **How it can be wrong.** A payment taken within the last ttl + grace of the run, a refund under way, a buyer whose last list
//! was not read, and a record without its end leave the rule undecided.
//!
//! **Cost.** One pass over the marks and a join, O(n log n).

use crate::evidence::{Charge, Ledger};
use crate::facts::millis;
use crate::{Facts, Finding, Rule, Story, Strength};
use onsale_history::State;

/// What became of a payment.
enum End {
    Owned,
    Returned,
    Orphan,
    Open,
}

/// The rule of this file.
pub(crate) struct OrphanCharge;

impl Rule for OrphanCharge {
    fn name(&self) -> &'static str {
        "orphan-charge"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("orphan_charge.rs")
    }

    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let ledger = facts.ledger();
        let mut finding = Finding::default();
        let mut open = 0_u64;
        for charge in ledger.charges.values().filter(|charge| charge.captured > 0) {
            match end_of(ledger, charge) {
                End::Owned | End::Returned => finding.occasions += 1,
                End::Open => {
                    open += 1;
                    let list = charge.buyer.and_then(|buyer| ledger.unread.get(&buyer));
                    if let Some(&list) = list {
                        finding.unsettled(facts.op(list).id);
                    }
                }
                End::Orphan => {
                    finding.occasions += 1;
                    finding.violate(|| self.tell(facts, ledger, charge));
                }
            }
        }
        if open > 0 {
            finding.undecided = Some(format!(
                "of {open} payments it is not known whether they bought something or come back"
            ));
        }
        finding.note = format!("{} payments followed to their end", finding.occasions);
        finding
    }
}

fn end_of(ledger: &Ledger, charge: &Charge) -> End {
    if charge.kept() == 0 {
        return End::Returned;
    }
    let own = charge.order.into_iter().collect::<Vec<_>>();
    let same_hold = || {
        ledger.orders.iter().filter(|(_, order)| charge.hold.is_some() && order.hold == charge.hold)
    };
    let orders = own.into_iter().chain(same_hold().map(|(&id, _)| id));
    if orders.into_iter().any(|order| ledger.confirmed_at_end(order).is_some()) {
        return End::Owned;
    }
    let read = charge.buyer.is_some_and(|buyer| ledger.lists.contains_key(&buyer));
    let known = charge.order.is_some() || charge.hold.is_some();
    if !ledger.complete || !read || !known || charge.refund_open || ledger.is_recent(charge) {
        return End::Open;
    }
    // A list without holds may show the order of this payment under a name that nobody was told.
    let unnamed = ledger.orders.values().any(|order| {
        let confirmed = order.last.is_some_and(|(shown, _)| {
            shown.state == State::Confirmed && Some(shown.buyer) == charge.buyer
        });
        confirmed && order.charges.is_empty() && (order.hold.is_none() || charge.hold.is_none())
    });
    if unnamed { End::Open } else { End::Orphan }
}

impl OrphanCharge {
    fn tell(&self, facts: &Facts<'_>, ledger: &Ledger, charge: &Charge) -> crate::Anomaly {
        let (at, _) = charge
            .capture
            .unwrap_or((onsale_history::Nanos::ZERO, onsale_history::MarkId::from_index(0)));
        let name = facts.charge_name(charge.id);
        let buyer = charge.buyer.map_or("the buyer".to_owned(), |buyer| facts.buyer_name(buyer));
        let list = charge.buyer.and_then(|buyer| ledger.lists.get(&buyer)).copied();
        let end = list.map_or(at, |list| facts.op(list).end);
        let state = charge.order.and_then(|id| ledger.orders.get(&id)).and_then(|order| order.last);
        let seen = match (charge.order, state) {
            (Some(id), Some((shown, _))) => format!("{} is {}", facts.order_name(id), shown.state),
            (Some(id), None) => format!("{} is not in the list", facts.order_name(id)),
            (None, _) => "no order is for it".to_owned(),
        };
        let kept = charge.kept();
        let mut story = Story::new(
            facts,
            self.name(),
            end,
            format!("{kept} of {buyer}'s money bought nothing: {seen}"),
        )
        .step(format!(
            "{name} took {} from {buyer} at {}, and {} came back",
            charge.captured,
            millis(at),
            charge.returned()
        ))
        .step(format!("at the end {seen}"))
        .step("however money that buys nothing goes back: a contradiction");
        story = charge.marks().into_iter().fold(story, Story::mark);
        story.ops(list).end()
    }
}
