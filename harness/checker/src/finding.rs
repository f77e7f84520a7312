//! What one rule found, before it is turned into a verdict.

use crate::{Anomaly, Bounds, Rule, RuleVerdict, Strength, Validity};
use onsale_history::OpId;

/// Anomalies that a verdict shows, at most; all are counted.
const SHOWN: usize = 10;
/// Unresolved operations that a verdict names, at most.
const NAMED: usize = 12;

/// What a rule found.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// Occasions on which the rule could have been broken, or was.
    pub occasions: u64,
    /// Violations found.
    pub violations: u64,
    /// The violations to show; the earliest ten are kept.
    pub anomalies: Vec<Anomaly>,
    /// The tightest bounds, where the rule limits a quantity.
    pub bounds: Option<Bounds>,
    /// What was looked at.
    pub note: String,
    /// Why nobody can say, if so.
    pub undecided: Option<String>,
    /// The operations whose resolution would settle it.
    pub unresolved: Vec<OpId>,
    /// This time the rule can only say `Held`, although it is exact on other histories.
    pub only_held: bool,
    /// This time passing is a proof, although the rule is merely sound on other histories.
    pub proves: bool,
}

impl Finding {
    /// A finding that looked at `occasions` decisive occasions.
    pub fn of(occasions: usize) -> Self {
        Self { occasions: occasions as u64, ..Self::default() }
    }
    /// Counts a violation and keeps its story if it is among the first ten.
    ///
    /// Telling is expensive, so `tell` is called only when the story will be shown. Violations are reported earliest
    /// first where that is cheap; [`Self::verdict`] sorts what was kept.
    pub fn violate(&mut self, tell: impl FnOnce() -> Anomaly) {
        self.violations += 1;
        if self.anomalies.len() < SHOWN {
            self.anomalies.push(tell());
        }
    }
    /// Counts several violations of one thing and tells the first.
    pub(crate) fn violate_all(&mut self, count: usize, tell: impl FnOnce() -> Anomaly) {
        if count > 0 {
            self.violate(tell);
            self.violations += count as u64 - 1;
        }
    }
    /// Notes an operation that nobody knows the outcome of.
    pub fn unsettled(&mut self, op: OpId) {
        if self.unresolved.len() < NAMED && !self.unresolved.contains(&op) {
            self.unresolved.push(op);
        }
    }

    /// The verdict of `rule`. `needed` occasions make it speak; an unsealed history proves nothing.
    pub fn verdict(
        mut self,
        rule: &dyn Rule,
        required: bool,
        needed: u64,
        sealed: bool,
    ) -> RuleVerdict {
        // What four operations prove is understood at a glance; it goes before what takes more.
        self.anomalies.sort_by_key(|anomaly| (anomaly.witness.operations.len() > 4, anomaly.at));
        let proof = self.proves || (rule.strength() == Strength::Exact && !self.only_held);
        let validity = if self.violations > 0 {
            Validity::Violated
        } else if self.undecided.is_some() {
            Validity::Undecided
        } else if self.occasions < needed {
            Validity::NotExercised
        } else if !sealed {
            Validity::Undecided
        } else if proof {
            Validity::Proved
        } else {
            Validity::Held
        };
        RuleVerdict {
            rule: rule.name().to_owned(),
            validity,
            strength: rule.strength(),
            required,
            occasions: self.occasions,
            occasions_needed: needed,
            violations: self.violations,
            bounds: self.bounds.take(),
            note: self.sentence(validity, needed, sealed),
            unresolved: self.unresolved,
            anomalies: self.anomalies,
        }
    }

    fn sentence(&self, validity: Validity, needed: u64, sealed: bool) -> String {
        match validity {
            Validity::Undecided => match &self.undecided {
                Some(why) => why.clone(),
                None if !sealed => {
                    "the record was not sealed: what is missing at its end could break the rule"
                        .to_owned()
                }
                None => self.note.clone(),
            },
            Validity::NotExercised => {
                let looked =
                    if self.note.is_empty() { String::new() } else { format!(": {}", self.note) };
                format!("{} of {needed} decisive occasions{looked}", self.occasions)
            }
            _ => self.note.clone(),
        }
    }
}
