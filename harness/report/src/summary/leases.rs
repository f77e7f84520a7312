//! How late holds were seen to end.
//!
//! The end of a hold is an event inside the target. What can be seen is that it was over *by* some instant: a read said so,
//! or, where the SKU has one unit, somebody else was given it. So every figure is an upper bound: a value below zero is a hold
//! that ended early for certain, a value far above it may only mean that nobody looked.

use onsale_checker::{Facts, Lease};
use onsale_history::{Nanos, SkuId, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How late holds were seen to end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lateness {
    /// The promised life of a hold, in milliseconds.
    pub ttl_ms: f64,
    /// How much before its time a hold may end.
    pub earliness_ms: f64,
    /// How long after its time a unit may stay away.
    pub grace_ms: f64,
    /// Holds whose time ended them.
    pub expired: u64,
    /// … of which somebody saw the end.
    pub seen: u64,
    /// Equal bins, without gaps.
    pub bins: Vec<LatenessBin>,
}

/// Holds whose end was seen so long after their time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatenessBin {
    /// From here, in milliseconds after the promised life.
    pub from_ms: f64,
    /// Until here, exclusive.
    pub until_ms: f64,
    /// Holds.
    pub count: u64,
}

/// Bins at most.
const BINS_MAX: i64 = 40;

pub(super) fn lateness(facts: &Facts<'_>) -> Lateness {
    let heirs = heirs(facts);
    let expired: Vec<&Lease> = facts
        .leases
        .iter()
        .filter(|lease| lease.ends_by_expiry() && lease.confirmed.is_none())
        .collect();
    let seen: Vec<i64> = expired.iter().filter_map(|lease| late_us(facts, lease, &heirs)).collect();
    let sale = facts.sale;
    Lateness {
        ttl_ms: sale.ttl.as_millis_f64(),
        earliness_ms: sale.earliness.as_millis_f64(),
        grace_ms: sale.grace.as_millis_f64(),
        expired: expired.len() as u64,
        seen: seen.len() as u64,
        bins: bins(&seen),
    }
}

/// For every SKU of one unit, when somebody was given it: (SKU, acknowledged), in order.
fn heirs(facts: &Facts<'_>) -> Vec<(SkuId, Nanos)> {
    let single = |sku: SkuId| facts.sale.skus.get(sku.index()).is_some_and(|sku| sku.capacity == 1);
    let grants = facts.leases.iter().flat_map(|lease| {
        let skus = facts.items(lease.grant).map(|(sku, _)| sku);
        skus.map(move |sku| (sku, lease.acknowledged))
    });
    let mut all: Vec<(SkuId, Nanos)> = grants.filter(|(sku, _)| single(*sku)).collect();
    all.sort_unstable();
    all
}

/// Microseconds from the end of the promised life to the first sign that the hold was over.
fn late_us(facts: &Facts<'_>, lease: &Lease, heirs: &[(SkuId, Nanos)]) -> Option<i64> {
    let due = lease.acknowledged.plus(lease.promised);
    let reads =
        facts.sightings_of_hold(lease.hold).iter().map(|&index| &facts.sightings[index as usize]);
    let reads = reads.filter(|seen| seen.state == State::Expired);
    let read = reads.map(|seen| facts.op(seen.at).end).min();
    let (sku, _) = facts.items(lease.grant).next()?;
    let next = heirs.partition_point(|heir| *heir <= (sku, lease.acknowledged));
    let heir = heirs.get(next).filter(|heir| heir.0 == sku).map(|heir| heir.1);
    let over = [read, heir].into_iter().flatten().min().filter(|at| *at != Nanos::NEVER)?;
    let difference = i128::from(over.0) - i128::from(due.0);
    i64::try_from(difference / 1_000).ok()
}

fn bins(seen: &[i64]) -> Vec<LatenessBin> {
    let (Some(&least), Some(&most)) = (seen.iter().min(), seen.iter().max()) else {
        return vec![];
    };
    let width = nice((most - least) / BINS_MAX + 1);
    let first = least.div_euclid(width);
    let mut counts = vec![0_u64; usize::try_from(most.div_euclid(width) - first + 1).unwrap_or(1)];
    for late in seen {
        let bin = usize::try_from(late.div_euclid(width) - first).unwrap_or(0);
        counts[bin] += 1;
    }
    let edge = |index: i64| millis((first + index) * width);
    (0..)
        .zip(counts)
        .map(|(index, count)| LatenessBin {
            from_ms: edge(index),
            until_ms: edge(index + 1),
            count,
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "for display only")]
fn millis(us: i64) -> f64 {
    us as f64 / 1e3
}

/// The next of 1, 2, 5, 10, … milliseconds, in microseconds.
fn nice(us: i64) -> i64 {
    let mut decade = 1_000;
    loop {
        for step in [1, 2, 5] {
            if step * decade >= us {
                return step * decade;
            }
        }
        decade *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::{bins, nice};

    #[test]
    fn bins_are_round_and_cover_early_and_late() {
        let told: Vec<(String, u64)> = bins(&[-1_500, 0, 300, 41_000])
            .into_iter()
            .filter(|bin| bin.count > 0)
            .map(|bin| (format!("{:.1}", bin.from_ms), bin.count))
            .collect();
        let expected = [("-2.0", 1), ("0.0", 2), ("40.0", 1)];
        assert_eq!(told, expected.map(|(from, count)| (from.to_owned(), count)));
        assert_eq!(
            [1, 1_001, 2_001, 50_000, 50_001].map(nice),
            [1_000, 2_000, 5_000, 50_000, 100_000]
        );
    }
}
