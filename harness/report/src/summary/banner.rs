//! The answer, in a word and a sentence.

use super::{AnomalyCard, Tone};
use crate::{ExitCode, RunFacts, words};
use onsale_checker::{Validity, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Banner {
    /// `PROVED`, `HELD`, `VIOLATED`, `UNDECIDED` or `INTERRUPTED`.
    pub word: String,
    /// Why, in one sentence.
    pub sentence: String,
    /// Its colour.
    pub tone: Tone,
}

pub(super) fn banner(
    code: ExitCode,
    verdict: &Verdict,
    run: &RunFacts,
    anomalies: &[AnomalyCard],
) -> Banner {
    let (word, sentence, tone) = match code {
        ExitCode::Violated => ("VIOLATED", violated(verdict, anomalies), Tone::Violated),
        ExitCode::Interrupted | ExitCode::Terminated => {
            let signal = run.interrupted.as_deref().unwrap_or("a signal");
            let sentence =
                format!("The run was stopped early by {signal}; nothing is proved by a part.");
            ("INTERRUPTED", sentence, Tone::Undecided)
        }
        ExitCode::Pass | ExitCode::Threshold => passed(verdict, run),
        _ => ("UNDECIDED", undecided(verdict, run), Tone::Undecided),
    };
    Banner { word: word.to_owned(), sentence, tone }
}

fn violated(verdict: &Verdict, anomalies: &[AnomalyCard]) -> String {
    let rules = verdict.rules.iter().filter(|row| row.validity == Validity::Violated);
    let names: Vec<&str> = rules.map(|row| row.rule.as_str()).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let broken = format!(
        "{} of {} rules {are} violated: {}.",
        names.len(),
        verdict.rules.len(),
        names.join(", ")
    );
    let Some(AnomalyCard { rule, sentence, at_s, after_fault, .. }) = anomalies.first() else {
        return broken;
    };
    let after = after_fault.as_ref().map_or(String::new(), |after| format!(", {after}"));
    format!("{broken} {sentence} ({rule}), certain from t = {at_s:.3} s on{after}.")
}

fn undecided(verdict: &Verdict, run: &RunFacts) -> String {
    let unhealed = run.faults.iter().find(|fault| fault.is_unhealed());
    if let Some(fault) = unhealed {
        return format!(
            "The fault {} could not be undone; something may still be broken.",
            fault.name
        );
    }
    if let Some(why) = &run.record_failure {
        return format!("Nothing is proved, for the record is not whole: {why}.");
    }
    if matches!(verdict.validity, Validity::Undecided | Validity::NotExercised) {
        return format!("{}.", capital(&verdict.sentence));
    }
    match run.problems.as_slice() {
        [] => format!("{}.", capital(&verdict.sentence)),
        [only] => format!("The run is not valid: {only}."),
        [first, rest @ ..] => {
            format!("The run is not valid: {first}; and {} more reasons.", rest.len())
        }
    }
}

fn passed(verdict: &Verdict, run: &RunFacts) -> (&'static str, String, Tone) {
    let count = |validity| verdict.rules.iter().filter(|row| row.validity == validity).count();
    let (proved, held) = (count(Validity::Proved), count(Validity::Held));
    let mut parts = vec![format!(
        "{proved} of {} rules are proved and {held} held over {} operations",
        verdict.rules.len(),
        words::count(verdict.operations),
    )];
    let idle = count(Validity::NotExercised);
    if idle > 0 {
        let were = if idle == 1 { "was" } else { "were" };
        parts.push(format!("{idle} {were} not exercised and not required"));
    }
    let missed: Vec<&str> = run.missed().map(|threshold| threshold.name.as_str()).collect();
    if !missed.is_empty() {
        parts.push(format!("missed {}", missed.join(", ")));
    }
    let sentence = parts.join("; ") + ".";
    match verdict.validity {
        Validity::Held => {
            ("HELD", format!("{sentence} {}.", capital(&verdict.sentence)), Tone::Held)
        }
        _ => ("PROVED", sentence, Tone::Proved),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
