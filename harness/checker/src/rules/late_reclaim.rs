//! # late-reclaim
//!
//! **What it finds.** A unit whose hold was over, and its grace too, that was still refused, and later was to be had.
//!
//! **Why it matters.** Shoppers were turned away from seats that nobody had; the sale ends with stock left.
//!
//! **Evidence.** A refusal that no possible span explains (see `spurious-sold-out`) on a SKU where a hold had expired
//! before, and where a later try was granted.
//!
//! **Example.** `h0` must be back by 6,000 ms; at 9,000 ms the SKU is *sold-out*; at 20,000 ms it is granted again.
//!
//! **How it can be wrong.** What it finds is a violation, if the grace that the target promised is right.
//!
//! **Cost.** n log n.

use super::Rule;
use crate::facts::{At, Facts};
use crate::refusal::{Judged, ended_before, judge, tell, with_owners};
use crate::{Finding, Strength};
use onsale_history::SkuId;

/// Units that came back too late.
#[derive(Debug)]
pub(crate) struct LateReclaim;

impl Rule for LateReclaim {
    fn name(&self) -> &'static str {
        "late-reclaim"
    }
    fn strength(&self) -> Strength {
        Strength::Sound
    }
    fn source(&self) -> &'static str {
        include_str!("late_reclaim.rs")
    }
    fn implies(&self) -> &'static [&'static str] {
        &["spurious-sold-out"]
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::of(occasions(facts));
        for index in 0..facts.sale.skus.len() {
            let sku = SkuId::from_index(index);
            let Some(last) = last_grant(facts, sku) else { continue };
            for &at in facts.holds_of_sku(sku) {
                if facts.op(at).call.sku != Some(sku)
                    || at > last
                    || facts.op(at).end >= facts.op(last).start
                {
                    continue;
                }
                let Judged::Deficit(deficit) = judge(facts, at) else { continue };
                if !expired_before(facts, deficit.sku, deficit.from) {
                    continue;
                }
                finding.violate(|| {
                    let later = format!("later it was to be had: {}", facts.tell(last));
                    with_owners(
                        facts,
                        tell(facts, "late-reclaim", &deficit).step(later).op(last),
                        &deficit,
                    )
                });
            }
        }
        finding.note = format!(
            "{} expired holds of SKUs that somebody asked for afterwards",
            finding.occasions
        );
        finding
    }
}

/// The granted try on a SKU that began last.
fn last_grant(facts: &Facts<'_>, sku: SkuId) -> Option<At> {
    facts.holds_of_sku(sku).iter().rev().copied().find(|&at| facts.op(at).outcome().is_ok())
}

/// Did a hold of the SKU expire, rather than end otherwise, before an instant?
fn expired_before(facts: &Facts<'_>, sku: SkuId, before: onsale_history::Nanos) -> bool {
    ended_before(facts, sku, before, 3).iter().any(|&(at, _)| {
        let lease = facts.op(at).answer.hold.and_then(|hold| facts.lease(hold));
        lease.is_some_and(|lease| lease.confirmed.is_none() && lease.ends_by_expiry())
    })
}

/// Leases that expired and whose SKU was asked for after their grace.
fn occasions(facts: &Facts<'_>) -> usize {
    let asked_later = |sku: SkuId, after| {
        let tries = facts.holds_of_sku(sku);
        let next = tries.partition_point(|&at| facts.op(at).start <= after);
        tries[next..].iter().any(|&at| !facts.op(at).outcome().is_indeterminate())
    };
    let expired = facts.leases.iter().filter(|lease| {
        lease.confirmed.is_none()
            && lease.ends_by_expiry()
            && lease.possible_end != onsale_history::Nanos::NEVER
    });
    expired
        .filter(|lease| {
            facts.items(lease.grant).any(|(sku, _)| asked_later(sku, lease.possible_end))
        })
        .count()
}
