//! The two envelopes of a SKU: when units are certainly out, and when they possibly are.

use super::{At, Facts, Lease, SaleTimes};
use onsale_history::{
    Class, ConfirmPolicy, KeyId, Label, LateCapture, Nanos, OpId, Operation, Outcome,
};
use std::collections::BTreeMap;

/// Units that are out for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// From here on.
    pub from: Nanos,
    /// Until here (certain: not included; possible: included).
    pub to: Nanos,
    /// The earliest instant at which they may come back.
    pub returns_from: Nanos,
    /// How many.
    pub units: u32,
    /// The operation they are known by.
    pub at: At,
    /// Index of the lease in [`Facts::leases`], if it was acknowledged.
    pub lease: Option<u32>,
}

/// The envelopes of one SKU.
#[derive(Clone, Debug, Default)]
pub struct Envelope {
    /// Certain spans, by `from`.
    pub definite: Vec<Interval>,
    /// Possible spans, by `from`.
    pub possible: Vec<Interval>,
    /// Units of the first n possible spans.
    begun: Vec<u64>,
    /// Ends of possible spans with the units that had ended by then, in order.
    ended: Vec<(Nanos, u64)>,
    /// Earliest returns of possible spans with the units that may have returned by then, in order.
    returned: Vec<(Nanos, u64)>,
}

impl Envelope {
    /// Units of every possible span that meets `[from, to]`.
    pub fn possible_units(&self, from: Nanos, to: Nanos) -> u64 {
        let begun = self.begun[self.possible.partition_point(|span| span.from <= to)];
        begun - self.ended_before(from)
    }
    /// Units of every possible span that ended before `at`.
    pub fn ended_before(&self, at: Nanos) -> u64 {
        sum_before(&self.ended, |end| end < at)
    }
    /// Units that may have come back by `at`.
    pub fn returned_by(&self, at: Nanos) -> u64 {
        sum_before(&self.returned, |back| back <= at)
    }
    /// Sorts and sums.
    fn close(&mut self) {
        self.definite.sort_unstable_by_key(|span| (span.from, span.at));
        self.possible.sort_unstable_by_key(|span| (span.from, span.at));
        self.begun = vec![0];
        let mut total = 0;
        for span in &self.possible {
            total += u64::from(span.units);
            self.begun.push(total);
        }
        self.ended = sums(self.possible.iter().map(|span| (span.to, span.units)));
        // What must be back cannot come back later still.
        self.returned =
            sums(self.possible.iter().map(|span| (span.returns_from.min(span.to), span.units)));
    }
}

fn sums(all: impl Iterator<Item = (Nanos, u32)>) -> Vec<(Nanos, u64)> {
    let mut ends: Vec<(Nanos, u64)> = all
        .filter(|(at, _)| *at != Nanos::NEVER)
        .map(|(at, units)| (at, u64::from(units)))
        .collect();
    ends.sort_unstable();
    let mut total = 0;
    for entry in &mut ends {
        total += entry.1;
        entry.1 = total;
    }
    ends
}

fn sum_before(sums: &[(Nanos, u64)], counts: impl Fn(Nanos) -> bool) -> u64 {
    match sums.partition_point(|(at, _)| counts(*at)) {
        0 => 0,
        n => sums[n - 1].1,
    }
}

/// A try whose outcome nobody knows, and that was never acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ghost {
    pub(crate) at: At,
    /// It is gone by then, if it ever was.
    pub(crate) gone: Nanos,
    /// A later definite answer to the same key settled it.
    pub(crate) settled: bool,
}

/// Every SKU's envelopes, by SKU.
pub(super) fn envelopes(facts: &Facts<'_>, leases: &[Lease], ghosts: &[Ghost]) -> Vec<Envelope> {
    let mut all = vec![Envelope::default(); facts.sale.skus.len()];
    for (index, lease) in (0..).zip(leases) {
        let returns_from = lease.returns_from();
        for (sku, units) in facts.items(lease.grant) {
            let Some(entry) = all.get_mut(sku.index()).filter(|_| units > 0) else { continue };
            let span = |from, to| Interval {
                from,
                to,
                returns_from,
                units,
                at: lease.grant,
                lease: Some(index),
            };
            entry.definite.extend(lease.definite().map(|(from, to)| span(from, to)));
            entry.possible.push(span(lease.asked, lease.possible_end));
            if may_be_taken_again(facts, lease) {
                // Taken again while the expired unit was still on its way back: two are out for a time.
                let again = span(lease.asked, lease.expired_by(facts.sale));
                entry.possible.push(Interval { lease: None, ..again });
            }
        }
    }
    for ghost in ghosts {
        let op = facts.op(ghost.at);
        let returns_from =
            op.start.plus(facts.sale.ttl).minus(facts.sale.earliness).minus(facts.sale.clock_error);
        add(
            facts,
            &mut all,
            ghost.at,
            Interval {
                from: op.start,
                to: ghost.gone,
                returns_from,
                units: 0,
                at: ghost.at,
                lease: None,
            },
        );
    }
    for (at, op) in (0..).zip(&facts.history.operations) {
        if let Some(lag) = passing(facts, op) {
            let to = op.end.plus(lag).plus(facts.sale.clock_error);
            add(
                facts,
                &mut all,
                at,
                Interval { from: op.start, to, returns_from: op.start, units: 0, at, lease: None },
            );
        }
    }
    all.iter_mut().for_each(Envelope::close);
    all
}

