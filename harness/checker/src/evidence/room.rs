//! What is known of each shopper's place in the waiting room, as intervals.

use crate::At;
use onsale_history::{BuyerId, CallKind, Class, History, Nanos, Operation, Outcome};
use std::collections::BTreeMap;

/// One stay in the waiting room: from a join to an admission, or to the loss of the position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spell {
    /// The position was not given before.
    pub(crate) join_start: Nanos,
    /// The position was given by then; never, when a join that nobody answered may have moved it.
    pub(crate) join_end: Nanos,
    /// The join that shows it.
    pub(crate) join: At,
    /// Not admitted before: the start of the last poll that said "queued", else of the join.
    pub(crate) admit_after: Nanos,
    /// The poll that said so.
    pub(crate) queued: Option<At>,
    /// Admitted by then; never, when it was not seen.
    pub(crate) admit_by: Nanos,
    /// The poll that said so.
    pub(crate) admitted: Option<At>,
}

/// All spells, in the order of buyers. After an admission a shopper is not followed further: a later answer may repeat it.
pub(crate) fn spells(history: &History) -> Vec<Spell> {
    let mut by_buyer = BTreeMap::<BuyerId, Vec<(At, &Operation)>>::new();
    for (at, op) in (0..).zip(&history.operations) {
        if matches!(op.kind(), CallKind::Join | CallKind::Poll) {
            by_buyer.entry(op.call.buyer).or_default().push((at, op));
        }
    }
    let mut spells = Vec::with_capacity(by_buyer.len());
    for ops in by_buyer.values() {
        follow(ops, &mut spells);
    }
    spells
}

/// Joins whose position may count from now on.
struct Joins {
    /// Earliest start of a join that may have given the position.
    earliest: Option<Nanos>,
    /// Earliest start of a join that nobody answered: it may still land.
    open: Option<Nanos>,
    /// The join that was answered last: start and end.
    answered: Option<(Nanos, Nanos)>,
}

fn follow(ops: &[(At, &Operation)], spells: &mut Vec<Spell>) {
    let mut joins = Joins { earliest: None, open: None, answered: None };
    let mut current: Option<Spell> = None;
    for &(at, op) in ops {
        if current.is_some_and(|spell| spell.admit_by < op.start) {
            break;
        }
        match (op.kind(), op.outcome()) {
            (CallKind::Join, Outcome::Ok) => {
                let start = joins.earliest.map_or(op.start, |earliest| earliest.min(op.start));
                joins.earliest = Some(start);
                joins.answered = joins.answered.max(Some((op.start, op.end)));
                let end = if joins.open.is_some() { Nanos::NEVER } else { op.end };
                let before = current.filter(|spell| spell.admitted.is_some());
                if before.is_none() {
                    let queued = current
                        .and_then(|spell| spell.queued.map(|poll| (spell.admit_after, poll)));
                    // A poll that began before this join ended says nothing of the position that the join may have given.
                    let spell = Spell {
                        join_start: start,
                        join_end: end,
                        join: at,
                        admit_after: queued.map_or(start, |(after, _)| after),
                        queued: None,
                        admit_by: Nanos::NEVER,
                        admitted: None,
                    };
                    spells.extend(current.filter(|spell| spell.queued.is_some()));
                    current = Some(spell);
                }
            }
            (CallKind::Join, Outcome::Indeterminate(_)) => {
                joins.earliest = joins.earliest.or(Some(op.start));
                joins.open = joins.open.or(Some(op.start));
                // It may take the place of a position that is lost meanwhile, unseen.
                if let Some(spell) = current.take_if(|spell| spell.admitted.is_none()) {
                    spells.extend(spell.queued.map(|_| spell));
                    current = Some(Spell { join_end: Nanos::NEVER, queued: None, ..spell });
                }
            }
            (CallKind::Poll, Outcome::Failed(Class::Queued)) => {
                if let Some(spell) = current.as_mut().filter(|spell| spell.admitted.is_none()) {
                    spell.admit_after = spell.admit_after.max(op.start);
                    spell.queued = Some(at);
                }
            }
            (CallKind::Poll, Outcome::Ok) => {
                if let Some(spell) = current.as_mut().filter(|spell| op.end < spell.admit_by) {
                    spell.admit_by = op.end;
                    spell.admitted = Some(at);
                }
            }
            (CallKind::Poll, Outcome::Failed(Class::Expired | Class::NotFound))
                if current.is_none_or(|spell| spell.admitted.is_none()) =>
            {
                spells.extend(current.take());
                let beside = joins.answered.filter(|join| join.1 >= op.start).map(|join| join.0);
                joins.earliest = [joins.open, beside].into_iter().flatten().min();
            }
            _ => {}
        }
    }
    spells.extend(current);
}
