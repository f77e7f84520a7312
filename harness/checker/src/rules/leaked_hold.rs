//! # leaked-hold
//!
//! **What it finds.** Units that never came back: after all holds are over, a drain is refused although confirmed and
//! drained units do not add up to the capacity.
//!
//! **Why it matters.** Seats stay empty in a sold-out hall.
//!
//! **Evidence.** Refusals of the drains, explained by every unit that possibly was out around them: confirmed or
//! unsettled orders, the drain's own holds, tries without an answer. What they cannot explain has leaked.
//!
//! **Example.** `A` has 2 units. `h0` of an abandoned cart expired long ago; the drain gets 1 unit, then *sold-out*.
//!
//! **How it can be wrong.** What it finds is a violation of the promised reclaim time (ttl + grace). It misses a leak
//! that a double reclaim of the same SKU makes good, and leaks smaller than the units of orders nobody settled.
//!
//! **Cost.** log n a refusal.

use super::Rule;
use super::double_reclaim::drained;
use crate::refusal::{Judged, is_drain, judge, tell, with_owners};
use crate::{Facts, Finding, Strength};

/// Units that did not come back.
#[derive(Debug)]
pub(crate) struct LeakedHold;

impl Rule for LeakedHold {
    fn name(&self) -> &'static str {
        "leaked-hold"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("leaked_hold.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn implies(&self) -> &'static [&'static str] {
        &["late-reclaim", "spurious-sold-out"]
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let drained = drained(facts);
        let mut finding = Finding::of(drained.len());
        let mut told = Vec::new();
        for (at, op) in facts.ops().filter(|(_, op)| is_drain(op)) {
            let Judged::Deficit(deficit) = judge(facts, at) else { continue };
            // One violation a SKU and drain: the other refusals of the same drain say the same.
            let key = (deficit.sku, op.call.label);
            if !told.contains(&key) {
                told.push(key);
                finding
                    .violate(|| with_owners(facts, tell(facts, "leaked-hold", &deficit), &deficit));
            }
        }
        finding.only_held = slack(facts, &drained);
        finding.note = format!("{} times a drain emptied a SKU", drained.len());
        finding
    }
}

/// Did orders or tries that nobody settled leave room for a leak in a drained SKU?
fn slack(facts: &Facts<'_>, drained: &[(usize, bool)]) -> bool {
    let Some(drain) = facts.times.drain_first else { return true };
    drained.iter().any(|&(sku, _)| {
        facts.envelopes[sku].possible.iter().any(|span| {
            let unsure =
                span.lease.is_none_or(|index| facts.leases[index as usize].confirmed.is_none());
            unsure && span.from < drain && span.to >= drain
        })
    })
}
