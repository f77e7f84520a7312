//! Every rule in a row.

use super::Tone;
use onsale_checker::{Strength, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one rule says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleRow {
    /// Its name.
    pub rule: String,
    /// What it says.
    pub state: Tone,
    /// `exact`, `sound` or `statistical`.
    pub strength: String,
    /// Must it be exercised for the run to pass?
    pub required: bool,
    /// The tightest bounds of what it limits.
    pub bounds: Option<BoundsRow>,
    /// Occasions on which it could have been broken.
    pub occasions: u64,
    /// Occasions that it asks for.
    pub occasions_needed: u64,
    /// Violations found.
    pub violations: u64,
    /// When it was first certainly broken, in seconds.
    pub first_at_s: Option<f64>,
    /// Why undecided, why not exercised, what was looked at.
    pub note: String,
    /// Operations whose resolution would settle it.
    pub unresolved: Vec<String>,
}

/// `units confirmed of A ∈ [1000, 1000] ≤ 1000`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoundsRow {
    /// What is counted.
    pub what: String,
    /// At least so much.
    pub definite: i64,
    /// At most so much.
    pub possible: i64,
    /// It may be so much.
    pub limit: i64,
}

impl std::fmt::Display for BoundsRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { what, definite, possible, limit } = self;
        let sign = if definite > limit { '>' } else { '≤' };
        write!(f, "{what} ∈ [{definite}, {possible}] {sign} {limit}")
    }
}

pub(super) fn rules(verdict: &Verdict) -> Vec<RuleRow> {
    let row = |rule: &onsale_checker::RuleVerdict| RuleRow {
        rule: rule.rule.clone(),
        state: rule.validity.into(),
        strength: match rule.strength {
            Strength::Exact => "exact",
            Strength::Sound => "sound",
            Strength::Statistical => "statistical",
        }
        .to_owned(),
        required: rule.required,
        bounds: rule.bounds.as_ref().map(|bounds| BoundsRow {
            what: bounds.what.clone(),
            definite: bounds.definite,
            possible: bounds.possible,
            limit: bounds.limit,
        }),
        occasions: rule.occasions,
        occasions_needed: rule.occasions_needed,
        violations: rule.violations,
        first_at_s: (rule.anomalies.iter().map(|anomaly| anomaly.at).min())
            .and_then(crate::words::seconds),
        note: rule.note.clone(),
        unresolved: rule.unresolved.iter().map(ToString::to_string).collect(),
    };
    verdict.rules.iter().map(row).collect()
}
