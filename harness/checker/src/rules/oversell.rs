//! # oversell
//!
//! **What it finds.** More units of a SKU certainly confirmed, at one instant, than the SKU has.
//!
//! **Why it matters.** Somebody paid for a seat that somebody else sits in.
//!
//! **Evidence.** Reads that answered `confirmed` (orders, lists, holds), at any time and by anybody. An order counts from
//! the end of the earliest such read; for good, unless a later read or a refund of its payment says otherwise: then
//! until the start of the last read that still said `confirmed`. Two orders of one hold are two tickets.
//!
//! **Example.** `A` has 1 unit; the final lists of two buyers each show a confirmed order for it.
//!
//! **How it can be wrong.** Not, if the lists are true: no timing is involved. It is *undecided* while orders that were
//! begun and never read again could make it too many, and *proved* when even all of them together could not.
//!
//! **Cost.** Linear in the orders; n log n for the instants.

use super::Rule;
use crate::facts::{At, Facts, Interval, Lease, is_over, millis};
use crate::sweep::{fewest, out_at, sweep};
use crate::{Anomaly, Bounds, Finding, Story, Strength};
use onsale_history::{BuyerId, CallKind, Nanos, OrderId, SkuId};

/// More units confirmed than there are.
#[derive(Debug)]
pub(crate) struct Oversell;

impl Rule for Oversell {
    fn name(&self) -> &'static str {
        "oversell"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("oversell.rs")
    }
    fn implies(&self) -> &'static [&'static str] {
        &["overcommit", "double-reclaim"]
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let sold = confirmed(facts);
        let open = undecided(facts);
        let mut finding = Finding::default();
        let mut tightest: Option<Bounds> = None;
        for index in facts.skus_by_capacity() {
            let spans = &sold[index];
            let sku = SkuId::from_index(index);
            let capacity = u64::from(facts.sale.skus[index].capacity);
            let swept = sweep(spans, |_| capacity);
            finding.occasions += swept.peak.min(capacity);
            finding
                .violate_all(swept.over.len(), || tell(facts, sku, spans, swept.over[0], capacity));
            let possible =
                swept.peak + open[index].iter().map(|(units, _)| u64::from(*units)).sum::<u64>();
            if swept.over.is_empty() && possible > capacity {
                for (_, at) in &open[index] {
                    finding.unsettled(facts.op(*at).id);
                }
                let name = facts.sku_name(sku);
                finding.undecided.get_or_insert_with(|| {
                    format!(
                        "{name}: {} units are confirmed and up to {possible} may be, of {capacity}",
                        swept.peak
                    )
                });
            }
            tighten(&mut tightest, &facts.sku_name(sku), swept.peak, possible, capacity);
        }
        finding.bounds = tightest;
        finding.note =
            format!("{} confirmed units of {} SKUs were counted", finding.occasions, sold.len());
        finding
    }
}

fn tighten(tightest: &mut Option<Bounds>, what: &str, definite: u64, possible: u64, limit: u64) {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let new = Bounds {
        what: format!("confirmed units of {what}"),
        definite: number(definite),
        possible: number(possible),
        limit: number(limit),
    };
    // The closest to its limit, and of equals the one with most at stake.
    let rank =
        |bounds: &Bounds| (bounds.definite.max(bounds.possible) - bounds.limit, bounds.limit);
    if tightest.as_ref().is_none_or(|old| rank(&new) > rank(old)) {
        *tightest = Some(new);
    }
}

/// For each SKU, when its orders were certainly confirmed, by the beginnings. `at` is the read that showed it.
pub(crate) fn confirmed(facts: &Facts<'_>) -> Vec<Vec<Interval>> {
    let mut sold: Vec<Vec<Interval>> = vec![vec![]; facts.sale.skus.len()];
    let mut nameless = vec![false; facts.sale.skus.len()];
    for (index, order) in facts.orders.iter().enumerate() {
        let (Some(from), Some((first, _))) = (order.confirmed_from, order.confirmed_by) else {
            continue;
        };
        let lease = order.hold.and_then(|hold| facts.lease(hold));
        let owner = order.hold.and_then(|hold| facts.lease_index(hold));
        for (sku, units) in items(facts, OrderId::from_index(index), lease.map(|lease| lease.grant))
        {
            let Some(spans) = sold.get_mut(sku.index()).filter(|_| units > 0) else { continue };
            nameless[sku.index()] |= order.hold.is_none();
            let to = order.confirmed_until;
            spans.push(Interval { from, to, returns_from: to, units, at: first, lease: owner });
        }
    }
    // A hold that was read as confirmed and has no known order is a ticket too, unless an order without a hold may be its.
    for lease in &facts.leases {
        let Some((from, to, (first, _))) = lease.confirmed else { continue };
        if !facts.orders_of_hold(lease.hold).is_empty() {
            continue;
        }
        for (sku, units) in facts.items(lease.grant) {
            if let Some(spans) =
                sold.get_mut(sku.index()).filter(|_| units > 0 && !nameless[sku.index()])
            {
                spans.push(Interval { from, to, returns_from: to, units, at: first, lease: None });
            }
        }
    }
    for spans in &mut sold {
        // One read alone, contradicted later, names no instant that both of its ends agree on.
        spans.retain(|span| span.from < span.to);
        spans.sort_unstable_by_key(|span| (span.from, span.at));
    }
    sold
}

