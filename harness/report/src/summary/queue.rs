//! Who came, and who was let in.

use crate::words;
use onsale_history::{BuyerId, CallKind, History, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The waiting room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Queue {
    /// `fifo` or `lottery`.
    pub method: String,
    /// Shoppers that joined.
    pub joined: u64,
    /// Shoppers that were let in.
    pub admitted: u64,
    /// Pairs of them let in against the order in which their joins were answered. Polls see an admission late, so a few
    /// neighbours always trade places: `overtake` is the judge, this is the picture.
    pub inversions: u64,
    /// Kendall's tau: 1 is the same order, 0 is chance, -1 is the other way round.
    pub tau: Option<f64>,
    /// Some of them, evenly: by arrival.
    pub points: Vec<QueuePoint>,
    /// How long they waited, in seconds: the median, the 99th percentile, the longest.
    pub waited_s: [f64; 3],
}

/// One shopper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueuePoint {
    /// So many had joined before.
    pub arrival: u64,
    /// So many had been let in before.
    pub admission: u64,
}

/// Points at most.
const POINTS_MAX: usize = 800;

pub(super) fn queue(history: &History) -> Option<Queue> {
    let facts = history.header.sale.queue?;
    let mut joined: BTreeMap<BuyerId, Nanos> = BTreeMap::new();
    let mut admitted: BTreeMap<BuyerId, Nanos> = BTreeMap::new();
    for op in history.operations.iter().filter(|op| op.outcome().is_ok()) {
        let seen = match op.kind() {
            CallKind::Join => &mut joined,
            CallKind::Poll => &mut admitted,
            _ => continue,
        };
        let at = seen.entry(op.call.buyer).or_insert(op.end);
        *at = op.end.min(*at);
    }
    let mut both: Vec<(Nanos, Nanos)> =
        joined.iter().filter_map(|(buyer, at)| Some((*at, *admitted.get(buyer)?))).collect();
    both.sort_unstable();
    let mut waits: Vec<u64> = both.iter().map(|(join, admit)| admit.minus(*join).0).collect();
    waits.sort_unstable();
    let ranks = ranks(&both);
    let inversions = inversions(&ranks);
    let step = both.len().div_ceil(POINTS_MAX).max(1);
    let points = ranks.iter().enumerate().step_by(step);
    Some(Queue {
        method: format!("{:?}", facts.method).to_lowercase(),
        joined: joined.len() as u64,
        admitted: both.len() as u64,
        inversions,
        tau: tau(both.len() as u64, inversions),
        points: points
            .map(|(arrival, &admission)| QueuePoint {
                arrival: arrival as u64,
                admission: admission as u64,
            })
            .collect(),
        waited_s: [0.5, 0.99, 1.0].map(|quantile| quantile_s(&waits, quantile)),
    })
}

/// The place in the order of admissions, by arrival; those admitted at the same instant keep the order of arrival.
fn ranks(both: &[(Nanos, Nanos)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..both.len()).collect();
    order.sort_by_key(|&index| both[index].1);
    let mut ranks = vec![0; both.len()];
    for (rank, index) in order.into_iter().enumerate() {
        ranks[index] = rank;
    }
    ranks
}

/// Pairs that stand the wrong way round, counted by a Fenwick tree of what came before.
fn inversions(ranks: &[usize]) -> u64 {
    let mut tree = vec![0_u64; ranks.len() + 1];
    let mut found = 0;
    for (before, &rank) in ranks.iter().enumerate() {
        let (mut at, mut smaller) = (rank + 1, 0);
        while at > 0 {
            smaller += tree[at];
            at &= at - 1;
        }
        found += before as u64 - smaller;
        at = rank + 1;
        while at < tree.len() {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    found
}

fn tau(count: u64, inversions: u64) -> Option<f64> {
    let pairs = count * count.saturating_sub(1) / 2;
    (pairs > 0).then(|| words::rounded(1.0 - 2.0 * words::ratio(inversions, pairs)))
}

fn quantile_s(sorted: &[u64], quantile: f64) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a place in a list, by a share between 0 and 1"
    )]
    let at = (quantile * sorted.len().saturating_sub(1) as f64) as usize;
    sorted.get(at).map_or(0.0, |&wait| words::rounded(Nanos(wait).as_millis_f64() / 1e3))
}

#[cfg(test)]
mod tests {
    use super::{inversions, tau};

    #[test]
    fn inversions_are_counted_and_tau_follows() {
        let table: [(&[usize], u64, Option<f64>); 4] = [
            (&[0, 1, 2, 3], 0, Some(1.0)),
            (&[3, 2, 1, 0], 6, Some(-1.0)),
            (&[1, 0, 2, 3], 1, Some(0.666_667)),
            (&[0], 0, None),
        ];
        for (ranks, expected, tau_expected) in table {
            assert_eq!(inversions(ranks), expected, "{ranks:?}");
            assert_eq!(tau(ranks.len() as u64, expected), tau_expected, "{ranks:?}");
        }
    }
}
