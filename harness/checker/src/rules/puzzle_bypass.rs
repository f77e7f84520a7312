//! # puzzle-bypass
//!
//! **What it finds.** A place in the queue that was given for no puzzle solution, a wrong one, or one that was spent already.
//!
//! **Why it matters.** The puzzle is the price of a place. A solution that buys two places halves it; one that buys any number
//! abolishes it.
//!
//! **Evidence.** E0: the harness labels such joins `no-puzzle`, `forged-puzzle` and `reused-puzzle`.
//!
//! **Example.** Two accounts join with one solution and both get a position.
//!
//! **How it can be wrong.** A target may answer a second join of the same account with the position it has, and need not look
//! at the puzzle again. So a join of an account that may have joined before convicts only if its position is further back than the
//! one it had: that is a new place. Otherwise it counts for nothing, as do refusals for another reason and answers that
//! never came.
//!
//! **Cost.** One pass, O(n log n).

use crate::evidence::{Attack, attacks};
use crate::facts::millis;
use crate::{Facts, Finding, Rule, Story, Strength};
use onsale_history::{BuyerId, CallKind, Label, Nanos, Outcome};
use std::collections::BTreeMap;

/// The rule of this file.
pub(crate) struct PuzzleBypass;

const LABELS: [Label; 3] = [Label::NoPuzzle, Label::ForgedPuzzle, Label::ReusedPuzzle];

/// What an account had before: the start of its first other join that may have worked, and the furthest position told.
#[derive(Clone, Copy)]
struct Before {
    start: Nanos,
    position: Option<u32>,
}

impl Rule for PuzzleBypass {
    fn name(&self) -> &'static str {
        "puzzle-bypass"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("puzzle_bypass.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let before = honest_joins(facts);
        let mut finding = Finding::default();
        let (mut refused, mut unclear) = (0_u64, 0_u64);
        for (at, op, fate) in attacks(facts.history, CallKind::Join, &LABELS) {
            let had = before.get(&op.call.buyer).filter(|before| before.start <= op.end);
            let same = had.is_some_and(|before| {
                before.position.is_none_or(|position| op.answer.value <= position)
            });
            match fate {
                Attack::Refused => refused += 1,
                Attack::Succeeded if !same => finding.violate(|| {
                    let sentence = format!(
                        "{} joined the queue at position {} with {}",
                        facts.buyer_name(op.call.buyer),
                        op.answer.value,
                        meaning(op.call.label)
                    );
                    Story::new(facts, self.name(), op.end, sentence)
                        .op(at)
                        .step(format!(
                            "the join was made as `{}` and must be refused",
                            op.call.label
                        ))
                        .step(format!("however it was given a position by {}", millis(op.end)))
                        .end()
                }),
                Attack::Succeeded | Attack::Unclear => unclear += 1,
            }
        }
        finding.occasions = refused + finding.violations;
        finding.note = format!(
            "{refused} attacks refused, {unclear} answered by something else or not at all"
        );
        finding
    }
}

fn honest_joins(facts: &Facts<'_>) -> BTreeMap<BuyerId, Before> {
    let mut joins = BTreeMap::<BuyerId, Before>::new();
    for op in facts.history.operations.iter().filter(|op| op.kind() == CallKind::Join) {
        let counts =
            !matches!(op.outcome(), Outcome::Failed(_)) && !LABELS.contains(&op.call.label);
        if counts {
            let position = op.outcome().is_ok().then_some(op.answer.value);
            let entry = joins.entry(op.call.buyer).or_insert(Before { start: op.start, position });
            // An unanswered join leaves the position open for good.
            entry.position = entry.position.zip(position).map(|(one, two)| one.max(two));
        }
    }
    joins
}

const fn meaning(label: Label) -> &'static str {
    match label {
        Label::NoPuzzle => "no puzzle solution",
        Label::ForgedPuzzle => "a forged puzzle solution",
        _ => "a puzzle solution that was spent already",
    }
}
