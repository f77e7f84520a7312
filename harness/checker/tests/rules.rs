//! Runs every case of every rule: `tests/rules/<rule>/*.case`.
//!
//! Above `---` is a history, below it what the rule under test says of it. `BLESS=1` rewrites what is below. Cases need
//! few occasions, so the rule is asked for one.

use onsale_checker::{RULES, RuleVerdict, Validity, check};
use onsale_history::{History, Names, notation};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules")
}

fn entries(path: &Path) -> Vec<PathBuf> {
    let Ok(listing) = std::fs::read_dir(path) else { return vec![] };
    let mut all: Vec<PathBuf> =
        listing.map(|entry| entry.expect("the folder can be read").path()).collect();
    all.sort();
    all
}

/// What the rule says, in the words of a case.
fn told(history: &History, names: &Names, row: &RuleVerdict) -> String {
    let validity = match row.validity {
        Validity::Proved => "proved",
        Validity::Held => "held",
        Validity::NotExercised => "not exercised",
        Validity::Undecided => "undecided",
        Validity::Violated => "violated",
    };
    let mut text = format!("{validity}\n");
    if matches!(row.validity, Validity::Undecided | Validity::NotExercised) {
        writeln!(text, "{}", row.note).expect("a string takes all");
    }
    let facts = onsale_checker::Facts::new(history, names);
    for anomaly in &row.anomalies {
        writeln!(text, "{}: {}", row.rule, anomaly.sentence).expect("a string takes all");
        for step in &anomaly.argument {
            writeln!(text, "  {step}").expect("a string takes all");
        }
        if let Some(margin) = anomaly.margin {
            writeln!(text, "  margin {margin}").expect("a string takes all");
        }
        for &op in &anomaly.witness.operations {
            writeln!(text, "  * {}", facts.tell(facts.at(op))).expect("a string takes all");
        }
    }
    for &op in &row.unresolved {
        writeln!(text, "  ? {}", facts.tell(facts.at(op))).expect("a string takes all");
    }
    text
}

/// The rule's verdict, and whether the case may stay as it is.
fn run(rule: &str, path: &Path) -> Result<Validity, String> {
    let text = std::fs::read_to_string(path).map_err(|why| why.to_string())?;
    let (above, below) = text.split_once("---\n").ok_or("there is no `---`")?;
    let (mut history, names) = notation::parse(above).map_err(|why| why.to_string())?;
    history.header.required.push(format!("{rule}>=1"));
    let verdict = check(&history, &names);
    let mut row = verdict.rules.into_iter().find(|row| row.rule == rule).ok_or("no such rule")?;
    // Alone, so that a cause that implies it does not take its story away.
    if row.anomalies.is_empty() && row.validity == Validity::Violated {
        let facts = onsale_checker::Facts::new(&history, &names);
        row.anomalies = onsale_checker::rule(rule).ok_or("no such rule")?.judge(&facts).anomalies;
    }
    let found = told(&history, &names, &row);
    if found == below {
        return Ok(row.validity);
    }
    #[expect(clippy::disallowed_methods, reason = "blessing is asked for by the environment")]
    if std::env::var("BLESS").is_ok() {
        std::fs::write(path, format!("{above}---\n{found}")).map_err(|why| why.to_string())?;
        return Ok(row.validity);
    }
    Err(format!("expected:\n{below}\nfound:\n{found}"))
}

#[test]
fn every_case_says_what_is_written_below_its_line() {
    let mut complaints = String::new();
    for path in entries(&folder()) {
        let rule = path.file_name().unwrap().to_string_lossy().into_owned();
        for case in entries(&path) {
            if let Err(why) = run(&rule, &case) {
                writeln!(complaints, "{}:\n{why}", case.display()).unwrap();
            }
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

#[test]
fn every_rule_has_a_case_it_catches_one_it_lets_pass_and_one_nobody_can_settle() {
    let mut complaints = String::new();
    for rule in RULES {
        let cases = entries(&folder().join(rule.name()));
        let said: Vec<Validity> =
            cases.iter().filter_map(|case| run(rule.name(), case).ok()).collect();
        let caught = said.contains(&Validity::Violated);
        let passed =
            said.iter().any(|validity| matches!(validity, Validity::Proved | Validity::Held));
        let open = cases.iter().any(|case| std::fs::read_to_string(case).unwrap().contains("-> ?"));
        if cases.len() < 3 || !caught || !passed || !open {
            writeln!(
                complaints,
                "{}: {} cases, caught {caught}, passed {passed}, open {open}",
                rule.name(),
                cases.len()
            )
            .unwrap();
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

#[test]
fn every_folder_of_cases_has_its_rule() {
    for path in entries(&folder()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(onsale_checker::rule(&name).is_some(), "`{name}` has cases and is no rule");
    }
}
