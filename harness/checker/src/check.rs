//! Runs every rule and decides the run.

use crate::{Facts, RULES, Rule, RuleVerdict, Validity, Verdict};
use onsale_history::{Class, FaultStage, History, MarkKind, Names, Nanos};

/// Judges a history. `names` serves the sentences only; it never changes a verdict.
pub fn check(history: &History, names: &Names) -> Verdict {
    let facts = Facts::new(history, names);
    let wanted = Wanted::parse(&history.header.required);
    let mut rules: Vec<RuleVerdict> =
        RULES.iter().map(|&rule| judge(rule, &facts, &wanted)).collect();
    fold(&mut rules);
    let unknown =
        history.operations.iter().filter(|op| op.outcome().class() == Class::Unknown).count()
            as u64;
    let (validity, sentence) = decide(history, &rules, unknown, &wanted);
    Verdict {
        validity,
        sentence,
        rules,
        operations: history.operations.len() as u64,
        unresolved: facts.unresolved_count(),
        unknown,
        sealed: history.sealed,
    }
}

/// The rules that a run requires, each with the occasions it asks for if they are not the rule's own: `oversell` or
/// `oversell>=5` for a workload too small for the usual number.
struct Wanted<'a>(Vec<(&'a str, Option<u64>)>);

impl<'a> Wanted<'a> {
    fn parse(required: &'a [String]) -> Self {
        let entry = |text: &'a String| match text.split_once(">=") {
            Some((name, count)) => (name.trim(), count.trim().parse().ok()),
            None => (text.as_str(), None),
        };
        Self(required.iter().map(entry).collect())
    }
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(wanted, _)| *wanted == name)
    }
    /// The occasions that the run asks of a rule, if not the rule's own number.
    fn occasions(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|(wanted, _)| *wanted == name).and_then(|(_, count)| *count)
    }
    fn unheard_of(&self) -> Option<&'a str> {
        self.0.iter().map(|(name, _)| *name).find(|name| crate::rule(name).is_none())
    }
}

fn judge(rule: &dyn Rule, facts: &Facts<'_>, wanted: &Wanted<'_>) -> RuleVerdict {
    let needed = wanted.occasions(rule.name()).unwrap_or_else(|| rule.occasions_needed());
    rule.judge(facts).verdict(rule, wanted.has(rule.name()), needed, facts.history.sealed)
}

/// Folds what is implied: the implied rule stays violated in its row, and its anomalies that share evidence or time with
/// the cause's are listed under the cause.
fn fold(rules: &mut [RuleVerdict]) {
    let violated: Vec<String> = rules
        .iter()
        .filter(|row| row.validity == Validity::Violated)
        .map(|row| row.rule.clone())
        .collect();
    for row in rules.iter_mut() {
        let Some(rule) = crate::rule(&row.rule) else { continue };
        let implied: Vec<String> = rule
            .implies()
            .iter()
            .filter(|name| violated.iter().any(|v| v == *name))
            .map(|&name| name.to_owned())
            .collect();
        for anomaly in &mut row.anomalies {
            anomaly.implies.clone_from(&implied);
        }
    }
    let causes: Vec<(String, Vec<String>)> = rules
        .iter()
        .filter(|row| row.validity == Validity::Violated)
        .filter_map(|row| {
            row.anomalies.first().map(|first| (row.rule.clone(), first.implies.clone()))
        })
        .collect();
    for row in rules.iter_mut().filter(|row| row.validity == Validity::Violated) {
        let Some((cause, _)) = causes.iter().find(|(_, implied)| implied.contains(&row.rule))
        else {
            continue;
        };
        row.anomalies.clear();
        row.note = format!(
            "follows from `{cause}`, where the evidence is shown; {} in all",
            row.violations
        );
    }
}

fn decide(
    history: &History,
    rules: &[RuleVerdict],
    unknown: u64,
    wanted: &Wanted<'_>,
) -> (Validity, String) {
    let names = |validity: Validity, required: bool| -> Vec<&str> {
        let rows =
            rules.iter().filter(|row| row.validity == validity && (row.required || !required));
        rows.map(|row| row.rule.as_str()).collect()
    };
    let violated = names(Validity::Violated, false);
    if !violated.is_empty() {
        return (Validity::Violated, format!("violated: {}", violated.join(", ")));
    }
    let undecided = |why: String| (Validity::Undecided, why);
    if !history.sealed {
        return undecided("the record was not sealed: nothing is proved".to_owned());
    }
    if let Some(name) = wanted.unheard_of() {
        return undecided(format!("the run requires the rule `{name}`, which does not exist"));
    }
    if unknown > 0 {
        return undecided(format!(
            "{unknown} answers were of a kind that the mapping does not know"
        ));
    }
    if let Some(why) = fault_trouble(history) {
        return undecided(why);
    }
    // What was not required may stay open or unexercised; a run that requires nothing asks about everything.
    let open = names(Validity::Undecided, !history.header.required.is_empty());
    if !open.is_empty() {
        return undecided(format!("undecided: {}", open.join(", ")));
    }
    let idle = names(Validity::NotExercised, true);
    if !idle.is_empty() {
        return undecided(format!("required but not exercised: {}", idle.join(", ")));
    }
    if names(Validity::Proved, false).is_empty() && names(Validity::Held, false).is_empty() {
        return (Validity::NotExercised, "no rule had enough occasions".to_owned());
    }
    passed(rules)
}

/// A run is proved when the rules about totals are proved and every other required one is proved or held.
fn passed(rules: &[RuleVerdict]) -> (Validity, String) {
    let count = |validity| rules.iter().filter(|row| row.validity == validity).count();
    let (proved, held) = (count(Validity::Proved), count(Validity::Held));
    let merely_held = rules.iter().find(|row| {
        row.required && row.validity == Validity::Held && TOTALS.contains(&row.rule.as_str())
    });
    match merely_held {
        Some(row) => (
            Validity::Held,
            format!("nothing was found; `{}` is about totals and only held", row.rule),
        ),
        None => {
            (Validity::Proved, format!("proved {proved} and held {held} of {} rules", rules.len()))
        }
    }
}

/// The rules about totals: what they limit was counted, not sampled.
const TOTALS: [&str; 7] = [
    "oversell",
    "double-reclaim",
    "broken-conservation",
    "double-charge",
    "orphan-charge",
    "free-ticket",
    "double-refund",
];

fn fault_trouble(history: &History) -> Option<String> {
    let stages = history.marks.iter().filter_map(|mark| match mark.kind {
        MarkKind::Fault { stage, .. } => Some((mark.at, stage)),
        _ => None,
    });
    let tell = |at: Nanos, what: &str| format!("a fault at {at} {what}");
    for (at, stage) in stages {
        match stage {
            FaultStage::Unfelt => return Some(tell(at, "was asked for and not felt")),
            FaultStage::Unhealed => return Some(tell(at, "could not be undone")),
            FaultStage::Requested | FaultStage::Effective | FaultStage::Healed => {}
        }
    }
    None
}
