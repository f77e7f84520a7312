//! # early-reclaim
//!
//! **What it finds.** A unit of a seat or canary SKU that was taken from its holder before its time and granted again.
//!
//! **Why it matters.** The countdown on the first shopper's screen still runs while the second one pays.
//!
//! **Evidence.** More certain spans than units on a SKU with few of them (see `overcommit`), one of which had already
//! lost its hold: an answer that ended before the hold could lawfully expire called it expired or unknown.
//!
//! **Example.** Seat `S` lives 60 s in `h0` from 5 ms on; at 20,000 ms `h0` is *expired*, at 25,000 ms `h1` is granted.
//!
//! **How it can be wrong.** What it finds is a violation. When nobody asks about the first hold in time, the same fault
//! shows only as `overcommit`.
//!
//! **Cost.** n log n over the small SKUs.

use super::Rule;
use crate::facts::{At, Facts, Interval, Lease, is_over};
use crate::sweep::{out_at, sweep, tell_excess};
use crate::{Anomaly, Finding, Strength};
use onsale_history::{Class, Outcome, SkuId, SkuRole};

/// A unit granted again while its first holder's time still ran.
#[derive(Debug)]
pub(crate) struct EarlyReclaim;

impl Rule for EarlyReclaim {
    fn name(&self) -> &'static str {
        "early-reclaim"
    }
    fn strength(&self) -> Strength {
        Strength::Sound
    }
    fn source(&self) -> &'static str {
        include_str!("early_reclaim.rs")
    }
    fn implies(&self) -> &'static [&'static str] {
        &["overcommit"]
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        for (index, envelope) in facts.envelopes.iter().enumerate() {
            let sold = &facts.sale.skus[index];
            if sold.role == SkuRole::Hot {
                continue;
            }
            let sku = SkuId::from_index(index);
            finding.occasions += occasions(facts, sku);
            for over in sweep(&envelope.definite, |at| u64::from(sold.released(at))).over {
                let out = out_at(&envelope.definite, over);
                let lost = out.iter().skip(1).find_map(|span| taken(facts, span));
                if let Some(read) = lost {
                    finding.violate(|| tell(facts, sku, &envelope.definite, over, read));
                }
            }
        }
        finding.note =
            format!("{} tries to get a unit while its hold's time still ran", finding.occasions);
        finding
    }
}

/// The answer by which the lease of a span was lost before its time.
fn taken(facts: &Facts<'_>, span: &Interval) -> Option<At> {
    let lease = &facts.leases[span.lease? as usize];
    if lease.confirmed.is_some() || !lease.ends_by_expiry() {
        return None;
    }
    lost(facts, lease)
}

/// An answer within a lease's life that says it is gone.
pub(crate) fn lost(facts: &Facts<'_>, lease: &Lease) -> Option<At> {
    facts.ops_of_hold(lease.hold).iter().copied().find(|&at| {
        let op = facts.op(at);
        let gone = match op.outcome() {
            Outcome::Failed(Class::Expired | Class::NotFound) => true,
            Outcome::Ok => op.answer.state.is_some_and(is_over),
            _ => false,
        };
        gone && op.call.buyer == lease.buyer
            && op.start > lease.acknowledged
            && op.end < lease.expires
    })
}

/// Tries on a small SKU that began while all its units were certainly out.
fn occasions(facts: &Facts<'_>, sku: SkuId) -> u64 {
    let spans = &facts.envelopes[sku.index()].definite;
    let capacity = u64::from(facts.sale.skus[sku.index()].capacity);
    let mut ends: Vec<_> = spans.iter().map(|span| (span.to, span.units)).collect();
    ends.sort_unstable();
    let (mut begun, mut ended, mut out, mut count) = (0, 0, 0_u64, 0);
    for &at in facts.holds_of_sku(sku) {
        let start = facts.op(at).start;
        while let Some(span) = spans.get(begun).filter(|span| span.from < start) {
            out += u64::from(span.units);
            begun += 1;
        }
        while let Some((_, units)) = ends.get(ended).filter(|(to, _)| *to <= start) {
            out = out.saturating_sub(u64::from(*units));
            ended += 1;
        }
        count += u64::from(out >= capacity);
    }
    count
}

fn tell(facts: &Facts<'_>, sku: SkuId, spans: &[Interval], over: usize, read: At) -> Anomaly {
    let mut anomaly = tell_excess(facts, "early-reclaim", sku, spans, over);
    anomaly.sentence = format!(
        "{}: a unit was granted again before its hold's time was over",
        facts.sku_name(sku)
    );
    anomaly.argument.insert(
        0,
        format!("the first holder was already told that it is gone: {}", facts.tell(read)),
    );
    anomaly.witness.operations.push(facts.op(read).id);
    anomaly.witness.operations.sort_unstable_by_key(|&id| facts.at(id));
    anomaly.witness.operations.dedup();
    anomaly
}
