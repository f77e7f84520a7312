//! # overcommit
//!
//! **What it finds.** More units of a SKU certainly set aside at one instant than had been released by then.
//!
//! **Why it matters.** It is where an oversell begins: two shoppers hold the same last unit, and whoever pays second is
//! sold nothing.
//!
//! **Evidence.** Acknowledged holds. Each certainly holds its units from the end of its acknowledgement until the
//! earliest instant at which it may lawfully end: its release or cancel begins, its payment fails for good, or its life
//! is over, counted from the start of the first try with its key, less the tolerated earliness. Confirmed holds last.
//!
//! **Example.** `A` has 1 unit; `h0` is acknowledged at 5 ms and lives 60 s, `h1` is acknowledged at 8 ms.
//!
//! **How it can be wrong.** What it finds is a violation. Where no hold could have expired it also finds every one there
//! is (*proved*); where expiry frees units it can miss an overlap about one request's latency wide (*held*).
//!
//! **Cost.** n log n.

use super::Rule;
use crate::sweep::{sweep, tell_excess};
use crate::{Facts, Finding, Strength};
use onsale_history::{Nanos, SkuId};

/// More units set aside than there are.
#[derive(Debug)]
pub(crate) struct Overcommit;

impl Rule for Overcommit {
    fn name(&self) -> &'static str {
        "overcommit"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("overcommit.rs")
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        let (mut exact, mut looked) = (0_usize, 0_usize);
        for index in facts.skus_by_capacity() {
            let envelope = &facts.envelopes[index];
            let sku = SkuId::from_index(index);
            let sold = &facts.sale.skus[index];
            let limit = |at: Nanos| u64::from(sold.released(at.plus(facts.sale.clock_error)));
            let swept = sweep(&envelope.definite, limit);
            finding.violate_all(swept.over.len(), || {
                tell_excess(facts, "overcommit", sku, &envelope.definite, swept.over[0])
            });
            looked += usize::from(!envelope.definite.is_empty());
            finding.occasions += envelope.definite.len() as u64;
            exact += usize::from(!envelope.definite.is_empty() && !expiry_matters(facts, sku));
            ghosts(facts, sku, swept.peak, &mut finding);
        }
        finding.only_held = exact < looked;
        finding.note = format!(
            "{} holds of {looked} SKUs; {exact} SKUs without an expiry that mattered",
            finding.occasions
        );
        finding
    }
}

/// Could a hold of the SKU have been freed by time before the last grant, so that another order of instants is legal?
fn expiry_matters(facts: &Facts<'_>, sku: SkuId) -> bool {
    let envelope = &facts.envelopes[sku.index()];
    let all: u64 = envelope.definite.iter().map(|span| u64::from(span.units)).sum();
    // What was never too much even all together needs no schedule.
    if all <= u64::from(facts.sale.skus[sku.index()].capacity)
        && facts.sale.skus[sku.index()].waves.is_empty()
    {
        return false;
    }
    let last = envelope.definite.last().map_or(Nanos::ZERO, |span| span.from);
    let leases = envelope.possible.iter().filter_map(|span| span.lease);
    leases
        .map(|lease| &facts.leases[lease as usize])
        .any(|lease| lease.ends_by_expiry() && lease.expires < last)
}

/// Tries that nobody ever settled could make it too many.
fn ghosts(facts: &Facts<'_>, sku: SkuId, peak: u64, finding: &mut Finding) {
    let limit = u64::from(facts.sale.skus[sku.index()].capacity);
    let open = facts.ghosts.iter().filter(|ghost| !ghost.settled);
    let of_sku: Vec<_> =
        open.filter(|ghost| facts.items(ghost.at).any(|(item, _)| item == sku)).collect();
    let units: u64 = of_sku
        .iter()
        .flat_map(|ghost| facts.items(ghost.at))
        .filter(|(item, _)| *item == sku)
        .map(|(_, units)| u64::from(units))
        .sum();
    if of_sku.is_empty() || peak + units <= limit {
        return;
    }
    for ghost in &of_sku {
        finding.unsettled(facts.op(ghost.at).id);
    }
    finding.undecided.get_or_insert_with(|| {
        format!("{}: {peak} units were out at once, and up to {units} more if tries without an answer took effect", facts.sku_name(sku))
    });
}
