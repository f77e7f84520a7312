//! Summaries of small histories, and of a simulated sale.

use onsale_checker::check;
use onsale_history::{History, Names, notation};
use onsale_report::{LoadFacts, RunFacts, Summary, Threshold};
use std::path::Path;

/// What the command would know of a run.
pub(crate) fn run_facts() -> RunFacts {
    RunFacts {
        run: "20261130-223501-quickstart-k3v9".into(),
        workload: "quickstart".into(),
        target: "the embedded target".into(),
        seed: 7,
        harness: "0.1.0".into(),
        replay: "onsale run workloads/quickstart.yaml --seed 7".into(),
        started_unix_ms: 1_796_078_101_000,
        phases: vec![("load".into(), 12.0), ("drain".into(), 0.3)],
        environment: vec![("kernel".into(), "Linux 6.1".into()), ("processors".into(), "2".into())],
        load: LoadFacts {
            shoppers: 5,
            offered: 20,
            sent: 20,
            completed: 20,
            achieved_share: 1.0,
            late_ms_p50: 0.1,
            late_ms_p99: 2.0,
            late_ms_max: 2.5,
            puzzles_solved: 3,
            puzzle_cpu_seconds: 0.2,
            personas: vec![("human".into(), 3), ("scalper".into(), 2)],
            ..LoadFacts::default()
        },
        thresholds: vec![Threshold {
            name: "p99".into(),
            limit: "< 250 ms".into(),
            value: "6 ms".into(),
            met: true,
        }],
        ..RunFacts::default()
    }
}

/// A history of `tests/fixtures`.
pub(crate) fn history(name: &str) -> (History, Names) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{name}.history"));
    let text = std::fs::read_to_string(path).expect("the fixture is there");
    notation::parse(&text).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// The rules that snapshots speak of: what others say in their notes is for their own tests to pin down.
const RULES: [&str; 4] = ["oversell", "overcommit", "late-reclaim", "double-charge"];

/// The summary of a history of `tests/fixtures`, by a few rules.
pub(crate) fn summary(name: &str, run: &RunFacts) -> Summary {
    let (history, names) = history(name);
    let mut verdict = check(&history, &names);
    verdict.rules.retain(|row| RULES.contains(&row.rule.as_str()));
    Summary::new(&history, &names, &verdict, run)
}
