//! # resurrected-stock
//!
//! **What it finds.** A refusal said that fewer than q units were free, and afterwards more were granted than that and
//! everything that can have come back since.
//!
//! **Why it matters.** It convicts a counter that is wrong even when nobody knows the true capacity, and it survives many
//! operations without an answer.
//!
//! **Evidence.** On a SKU with one shard: a definite refusal of q units at [s, e], and for an instant t after it the
//! grants that lie wholly inside (e, t], less the spans that may have ended inside [s − lag, t], less waves: q or more.
//!
//! **Example.** `A` is refused; nothing is out that could come back; then `A` is granted.
//!
//! **How it can be wrong.** What it finds is a violation: the refusal was a lie, or the stock rose from the dead. It looks
//! forward from refusals only, and counts grants that overlap the refusal as made before it.
//!
//! **Cost.** n log n: one suffix maximum a SKU.

use super::Rule;
use crate::facts::{At, Facts, millis};
use crate::refusal::{is_refusal, window_start};
use crate::{Anomaly, Finding, Story, Strength};
use onsale_history::{Nanos, SkuFacts, SkuId};

/// Stock from nowhere after a refusal.
#[derive(Debug)]
pub(crate) struct ResurrectedStock;

impl Rule for ResurrectedStock {
    fn name(&self) -> &'static str {
        "resurrected-stock"
    }
    fn strength(&self) -> Strength {
        Strength::Sound
    }
    fn source(&self) -> &'static str {
        include_str!("resurrected_stock.rs")
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        // One shard is seen at one instant, whatever is promised of several.
        let one_shard = |sold: &SkuFacts| sold.shards <= 1;
        for (index, sold) in facts.sale.skus.iter().enumerate().filter(|(_, sold)| one_shard(sold))
        {
            look(facts, SkuId::from_index(index), sold, &mut finding);
        }
        finding.note = format!("{} refusals of SKUs with one shard", finding.occasions);
        finding
    }
}

/// Acknowledged grants of one SKU: end, start, units, operation; by their ends.
type Grants = Vec<(Nanos, Nanos, u64, At)>;

fn look(facts: &Facts<'_>, sku: SkuId, sold: &SkuFacts, finding: &mut Finding) {
    let grants = grants(facts, sku);
    let risen = best_from(facts, sku, sold, &grants);
    let mut started: Vec<(Nanos, u64)> =
        grants.iter().map(|&(_, start, units, _)| (start, units)).collect();
    started.sort_unstable();
    let mut total = 0;
    for entry in &mut started {
        total += entry.1;
        entry.1 = total;
    }
    for &at in facts.holds_of_sku(sku) {
        let op = facts.op(at);
        if !is_refusal(op)
            || facts.items(at).nth(1).is_some()
            || window_start(facts, op) < facts.sale.opens
        {
            continue;
        }
        finding.occasions += 1;
        let next = grants.partition_point(|&(end, ..)| end <= op.end);
        let Some(&(most, until)) = risen.get(next) else { continue };
        let before = match started.partition_point(|&(start, _)| start <= op.end) {
            0 => 0,
            n => started[n - 1].1,
        };
        let from = window_start(facts, op);
        let envelope = &facts.envelopes[sku.index()];
        let released = sold.released(from.minus(facts.sale.grace));
        let base = number(before) - number(envelope.ended_before(from)) - i64::from(released);
        if most - base > i64::from(op.call.quantity) - 1 {
            finding.violate(|| tell(facts, sku, at, &grants[next..], grants[until].0));
        }
    }
}

fn grants(facts: &Facts<'_>, sku: SkuId) -> Grants {
    let mut grants: Grants = Vec::new();
    let spans = facts.envelopes[sku.index()].possible.iter();
    for span in spans {
        if let Some(lease) = span.lease.map(|index| &facts.leases[index as usize]) {
            grants.push((lease.acknowledged, lease.asked, u64::from(span.units), span.at));
        }
    }
    grants.sort_unstable();
    grants
}

/// For each grant, the highest later value of (granted − possibly returned − released), and where it is reached.
fn best_from(facts: &Facts<'_>, sku: SkuId, sold: &SkuFacts, grants: &Grants) -> Vec<(i64, usize)> {
    let mut granted = 0;
    let mut values: Vec<(i64, usize)> = Vec::with_capacity(grants.len());
    for (index, &(end, _, units, _)) in grants.iter().enumerate() {
        granted += units;
        let at = end.plus(facts.sale.clock_error);
        let back = facts.envelopes[sku.index()].returned_by(at);
        values.push((number(granted) - number(back) - i64::from(sold.released(at)), index));
    }
    for index in (0..values.len().saturating_sub(1)).rev() {
        values[index] = values[index].max(values[index + 1]);
    }
    values
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn tell(
    facts: &Facts<'_>,
    sku: SkuId,
    refused: At,
    later: &[(Nanos, Nanos, u64, At)],
    until: Nanos,
) -> Anomaly {
    let op = facts.op(refused);
    let name = facts.sku_name(sku);
    let inside: Vec<_> =
        later.iter().filter(|&&(end, start, ..)| start > op.end && end <= until).copied().collect();
    let units: u64 = inside.iter().map(|&(_, _, units, _)| units).sum();
    let envelope = &facts.envelopes[sku.index()];
    let back = envelope.returned_by(until) - envelope.ended_before(window_start(facts, op));
    let sentence = format!(
        "{name}: sold out by {}, yet {units} granted by {} when at most {back} came back",
        millis(op.end),
        millis(until)
    );
    let mut story = Story::new(facts, "resurrected-stock", until, sentence)
        .step(format!("fewer than {} units were free: {}", op.call.quantity, facts.tell(refused)))
        .op(refused)
        .step(format!("at most {back} units can have come back from then until {}", millis(until)));
    for &(_, _, _, at) in inside.iter().rev().take(10) {
        story = story.step(format!("granted afterwards: {}", facts.tell(at))).op(at);
    }
    story = story.step(format!(
        "{units} granted out of {back} returned and fewer than {} free: a contradiction",
        op.call.quantity
    ));
    match inside.last() {
        Some(&(_, start, ..)) => story.margin(start.minus(op.end)).end(),
        None => story.end(),
    }
}
