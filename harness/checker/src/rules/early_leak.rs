//! # early-leak
//!
//! **What it finds.** A hold that was granted before the sale opened, or more units set aside than had been released.
//!
//! **Why it matters.** Somebody got in through the back door; the shoppers who waited at the front find less.
//!
//! **Evidence.** Holds whose acknowledgement *ended* before the opening; and, where stock comes in waves, certain spans
//! (see `overcommit`) that add up to more than the waves so far but not to more than there is in all.
//!
//! **Example.** The sale opens at 1,000 ms; a hold is acknowledged by 400 ms.
//!
//! **How it can be wrong.** Not, as long as the opening is on the harness's clock within its error. An attempt without an
//! answer is no occasion: it may have been served after the opening.
//!
//! **Cost.** Linear; n log n for the waves.

use super::Rule;
use crate::facts::{Facts, millis};
use crate::sweep::{sweep, tell_excess};
use crate::{Finding, Story, Strength};
use onsale_history::{CallKind, Nanos, SkuId};

/// Stock before its time.
#[derive(Debug)]
pub(crate) struct EarlyLeak;

impl Rule for EarlyLeak {
    fn name(&self) -> &'static str {
        "early-leak"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("early_leak.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn implies(&self) -> &'static [&'static str] {
        &["overcommit"]
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        let opens = facts.sale.opens.minus(facts.sale.clock_error);
        for (at, op) in facts.ops().take_while(|(_, op)| op.start < opens) {
            if op.kind() != CallKind::Hold || op.outcome().is_indeterminate() || op.end >= opens {
                continue;
            }
            finding.occasions += 1;
            if op.outcome().is_ok() {
                finding.violate(|| {
                    Story::new(
                        facts,
                        self.name(),
                        op.end,
                        format!(
                            "a hold was granted {} before the sale opens",
                            millis(opens.minus(op.end))
                        ),
                    )
                    .step(facts.tell(at))
                    .step(format!(
                        "the sale opens at {}, after the answer: a contradiction",
                        millis(facts.sale.opens)
                    ))
                    .op(at)
                    .margin(opens.minus(op.end))
                    .end()
                });
            }
        }
        let attempts = finding.occasions;
        waves(facts, &mut finding);
        finding.note = format!(
            "{attempts} tries to hold ended before the opening; {} grants came while waves were outstanding",
            finding.occasions - attempts
        );
        finding
    }
}

fn waves(facts: &Facts<'_>, finding: &mut Finding) {
    for (index, envelope) in facts.envelopes.iter().enumerate() {
        let sold = &facts.sale.skus[index];
        let Some(last) = sold.waves.last() else { continue };
        let early = envelope.definite.partition_point(|span| span.from < last.at);
        finding.occasions += early as u64;
        let limit = |at: Nanos| u64::from(sold.released(at.plus(facts.sale.clock_error)));
        for over in sweep(&envelope.definite[..early], limit).over {
            let sku = SkuId::from_index(index);
            let out: u64 = crate::sweep::out_at(&envelope.definite, over)
                .iter()
                .map(|span| u64::from(span.units))
                .sum();
            // More than there is in all is an overcommit, not a leak.
            if out <= u64::from(sold.capacity) {
                finding.violate(|| tell_excess(facts, "early-leak", sku, &envelope.definite, over));
            }
        }
    }
}