/// What an order is for: as a list said, or else as its hold asked.
fn items(facts: &Facts<'_>, order: OrderId, grant: Option<At>) -> Vec<(SkuId, u32)> {
    let mut listed: Vec<(SkuId, u32)> = Vec::new();
    for &index in facts.sightings_of_order(order) {
        let Some((sku, units)) = facts.sightings[index as usize].item else { continue };
        match listed.iter_mut().find(|(known, _)| *known == sku) {
            Some(entry) => entry.1 = entry.1.min(units),
            None => listed.push((sku, units)),
        }
    }
    if listed.is_empty() {
        grant.map(|at| facts.items(at).collect()).unwrap_or_default()
    } else {
        listed
    }
}

/// For each SKU, units that may be confirmed although nobody saw it, and the checkout that may have done it.
pub(crate) fn undecided(facts: &Facts<'_>) -> Vec<Vec<(u32, At)>> {
    let mut open: Vec<Vec<(u32, At)>> = vec![vec![]; facts.sale.skus.len()];
    let listed = finally_listed(facts);
    for lease in &facts.leases {
        let settled = lease.confirmed.is_some()
            || !lease.checked_out
            || listed.get(lease.buyer.index()).copied().unwrap_or(false)
            || facts
                .sightings_of_hold(lease.hold)
                .iter()
                .any(|&index| is_over(facts.sightings[index as usize].state));
        if settled {
            continue;
        }
        let checkout = facts
            .ops_of_hold(lease.hold)
            .iter()
            .copied()
            .find(|&at| facts.op(at).kind() == CallKind::Checkout);
        for (sku, units) in facts.items(lease.grant) {
            if let Some(entry) = open.get_mut(sku.index()) {
                entry.push((units, checkout.unwrap_or(lease.grant)));
            }
        }
    }
    open
}

/// The buyers whose orders were listed after everything had settled: what is not confirmed there is not.
fn finally_listed(facts: &Facts<'_>) -> Vec<bool> {
    let mut listed = Vec::new();
    let Some(last) = facts.times.final_reads else { return listed };
    for (_, op) in facts.ops() {
        if op.kind() == CallKind::ListOrders && op.outcome().is_ok() && op.start >= last {
            let index = BuyerId::index(op.call.buyer);
            if listed.len() <= index {
                listed.resize(index + 1, false);
            }
            listed[index] = true;
        }
    }
    listed
}

fn tell(facts: &Facts<'_>, sku: SkuId, spans: &[Interval], index: usize, capacity: u64) -> Anomaly {
    let at = spans[index].from;
    let out = out_at(spans, index);
    let total: u64 = out.iter().map(|span| u64::from(span.units)).sum();
    let name = facts.sku_name(sku);
    let (chosen, units) = fewest(&out, capacity);
    let shown = chosen.len().min(crate::story::WITNESS_SIZE);
    let mut story =
        Story::new(facts, "oversell", at, format!("{name}: {total} units confirmed of {capacity}"));
    let mut told = chosen[..shown].to_vec();
    told.sort_by_key(|span| (span.from, span.at));
    // With room for both, each ticket is shown with the grant that it came from.
    let with_grants = shown * 2 <= crate::story::WITNESS_SIZE;
    for span in &told {
        let lease = span.lease.map(|index| &facts.leases[index as usize]);
        story = story.step(tell_ticket(facts, span, lease)).op(span.at);
        story = match lease {
            Some(lease) if with_grants => story.op(lease.grant),
            _ => story,
        };
    }
    if chosen.len() > shown {
        let rest: u64 = chosen[shown..].iter().map(|span| u64::from(span.units)).sum();
        story = story.step(format!(
            "{} more orders with {rest} units were shown confirmed as well",
            chosen.len() - shown
        ));
    }
    let story = story
        .step(format!("that makes {units} units sold; {name} has {capacity}: a contradiction"));
    let lasting = told.iter().map(|span| span.to).min().unwrap_or(Nanos::NEVER);
    if lasting == Nanos::NEVER { story.end() } else { story.margin(lasting.minus(at)).end() }
}

/// Who owns what, since when, and where it came from.
fn tell_ticket(facts: &Facts<'_>, span: &Interval, lease: Option<&Lease>) -> String {
    let buyer = facts.buyer_name(lease.map_or(facts.op(span.at).call.buyer, |lease| lease.buyer));
    let shown = format!("{} confirmed by {}", span.units, millis(span.from));
    let read = facts.op(span.at).kind();
    let Some(lease) = lease else { return format!("{buyer} was shown {shown} ({read})") };
    let order = lease
        .order
        .map_or_else(String::new, |order| format!(", order {}", facts.order_name(order)));
    let (hold, granted) = (facts.hold_name(lease.hold), millis(lease.acknowledged));
    format!("{buyer} was granted {hold} by {granted}{order}, and was shown {shown} ({read})")
}
