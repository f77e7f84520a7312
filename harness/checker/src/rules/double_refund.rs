//! # double-refund
//!
//! **What it finds.** More money sent back than was taken, or a refund begun when nothing was left to send back.
//!
//! **Why it matters.** The seller loses money, and learns of it from the bank.
//!
//! **Evidence.** E1: captures and refunds in the harness's own ledger.
//!
//! **Example.** The refund's answer is lost; the shop asks again under another key, and 5000 of 5000 are returned twice.
//!
//! **How it can be wrong.** A refund that failed may be tried again: only refunds that succeeded count, and one that is begun when
//! all was returned already. A refund under way that would exceed the capture leaves the rule undecided.
//!
//! **Cost.** One pass over the marks, O(m log m).

use crate::evidence::Charge;
use crate::facts::millis;
use crate::{Facts, Finding, Rule, Story, Strength};

/// The rule of this file.
pub(crate) struct DoubleRefund;

impl Rule for DoubleRefund {
    fn name(&self) -> &'static str {
        "double-refund"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("double_refund.rs")
    }

    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let ledger = facts.ledger();
        let refunded = || {
            ledger
                .charges
                .values()
                .filter(|charge| !charge.refunds.is_empty() || !charge.excess.is_empty())
        };
        let mut finding = Finding::of(refunded().count());
        let mut open = 0_u64;
        for charge in refunded() {
            if charge.returned() > charge.captured || !charge.excess.is_empty() {
                finding.violate(|| self.tell(facts, charge));
            } else if charge.returned() + charge.refund_pending > charge.captured {
                open += 1;
            }
        }
        if open > 0 {
            finding.undecided = Some(format!(
                "{open} payments have a refund under way that would exceed what was taken"
            ));
        }
        finding.note = format!("{} payments with a refund", finding.occasions);
        finding
    }
}

impl DoubleRefund {
    fn tell(&self, facts: &Facts<'_>, charge: &Charge) -> crate::Anomaly {
        let name = facts.charge_name(charge.id);
        let last = charge
            .refunds
            .iter()
            .chain(&charge.excess)
            .map(|refund| refund.0)
            .max()
            .unwrap_or_default();
        let asked = charge.excess.iter().map(|refund| u64::from(refund.2)).max().unwrap_or(0);
        let back = charge.returned();
        let sentence = if back > charge.captured {
            format!("{back} were returned of {} that {name} took", charge.captured)
        } else {
            format!(
                "{asked} more were to be returned of {name}, which took {} and had returned {back}",
                charge.captured
            )
        };
        let mut story = Story::new(facts, self.name(), last, sentence)
            .step(format!("{name} took {}", charge.captured));
        for (at, _, amount) in &charge.refunds {
            story = story.step(format!("{amount} were returned at {}", millis(*at)));
        }
        for (at, _, amount) in &charge.excess {
            story = story.step(format!("a refund of {amount} was begun at {}", millis(*at)));
        }
        story = charge
            .marks()
            .into_iter()
            .chain(charge.excess.iter().map(|refund| refund.1))
            .fold(story, Story::mark);
        story.step("however no more can go back than came: a contradiction").end()
    }
}
