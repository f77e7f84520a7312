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
    let rules = if names.len() == 1 { "rule is" } else { "rules are" };
    let mut sentence = format!(
        "{} of {} {rules} violated: {}.",
        names.len(),
        verdict.rules.len(),
        names.join(", ")
    );
    if let Some(first) = anomalies.first() {
        sentence += &format!(
            " {}: {}; first certain at t = {:.3} s",
            first.rule, first.sentence, first.at_s
        );
        sentence += &match &first.after_fault {
            Some(after) => format!(", {after}."),
            None => ".".to_owned(),
        };
    }
    sentence
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
        return format!("The record is not whole, and a record with holes proves nothing: {why}.");
    }
    if matches!(verdict.validity, Validity::Undecided | Validity::NotExercised) {
        return format!("Nobody can say: {}.", verdict.sentence);
    }
    match run.problems.as_slice() {
        [] => format!("Nobody can say: {}.", verdict.sentence),
        [only] => format!("The run is not valid: {only}."),
        [first, rest @ ..] => {
            format!("The run is not valid: {first}; and {} more reasons.", rest.len())
        }
    }
}

fn passed(verdict: &Verdict, run: &RunFacts) -> (&'static str, String, Tone) {
    let count = |validity| verdict.rules.iter().filter(|row| row.validity == validity).count();
    let (proved, held) = (count(Validity::Proved), count(Validity::Held));
    let mut sentence = format!(
        "{proved} of {} rules are proved and {held} held over {} operations",
        verdict.rules.len(),
        words::count(verdict.operations),
    );
    let idle = count(Validity::NotExercised);
    if idle > 0 {
        sentence += &format!("; {idle} were not exercised and not required");
    }
    let missed: Vec<&str> = run.missed().map(|threshold| threshold.name.as_str()).collect();
    if !missed.is_empty() {
        sentence += &format!("; missed {}", missed.join(", "));
    }
    sentence.push('.');
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
