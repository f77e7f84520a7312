//! # rate-breach
//!
//! **What it finds.** More admissions within some stretch of time than the waiting room's rate and burst allow.
//!
//! **Why it matters.** The waiting room protects the shop behind it. A crowd let in at once is the outage it was to prevent.
//!
//! **Evidence.** E0: an admission happened after the start of the last poll that said "queued" (or of the join) and by the end of
//! the first that said "admitted". The header's rate r and burst b.
//!
//! **Example.** At 10 a second and one at once, five shoppers who were all told to wait at 100 ms are all in at 150 ms.
//!
//! **How it can be wrong.** It is sound, not complete: it counts only admissions whose whole interval lies in the stretch, so seldom polling
//! hides a breach. It grants the target 50 ms of unsteadiness in its timer, that is r × 50 ms and at least one more.
//! Each shopper counts once.
//!
//! **Cost.** A segment tree over the starts of the intervals, O(n log n).

use crate::evidence::{Spell, spells};
use crate::facts::millis;
use crate::{Bounds, Facts, Finding, Rule, Story, Strength};
use onsale_history::{Nanos, QueueFacts};

/// The rule of this file.
pub(crate) struct RateBreach;

/// How unsteady the target's timer may be, in seconds.
const UNSTEADY: f64 = 0.05;

impl Rule for RateBreach {
    fn name(&self) -> &'static str {
        "rate-breach"
    }
    fn strength(&self) -> Strength {
        Strength::Sound
    }
    fn source(&self) -> &'static str {
        include_str!("rate_breach.rs")
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let Some(queue) = facts.sale.queue else {
            return Finding {
                note: "the sale has no waiting room".to_owned(),
                ..Finding::default()
            };
        };
        let mut spells = spells(facts.history);
        spells.retain(|spell| spell.admitted.is_some());
        spells.sort_by_key(|spell| (spell.admit_by, spell.admit_after));
        let mut finding = Finding::of(spells.len());
        finding.note =
            format!("{} admissions between a poll that said so and the one before", spells.len());
        let Some(worst) = worst_stretch(&spells, queue.rate) else { return finding };
        let allowed = allowance(queue);
        finding.bounds = Some(Bounds {
            what: format!("admissions beyond {} a second in the densest stretch", queue.rate),
            definite: floor(worst.excess),
            possible: floor(worst.excess),
            limit: floor(allowed),
        });
        if worst.excess > allowed {
            finding.violate(|| self.tell(facts, &spells, &worst, queue));
        }
        finding
    }
}

/// What may come at once, with the timer's unsteadiness.
fn allowance(queue: QueueFacts) -> f64 {
    f64::from(queue.burst) + (queue.rate * UNSTEADY).max(1.0)
}

#[expect(clippy::cast_possible_truncation, reason = "counts of admissions are far below 2^63")]
fn floor(value: f64) -> i64 {
    value.floor() as i64
}

/// A stretch of time, with the admissions inside beyond what the rate gives.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    from: Nanos,
    to: Nanos,
    excess: f64,
}

/// The stretch [x, y] that maximises (intervals inside) − r (y − x). `spells` are sorted by their ends.
fn worst_stretch(spells: &[Spell], rate: f64) -> Option<Stretch> {
    let mut starts = spells.iter().map(|spell| spell.admit_after).collect::<Vec<_>>();
    starts.sort_unstable();
    starts.dedup();
    let base = *starts.first()?;
    let seconds = |at: Nanos| at.minus(base).as_millis_f64() / 1e3;
    let mut tree = Tree::new(&starts.iter().map(|&at| rate * seconds(at)).collect::<Vec<_>>());
    let mut worst: Option<Stretch> = None;
    for spell in spells {
        // The interval lies in every stretch that begins at or before its start.
        let place = starts.partition_point(|&at| at <= spell.admit_after);
        tree.raise(place);
        let reach = starts.partition_point(|&at| at <= spell.admit_by);
        let (value, at) = tree.best(reach);
        let excess = value - rate * seconds(spell.admit_by);
        if worst.is_none_or(|before| excess > before.excess) {
            worst = Some(Stretch { from: starts[at], to: spell.admit_by, excess });
        }
    }
    worst
}

/// Maximum with its place over a prefix, under "one more for every place before".
struct Tree {
    size: usize,
    /// For each node: the best value below it without what its ancestors add, and where.
    best: Vec<(f64, usize)>,
    /// What is added to all below.
    added: Vec<f64>,
}

