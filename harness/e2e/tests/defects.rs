//! Every defect of the reference shop is convicted by the rules that must speak; the rules that must stay silent do.
//!
//! Each `defects/<defect>.yaml` is one case. Ten seeds without a defect must stay proved, though the target is killed; the
//! canary is a case that must fail: if it passes, the pipeline is blind.

use libtest_mimic::{Arguments, Failed, Trial};
use onsale_e2e::{Outcome, RuleAnswer, root, run};
use serde::Deserialize;
use std::path::Path;

/// One case.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Case {
    /// The workload, from the workspace's root.
    #[serde(default = "small")]
    workload: String,
    /// Seeds to try, one run each, until one convicts; a race may need more than one.
    #[serde(default = "some_seeds")]
    seeds: Vec<u64>,
    /// All of these must be violated.
    must_speak: Vec<String>,
    /// These may be violated too, since they follow; all others must stay silent.
    #[serde(default)]
    may_speak: Vec<String>,
    /// Extra arguments.
    #[serde(default)]
    arguments: Vec<String>,
}

fn small() -> String {
    "workloads/small.yaml".into()
}

/// Many defects are races: a run in which one never had its occasion says nothing.
fn some_seeds() -> Vec<u64> {
    vec![7, 8, 9]
}

/// Kills the target right after a hold was answered.
const KILL: &str = "chaos/kill-at-commit.yaml";

fn main() {
    let mut arguments = Arguments::from_args();
    // Runs measure themselves; two at once would disturb each other.
    arguments.test_threads = Some(1);
    let mut trials: Vec<Trial> = cases()
        .into_iter()
        .map(|(name, case)| {
            let defect = name.clone();
            Trial::test(format!("{name} is convicted"), move || convicted(&defect, &case))
        })
        .collect();
    trials.extend((1..=3).map(|seed| {
        Trial::test(
            format!("answering before the commit is convicted with seed {seed}"),
            move || too_soon(seed),
        )
    }));
    trials.extend((1..=10).map(|seed| {
        Trial::test(format!("clean sale is proved with seed {seed}"), move || proved(seed))
    }));
    trials.push(Trial::test("canary that must fail is noticed", canary));
    libtest_mimic::run(&arguments, trials).exit();
}

fn cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/defects");
    let mut cases: Vec<(String, Case)> = std::fs::read_dir(folder)
        .expect("the folder of cases exists")
        .map(|entry| {
            let path = entry.expect("the folder can be read").path();
            let name = path
                .file_stem()
                .and_then(|name| name.to_str())
                .expect("a case has a name")
                .to_owned();
            let text = std::fs::read_to_string(&path).expect("a case can be read");
            let case = serde_yaml::from_str(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (name, case)
        })
        .collect();
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    cases
}

fn convicted(defect: &str, case: &Case) -> Result<(), Failed> {
    let mut last = Err("no seed given".into());
    for seed in &case.seeds {
        last = convicted_with(defect, case, *seed);
        if last.is_ok() {
            break;
        }
    }
    last
}

fn convicted_with(defect: &str, case: &Case, seed: u64) -> Result<(), Failed> {
    let results = tempfile::tempdir()?;
    let seed = seed.to_string();
    let mut arguments = vec!["--seed", &seed, "--defect", defect];
    arguments.extend(case.arguments.iter().map(String::as_str));
    let outcome = run(&case.workload, results.path(), &arguments);
    if outcome.code != 1 {
        return fail(&outcome, &format!("exit {} instead of 1", outcome.code));
    }
    let violated = outcome.rules_that("violated");
    if let Some(silent) = case.must_speak.iter().find(|rule| !violated.contains(&rule.as_str())) {
        return fail(&outcome, &format!("`{silent}` must speak; violated are {violated:?}"));
    }
    let allowed =
        |rule: &&&str| case.must_speak.iter().chain(&case.may_speak).any(|known| known == **rule);
    if let Some(loud) = violated.iter().find(|rule| !allowed(rule)) {
        return fail(&outcome, &format!("`{loud}` must stay silent; violated are {violated:?}"));
    }
    Ok(())
}

/// The target dies in the middle and comes back; the safe design is proved all the same. A busy machine may leave a run
/// undecided; that, and only that, is tried once more.
fn proved(seed: u64) -> Result<(), Failed> {
    let attempt = || -> Result<Outcome, Failed> {
        let results = tempfile::tempdir()?;
        Ok(run(&small(), results.path(), &["--chaos", KILL, "--seed", &seed.to_string()]))
    };
    let mut outcome = attempt()?;
    if outcome.code == 3 {
        outcome = attempt()?;
    }
    if outcome.code == 0 {
        Ok(())
    } else {
        fail(&outcome, &format!("exit {} instead of 0", outcome.code))
    }
}

/// The same kill and seed under the design that answers after the Lua script and writes its ledger later.
fn too_soon(seed: u64) -> Result<(), Failed> {
    let results = tempfile::tempdir()?;
    let seed = seed.to_string();
    let arguments = ["--chaos", KILL, "--seed", &seed, "--admission", "redis-only"];
    let outcome = run(&small(), results.path(), &arguments);
    let violated = outcome.rules_that("violated");
    if outcome.code == 1 && violated.contains(&"lost-hold") {
        return Ok(());
    }
    fail(
        &outcome,
        &format!("exit {} and violated {violated:?} instead of a lost hold", outcome.code),
    )
}

/// A clean sale must not satisfy a case that expects an oversell.
fn canary() -> Result<(), Failed> {
    let case = Case {
        workload: small(),
        seeds: vec![7],
        must_speak: vec!["oversell".into()],
        may_speak: vec![],
        arguments: vec![],
    };
    match convicted("", &case) {
        Err(_) => Ok(()),
        Ok(()) => Err("a sale without a defect was convicted as expected of a defect".into()),
    }
}

fn fail(outcome: &Outcome, why: &str) -> Result<(), Failed> {
    let mut notes = String::new();
    for answer in outcome
        .rules
        .values()
        .filter(|answer| !matches!(answer.validity.as_str(), "proved" | "held"))
    {
        let RuleAnswer { rule, validity, note, occasions } = answer;
        notes.extend([
            "\n  ",
            rule,
            " ",
            validity,
            ": ",
            note,
            " (",
            &occasions.to_string(),
            " occasions)",
        ]);
    }
    Err(format!("{why}{notes}\n{}\nin {}", outcome.text, root().display()).into())
}
