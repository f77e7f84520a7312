//! # limit-breach
//!
//! **What it finds.** More units certainly held and owned at one instant by one account, or on one card, than allowed.
//!
//! **Why it matters.** The limit is what keeps scalpers from buying the hall.
//!
//! **Evidence.** Certain spans (see `overcommit`) by buyer, over all SKUs; by card from the acknowledgement of the hold,
//! or of the checkout, that named it. Confirmed orders never end, so owned units are counted exactly.
//!
//! **Example.** The limit is 4; `b0` has a hold of 3 units until 60 s and is granted 2 more at 20 ms.
//!
//! **How it can be wrong.** What it finds is a violation. Like `overcommit` it can miss an overlap about one request's
//! latency wide where expiry is involved; then it says *held*.
//!
//! **Cost.** n log n.

use super::Rule;
use crate::facts::{Facts, Interval, Lease, millis};
use crate::sweep::{excess, out_at, sweep};
use crate::{Anomaly, Finding, Story, Strength};
use onsale_history::{CallKind, Class, Label, Nanos, Outcome};

/// More than one account or card may have.
#[derive(Debug)]
pub(crate) struct LimitBreach;

impl Rule for LimitBreach {
    fn name(&self) -> &'static str {
        "limit-breach"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("limit_breach.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        if let Some(limit) = facts.sale.account_limit {
            let by_buyer = |lease: &Lease| Some((lease.buyer.index(), Nanos::ZERO));
            look(facts, "account", limit, by_buyer, &mut finding);
        }
        if let Some(limit) = facts.sale.instrument_limit {
            let by_card = |lease: &Lease| lease.instrument.map(|(card, from)| (card.index(), from));
            look(facts, "card", limit, by_card, &mut finding);
        }
        let tried = facts.ops().filter(|(_, op)| {
            matches!(op.kind(), CallKind::Hold | CallKind::Checkout)
                && (op.outcome() == Outcome::Failed(Class::Limit)
                    || (op.call.label == Label::OverLimit && !op.outcome().is_indeterminate()))
        });
        finding.occasions = tried.count() as u64 + finding.violations;
        finding.note = format!("{} tries went for more than allowed", finding.occasions);
        finding
    }
}

/// Sweeps the spans of everybody who has an owner by `owner` (index, and since when).
fn look(
    facts: &Facts<'_>,
    what: &str,
    limit: u32,
    owner: impl Fn(&Lease) -> Option<(usize, Nanos)>,
    finding: &mut Finding,
) {
    let mut spans: Vec<(usize, Interval)> = Vec::with_capacity(facts.leases.len());
    for (index, lease) in (0..).zip(&facts.leases) {
        let Some((who, since)) = owner(lease) else { continue };
        let units: u32 = facts.items(lease.grant).map(|(_, units)| units).sum();
        for (from, to) in lease.definite() {
            let from = from.max(since);
            if units > 0 && from < to {
                spans.push((
                    who,
                    Interval {
                        from,
                        to,
                        returns_from: to,
                        units,
                        at: lease.grant,
                        lease: Some(index),
                    },
                ));
            }
        }
    }
    spans.sort_unstable_by_key(|(who, span)| (*who, span.from, span.at));
    for group in spans.chunk_by(|a, b| a.0 == b.0) {
        let units: u64 = group.iter().map(|(_, span)| u64::from(span.units)).sum();
        if units <= u64::from(limit) {
            continue;
        }
        let of_one: Vec<Interval> = group.iter().map(|(_, span)| *span).collect();
        let expiring = of_one.iter().any(|span| {
            span.lease.is_some_and(|index| facts.leases[index as usize].ends_by_expiry())
        });
        finding.only_held |= expiring;
        for over in sweep(&of_one, |_| u64::from(limit)).over {
            finding.violate(|| tell(facts, what, limit, &of_one, over));
        }
    }
}

fn tell(facts: &Facts<'_>, what: &str, limit: u32, spans: &[Interval], over: usize) -> Anomaly {
    let at = spans[over].from;
    let out = out_at(spans, over);
    let total: u64 = out.iter().map(|span| u64::from(span.units)).sum();
    let lease = spans[over].lease.map(|index| &facts.leases[index as usize]);
    let name = match (what, lease) {
        ("card", Some(lease)) => {
            lease.instrument.map_or_else(String::new, |(card, _)| facts.instrument_name(card))
        }
        (_, Some(lease)) => facts.buyer_name(lease.buyer),
        (_, None) => String::new(),
    };
    let sentence = format!("{what} {name}: {total} units by {}, of {limit} allowed", millis(at));
    let story = Story::new(facts, "limit-breach", at, sentence);
    excess(facts, story, &out, u64::from(limit), &format!("{what} {name} may have {limit}"))
}
