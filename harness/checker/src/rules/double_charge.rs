//! # double-charge
//!
//! **What it finds.** Two payments that were taken, and not returned, for one hold or order.
//!
//! **Why it matters.** The buyer pays twice for one ticket.
//!
//! **Evidence.** E1: the harness's own ledger of payments and refunds, joined by the hold and order in a payment's metadata and
//! by what checkouts answered.
//!
//! **Example.** A double click makes two payment attempts; both are captured and none is refunded.
//!
//! **How it can be wrong.** The join rests on what the target wrote into the payment. A payment that was taken within the last
//! ttl + grace of the run, or whose refund is under way, leaves the rule undecided.
//!
//! **Cost.** One pass over the marks, O(m log m).

use crate::evidence::Charge;
use crate::facts::millis;
use crate::{Facts, Finding, Rule, Story, Strength};
use onsale_history::{HoldId, OrderId};
use std::collections::BTreeMap;

/// The rule of this file.
pub(crate) struct DoubleCharge;

impl Rule for DoubleCharge {
    fn name(&self) -> &'static str {
        "double-charge"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("double_charge.rs")
    }

    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let ledger = facts.ledger();
        let mut groups = BTreeMap::<(Option<HoldId>, Option<OrderId>), Vec<&Charge>>::new();
        for charge in ledger.charges.values().filter(|charge| charge.captured > 0) {
            let order = charge.order.filter(|_| charge.hold.is_none());
            if charge.hold.is_some() || order.is_some() {
                groups.entry((charge.hold, order)).or_default().push(charge);
            }
        }
        let mut finding = Finding::of(groups.len());
        let mut open = 0_u64;
        for charges in groups.values() {
            let kept = charges.iter().filter(|charge| charge.kept() > 0);
            let sure =
                kept.clone().filter(|charge| !charge.refund_open && !ledger.is_recent(charge));
            let sure = sure.copied().collect::<Vec<_>>();
            if sure.len() >= 2 && ledger.complete {
                finding.violate(|| self.tell(facts, &sure));
            } else if kept.count() >= 2 {
                open += 1;
            }
        }
        if open > 0 {
            finding.undecided = Some(format!(
                "{open} holds have two payments, of which one may be on its way back"
            ));
        }
        finding.note = format!("{} holds and orders that money was taken for", finding.occasions);
        finding
    }
}

impl DoubleCharge {
    fn tell(&self, facts: &Facts<'_>, charges: &[&Charge]) -> crate::Anomaly {
        let what = match (charges[0].hold, charges[0].order) {
            (Some(hold), _) => facts.hold_name(hold),
            (None, Some(order)) => facts.order_name(order),
            (None, None) => "one purchase".to_owned(),
        };
        let at = charges
            .iter()
            .filter_map(|charge| charge.capture)
            .map(|(at, _)| at)
            .max()
            .unwrap_or_default();
        let sentence =
            format!("{} payments were taken for {what} and none was returned", charges.len());
        let mut story = Story::new(facts, self.name(), at, sentence);
        for charge in charges {
            let taken = millis(charge.capture.map(|(at, _)| at).unwrap_or_default());
            let name = facts.charge_name(charge.id);
            story = story.step(format!(
                "{name} took {} at {taken}, and {} came back",
                charge.captured,
                charge.returned()
            ));
            story = charge.marks().into_iter().fold(story, Story::mark);
        }
        story.step("however one purchase is paid once: a contradiction").end()
    }
}
