//! # double-reclaim
//!
//! **What it finds.** More units to be had after everything came to rest than were left: sold units are for sale again.
//!
//! **Why it matters.** One unit that comes back twice is two tickets for one seat, perhaps weeks after the sale.
//!
//! **Evidence.** The drains, which buy all that is left: units certainly confirmed or held, plus what a drain was granted,
//! against the capacity. And the final stock read: `available` plus what is certainly confirmed, against the capacity.
//!
//! **Example.** `A` has 2 units, 1 is confirmed, and the drain is granted 2.
//!
//! **How it can be wrong.** Not; but a leak and a double reclaim of the same SKU can cancel: this is a net count.
//!
//! **Cost.** n log n.

use super::Rule;
use super::oversell::{confirmed, undecided};
use crate::facts::{Facts, millis};
use crate::refusal::{is_drain, is_refusal};
use crate::sweep::{out_at, sweep, tell_excess};
use crate::{Finding, Story, Strength};
use onsale_history::{CallKind, Label, Line, Nanos, Side, SkuId};

/// More units left than can be.
#[derive(Debug)]
pub(crate) struct DoubleReclaim;

impl Rule for DoubleReclaim {
    fn name(&self) -> &'static str {
        "double-reclaim"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("double_reclaim.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::of(drained(facts).len());
        for index in facts.skus_by_capacity() {
            let envelope = &facts.envelopes[index];
            let sold = &facts.sale.skus[index];
            let swept = sweep(&envelope.definite, |at| {
                u64::from(sold.released(at.plus(facts.sale.clock_error)))
            });
            let drained = |over: &&usize| is_drain(facts.op(envelope.definite[**over].at));
            let over: Vec<usize> = swept.over.iter().filter(drained).copied().collect();
            finding.violate_all(over.len(), || {
                let sku = SkuId::from_index(index);
                tell_excess(facts, "double-reclaim", sku, &envelope.definite, over[0])
            });
        }
        available(facts, &mut finding);
        open(facts, &mut finding);
        finding.note = format!("{} times a drain emptied a SKU", finding.occasions);
        finding
    }
}

/// (SKU, drain) pairs that were drained until a refusal.
pub(crate) fn drained(facts: &Facts<'_>) -> Vec<(usize, bool)> {
    let mut all: Vec<(usize, bool)> = facts
        .ops()
        .filter(|(_, op)| is_drain(op) && is_refusal(op))
        .filter_map(|(_, op)| {
            op.call.sku.map(|sku| (sku.index(), op.call.label == Label::DrainSecond))
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Orders that nobody read could make what a drain was granted too much.
fn open(facts: &Facts<'_>, finding: &mut Finding) {
    for (index, open) in undecided(facts).iter().enumerate().filter(|(_, open)| !open.is_empty()) {
        let spans = &facts.envelopes[index].definite;
        let Some(last) = spans.iter().rposition(|span| is_drain(facts.op(span.at))) else {
            continue;
        };
        let out: u64 = out_at(spans, last).iter().map(|span| u64::from(span.units)).sum();
        let unread: u64 = open.iter().map(|(units, _)| u64::from(*units)).sum();
        let capacity = u64::from(facts.sale.skus[index].capacity);
        if out <= capacity && out + unread > capacity {
            for (_, at) in open {
                finding.unsettled(facts.op(*at).id);
            }
            let name = facts.sku_name(SkuId::from_index(index));
            finding.undecided.get_or_insert_with(|| {
                format!("{name}: {out} of {capacity} units are out after the drain, and orders of {unread} more were never read")
            });
        }
    }
}

/// What the last stock reads call available.
fn available(facts: &Facts<'_>, finding: &mut Finding) {
    let sold = confirmed(facts);
    for (at, op) in facts.ops() {
        if op.kind() != CallKind::Stock || op.call.label != Label::Final || !op.outcome().is_ok() {
            continue;
        }
        for line in facts.history.lines_of(op, Side::Answer) {
            let Line::Stock { sku, available, .. } = *line else { continue };
            let Some(spans) = sold.get(sku.index()) else { continue };
            let capacity = u64::from(facts.sale.skus[sku.index()].capacity);
            let units: u64 = spans
                .iter()
                .filter(|span| span.to == Nanos::NEVER)
                .map(|span| u64::from(span.units))
                .sum();
            // Confirmed by the time of the read: the money of every order was final before the drains.
            if units + u64::from(available) > capacity && before(facts, op.start, sku) {
                let name = facts.sku_name(sku);
                finding.violate(|| {
                    Story::new(
                        facts,
                        "double-reclaim",
                        op.end,
                        format!(
                            "{name}: {available} available and {units} confirmed of {capacity}"
                        ),
                    )
                    .step(format!(
                        "at {} {name} has {available} available: {}",
                        millis(op.start),
                        facts.tell(at)
                    ))
                    .step(format!("{units} of {capacity} units are sold for good: a contradiction"))
                    .op(at)
                    .ops(spans.iter().rev().take(10).map(|span| span.at))
                    .end()
                });
            }
        }
    }
}

/// Had every confirmed lease of the SKU been granted before, and did it last without a gap?
fn before(facts: &Facts<'_>, start: Nanos, sku: SkuId) -> bool {
    let of_sku =
        facts.leases.iter().filter(|lease| facts.items(lease.grant).any(|(item, _)| item == sku));
    of_sku
        .filter_map(|lease| lease.confirmed.map(|(from, ..)| (lease, from)))
        .all(|(lease, from)| from <= start || (lease.continuous && lease.acknowledged <= start))
}
