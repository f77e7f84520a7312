//! Labelled attacks: what was tried, and whether it got through.

use crate::facts::millis;
use crate::{At, Facts, Finding, Story};
use onsale_history::{CallKind, Class, History, Label, Operation, Outcome};

/// What became of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attack {
    /// It was accepted.
    Succeeded,
    /// It was refused for what it was.
    Refused,
    /// It was refused for another reason, or nobody knows: it says nothing.
    Unclear,
}

/// Every attack of a kind under one of `labels`, with what became of it.
pub(crate) fn attacks<'a>(
    history: &'a History,
    kind: CallKind,
    labels: &'a [Label],
) -> impl Iterator<Item = (At, &'a Operation, Attack)> {
    let ours = move |entry: &(At, &Operation)| {
        entry.1.kind() == kind && labels.contains(&entry.1.call.label)
    };
    (0..).zip(&history.operations).filter(ours).map(|(at, op)| (at, op, fate(op)))
}

fn fate(op: &Operation) -> Attack {
    match op.outcome() {
        Outcome::Ok => Attack::Succeeded,
        Outcome::Failed(Class::Denied | Class::Expired | Class::Invalid | Class::Queued) => {
            Attack::Refused
        }
        Outcome::Failed(_) | Outcome::Indeterminate(_) => Attack::Unclear,
    }
}

/// The finding of a rule that says "this kind of attack must be refused".
pub(crate) fn judge_attacks(
    facts: &Facts<'_>,
    rule: &str,
    labels: &[Label],
    sentence: impl Fn(&Operation) -> String,
) -> Finding {
    let mut finding = Finding::default();
    let (mut refused, mut unclear) = (0_u64, 0_u64);
    for (at, op, fate) in attacks(facts.history, CallKind::Hold, labels) {
        match fate {
            Attack::Refused => refused += 1,
            Attack::Unclear => unclear += 1,
            Attack::Succeeded => finding.violate(|| {
                Story::new(facts, rule, op.end, sentence(op))
                    .op(at)
                    .step(format!(
                        "the hold was asked for as `{}` and must be refused",
                        op.call.label
                    ))
                    .step(format!("however it was granted by {}", millis(op.end)))
                    .end()
            }),
        }
    }
    finding.occasions = refused + finding.violations;
    finding.note =
        format!("{refused} attacks refused, {unclear} answered by something else or not at all");
    finding
}