impl Tree {
    fn new(values: &[f64]) -> Self {
        let size = values.len().next_power_of_two();
        let mut best = vec![(f64::NEG_INFINITY, 0); 2 * size];
        for (place, &value) in values.iter().enumerate() {
            best[size + place] = (value, place);
        }
        let mut tree = Self { size, best, added: vec![0.0; 2 * size] };
        for node in (1..size).rev() {
            tree.pull(node);
        }
        tree
    }
    fn pull(&mut self, node: usize) {
        let (left, right) = (self.best[2 * node], self.best[2 * node + 1]);
        let (value, place) = if left.0 >= right.0 { left } else { right };
        self.best[node] = (value + self.added[node], place);
    }
    /// Adds one to the places before `end`.
    fn raise(&mut self, end: usize) {
        self.raise_in(1, 0, self.size, end);
    }
    fn raise_in(&mut self, node: usize, from: usize, to: usize, end: usize) {
        if end <= from {
            return;
        }
        if to <= end {
            self.best[node].0 += 1.0;
            self.added[node] += 1.0;
            return;
        }
        let middle = from.midpoint(to);
        self.raise_in(2 * node, from, middle, end);
        self.raise_in(2 * node + 1, middle, to, end);
        self.pull(node);
    }
    /// The best of the places before `end`.
    fn best(&self, end: usize) -> (f64, usize) {
        self.best_in(1, 0, self.size, end)
    }
    fn best_in(&self, node: usize, from: usize, to: usize, end: usize) -> (f64, usize) {
        if end <= from {
            return (f64::NEG_INFINITY, 0);
        }
        if to <= end {
            return self.best[node];
        }
        let middle = from.midpoint(to);
        let left = self.best_in(2 * node, from, middle, end);
        let right = self.best_in(2 * node + 1, middle, to, end);
        let (value, place) = if left.0 >= right.0 { left } else { right };
        (value + self.added[node], place)
    }
}

impl RateBreach {
    fn tell(
        &self,
        facts: &Facts<'_>,
        spells: &[Spell],
        worst: &Stretch,
        queue: QueueFacts,
    ) -> crate::Anomaly {
        let inside = |spell: &&Spell| worst.from <= spell.admit_after && spell.admit_by <= worst.to;
        let inside = spells.iter().filter(inside).collect::<Vec<_>>();
        let span = worst.to.minus(worst.from);
        let sentence = format!(
            "{} shoppers were admitted within {}, at {} a second and {} at once",
            inside.len(),
            millis(span),
            queue.rate,
            queue.burst
        );
        let mut story = Story::new(facts, self.name(), worst.to, sentence)
            .step(format!("let {} shoppers be waiting at {} or later", inside.len(), millis(worst.from)))
            .step(format!("then all of them were admitted by {}", millis(worst.to)))
            .step(format!(
                "however the rate lets in {:.1} in that time, the burst {} more, and an unsteady timer {:.1}",
                queue.rate * span.as_millis_f64() / 1e3,
                queue.burst,
                allowance(queue) - f64::from(queue.burst)
            ));
        for spell in inside.iter().take(6) {
            story = story.ops(spell.queued.or(Some(spell.join))).ops(spell.admitted);
        }
        story.end()
    }
}

#[cfg(test)]
mod tests {
    use super::{Stretch, Tree, worst_stretch};
    use crate::evidence::Spell;
    use onsale_history::Nanos;

    fn spell(from: u64, to: u64) -> Spell {
        Spell {
            join_start: Nanos::ZERO,
            join_end: Nanos::ZERO,
            join: 0,
            admit_after: Nanos::from_millis(from),
            queued: None,
            admit_by: Nanos::from_millis(to),
            admitted: Some(0),
        }
    }

    fn by_force(spells: &[Spell], rate: f64) -> f64 {
        let mut best = f64::NEG_INFINITY;
        for one in spells {
            for two in spells.iter().filter(|two| one.admit_after <= two.admit_by) {
                let inside = |spell: &&Spell| {
                    one.admit_after <= spell.admit_after && spell.admit_by <= two.admit_by
                };
                let count = spells.iter().filter(inside).count();
                let seconds = two.admit_by.minus(one.admit_after).as_millis_f64() / 1e3;
                best = best.max(f64::from(u32::try_from(count).unwrap()) - rate * seconds);
            }
        }
        best
    }

    #[test]
    fn the_sweep_finds_what_trying_every_stretch_finds() {
        for seed in 0..500 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut spells = (0..rng.usize(1..20))
                .map(|_| {
                    let from = rng.u64(0..1_000);
                    spell(from, from + rng.u64(1..200))
                })
                .collect::<Vec<_>>();
            spells.sort_by_key(|spell| (spell.admit_by, spell.admit_after));
            let rate = rng.f64() * 30.0;
            let Some(Stretch { excess, .. }) = worst_stretch(&spells, rate) else {
                panic!("seed {seed}")
            };
            assert!((excess - by_force(&spells, rate)).abs() < 1e-6, "seed {seed}");
        }
    }

    #[test]
    fn the_tree_keeps_the_place_of_its_maximum() {
        let mut tree = Tree::new(&[0.0, 0.5, 0.2]);
        assert_eq!(tree.best(3).1, 1);
        tree.raise(1);
        assert_eq!(tree.best(3).1, 0);
        assert!(tree.best(0).0.is_infinite());
    }
}