/// May a lease that expired have been given another unit when its money came?
fn may_be_taken_again(facts: &Facts<'_>, lease: &Lease) -> bool {
    let again = facts.sale.late_capture == LateCapture::Rehold
        || facts.sale.confirm == ConfirmPolicy::Reacquire;
    again && lease.checked_out && !lease.continuous
}

fn add(facts: &Facts<'_>, all: &mut [Envelope], at: At, span: Interval) {
    for (sku, units) in facts.items(at) {
        if let Some(entry) = all.get_mut(sku.index()).filter(|_| units > 0) {
            entry.possible.push(Interval { units, ..span });
        }
    }
}

/// A refused hold may have had units in hand while it was being refused: admitted, then turned away at the limit; one
/// line of a cart taken, then put back. How long after the answer they may still be away, if at all.
fn passing(facts: &Facts<'_>, op: &Operation) -> Option<Nanos> {
    if op.kind() != onsale_history::CallKind::Hold {
        return None;
    }
    let cart = op.lines.0 != op.lines.1 && facts.items(facts.at(op.id)).nth(1).is_some();
    match op.outcome() {
        Outcome::Failed(Class::SoldOut) => cart.then_some(facts.sale.release_lag),
        Outcome::Failed(Class::Limit | Class::Conflict | Class::Invalid) => {
            Some(facts.sale.release_lag)
        }
        // Too many requests are turned away at the door; other kinds of "busy" may have been half-way in.
        Outcome::Failed(Class::Busy) => {
            (op.answer.status != 429).then_some(facts.sale.ttl.plus(facts.sale.grace))
        }
        _ => None,
    }
}

/// The tries of which nobody knows whether they hold units.
pub(super) fn ghosts(facts: &Facts<'_>, times: &SaleTimes) -> Vec<Ghost> {
    let mut all = Vec::new();
    let refused_again = other_bodies_refused(facts);
    for (at, op) in (0..).zip(&facts.history.operations) {
        if op.kind() != onsale_history::CallKind::Hold || !op.outcome().is_indeterminate() {
            continue;
        }
        let alone = op.call.label == Label::OtherBody;
        let tries =
            op.call.key.filter(|_| !alone).map_or(&[][..], |key: KeyId| facts.holds_of_key(key));
        if tries.iter().any(|&other| facts.op(other).outcome().is_ok()) {
            continue;
        }
        let ends = tries
            .iter()
            .map(|&other| facts.op(other))
            .filter(|other| other.start >= op.start && (settles(other) || locked_out(op, other)));
        let last = ends.map(|other| other.end).max();
        let last = last.or_else(|| refused_again.get(&op.id).copied());
        // A refusal of the same key is not kept by the target: a request that was stuck on its way may still be granted
        // after it. Only when the quiet begins is nothing in flight any more.
        let bound = match (last, times.quiesce) {
            (_, Some(quiet)) if op.start < quiet => quiet.max(last.unwrap_or_default()),
            (Some(end), Some(_)) => end,
            _ => Nanos::NEVER,
        };
        let gone = bound.plus(facts.sale.ttl).plus(facts.sale.grace).plus(facts.sale.clock_error);
        all.push(Ghost { at, gone, settled: last.is_some() });
    }
    all
}

/// Requests with another body that were answered at last, asked again: what they were, and the end of the refusal. The key
/// is bound to its first body, so neither of them holds anything.
fn other_bodies_refused(facts: &Facts<'_>) -> BTreeMap<OpId, Nanos> {
    let again = facts.history.operations.iter().filter(|op| {
        op.call.label == Label::OtherBody && matches!(op.outcome(), Outcome::Failed(Class::Invalid))
    });
    again.filter_map(|op| Some((op.call.link?, op.end))).collect()
}

/// A token that the door refuses when the same request comes again was no better the first time.
fn locked_out(op: &Operation, again: &Operation) -> bool {
    let attack = matches!(
        op.call.label,
        Label::ForgedToken
            | Label::ReplayedToken
            | Label::ExpiredToken
            | Label::NoToken
            | Label::Early
    );
    attack && matches!(again.outcome(), Outcome::Failed(Class::Denied))
}

/// The same key answered like this has no hold now.
fn settles(op: &Operation) -> bool {
    matches!(
        op.outcome(),
        Outcome::Failed(
            Class::SoldOut | Class::Limit | Class::Conflict | Class::NotOpen | Class::Expired
        )
    )
}
