//! What a judge says.

use onsale_history::{MarkId, Nanos, OpId};
use serde::{Deserialize, Serialize};

/// The five answers, best first; the worst required one decides the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Validity {
    /// An exact rule passes with nothing relevant unresolved.
    Proved,
    /// A sound but incomplete rule found nothing.
    Held,
    /// Too few decisive occasions.
    NotExercised,
    /// The limit lies between the bounds, or a budget was hit.
    Undecided,
    /// The definite bound breaks it.
    Violated,
}

/// What a rule can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// It finds every violation that the history can show; passing is a proof.
    Exact,
    /// What it finds is a violation; it may miss some.
    Sound,
    /// It speaks of likelihood, and says so.
    Statistical,
}

/// Bounds of the quantity that a rule limits: `confirmed ∈ [1000, 1000] ≤ 1000`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// What is counted.
    pub what: String,
    /// It is at least so much.
    pub definite: i64,
    /// It is at most so much.
    pub possible: i64,
    /// It may be so much.
    pub limit: i64,
}

/// What one rule says of one history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleVerdict {
    /// The rule's name (kebab-case).
    pub rule: String,
    /// The answer.
    pub validity: Validity,
    /// What it can say.
    pub strength: Strength,
    /// Must it be exercised for the run to pass?
    pub required: bool,
    /// Occasions on which the rule could have been broken, or was.
    pub occasions: u64,
    /// Occasions that it asks for before it speaks of anything but `NotExercised`.
    pub occasions_needed: u64,
    /// Violations found, witnesses shown or not.
    pub violations: u64,
    /// The tightest bounds, where the rule limits a quantity.
    pub bounds: Option<Bounds>,
    /// One sentence: why undecided, why not exercised, what was looked at.
    pub note: String,
    /// The operations whose resolution would settle an undecided rule (at most 12).
    pub unresolved: Vec<OpId>,
    /// The violations (at most 10): those with at most four operations first, and of these the earliest.
    pub anomalies: Vec<Anomaly>,
}

/// One violation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anomaly {
    /// The rule.
    pub rule: String,
    /// When it was first certain.
    pub at: Nanos,
    /// What happened, in one plain sentence.
    pub sentence: String,
    /// "Let H1 …; then …; however …: a contradiction": one step a line.
    pub argument: Vec<String>,
    /// By how much the instants contradict each other, where that can be said.
    pub margin: Option<Nanos>,
    /// The least evidence.
    pub witness: Witness,
    /// Rules whose anomalies follow from this one and are folded under it.
    pub implies: Vec<String>,
}

/// The least evidence for an anomaly: 1 to 12 operations and marks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// In order of their start.
    pub operations: Vec<OpId>,
    /// In order.
    pub marks: Vec<MarkId>,
    /// Why one precedes or contradicts another.
    pub edges: Vec<Edge>,
}

/// A reason between two operations of a witness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// From.
    pub from: OpId,
    /// To.
    pub to: OpId,
    /// Why, in words.
    pub reason: String,
}

/// What all rules say of a history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The run's answer: the worst of the required rules.
    pub validity: Validity,
    /// Why, in one sentence.
    pub sentence: String,
    /// Every rule, in the catalogue's order.
    pub rules: Vec<RuleVerdict>,
    /// Operations in the history.
    pub operations: u64,
    /// Operations that nobody knows the outcome of, after resolution.
    pub unresolved: u64,
    /// Operations whose answer no rule of the mapping knew.
    pub unknown: u64,
    /// The history was sealed; otherwise nothing is proved.
    pub sealed: bool,
}
