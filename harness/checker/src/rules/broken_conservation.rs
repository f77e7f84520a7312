//! # broken-conservation
//!
//! **What it finds.** A stock reply whose parts do not add up, and a hold of zero or fewer units that was accepted.
//!
//! **Why it matters.** A counter that does not add up cannot be trusted to stop; a negative hold makes stock.
//!
//! **Evidence.** Each line of each stock reply: available + held + confirmed against total, and total against the
//! capacity. Tries labelled `bad-quantity` and their answers.
//!
//! **Example.** `A` answers total 10, available 4, held 5, confirmed 2.
//!
//! **How it can be wrong.** Not, for a reply that means to be exact. A target that never shows held or confirmed units is
//! not judged by its sums.
//!
//! **Cost.** Linear.

use super::Rule;
use crate::facts::{At, Facts, millis};
use crate::{Anomaly, Finding, Story, Strength};
use onsale_history::{CallKind, Label, Line, Side, SkuId};

/// Stock that does not add up.
#[derive(Debug)]
pub(crate) struct BrokenConservation;

impl Rule for BrokenConservation {
    fn name(&self) -> &'static str {
        "broken-conservation"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("broken_conservation.rs")
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        let shows_parts = lines(facts).any(
            |(_, line)| matches!(line, Line::Stock { held, confirmed, .. } if held + confirmed > 0),
        );
        let mut replies = 0;
        for (at, line) in lines(facts).filter(|_| shows_parts) {
            let Line::Stock { sku, total, available, held, confirmed } = line else { continue };
            replies += 1;
            let sum = u64::from(available) + u64::from(held) + u64::from(confirmed);
            let capacity = facts.sale.skus.get(sku.index()).map_or(u32::MAX, |sold| sold.capacity);
            if sum != u64::from(total) {
                let why = format!(
                    "{available} available + {held} held + {confirmed} confirmed make {sum}, not {total}"
                );
                finding.violate(|| miscounted(facts, at, sku, &why));
            } else if total > capacity {
                finding.violate(|| {
                    miscounted(facts, at, sku, &format!("{total} in all, of {capacity}"))
                });
            }
        }
        let bad = facts
            .ops()
            .filter(|(_, op)| op.kind() == CallKind::Hold && op.call.label == Label::BadQuantity);
        let mut attempts = 0;
        for (at, op) in bad.filter(|(_, op)| !op.outcome().is_indeterminate()) {
            attempts += 1;
            if op.outcome().is_ok() {
                finding.violate(|| {
                    Story::new(
                        facts,
                        "broken-conservation",
                        op.end,
                        "a hold of zero or fewer units was accepted",
                    )
                    .step(facts.tell(at))
                    .step("a quantity below 1 must be refused: a contradiction")
                    .op(at)
                    .end()
                });
            }
        }
        finding.occasions = replies + attempts;
        finding.note =
            format!("{replies} lines of stock replies, {attempts} tries with a bad quantity");
        finding
    }
}

fn lines<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (At, Line)> + 'f {
    let reads = facts.ops().filter(|(_, op)| op.kind() == CallKind::Stock && op.outcome().is_ok());
    reads.flat_map(|(at, op)| facts.history.lines_of(op, Side::Answer).map(move |line| (at, *line)))
}

fn miscounted(facts: &Facts<'_>, at: At, sku: SkuId, why: &str) -> Anomaly {
    let name = facts.sku_name(sku);
    Story::new(facts, "broken-conservation", facts.op(at).end, format!("{name}: {why}"))
        .step(format!("one reply by {}: {}", millis(facts.op(at).end), facts.tell(at)))
        .step(format!("{why}: a contradiction"))
        .op(at)
        .end()
}
