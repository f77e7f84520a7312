//! What each format says of a run that is proved, violated, undecided, interrupted.
//!
//! Bless with `INSTA_UPDATE=always cargo test -p onsale-report`.

mod support;

use onsale_report::{
    ExitCode, RunFacts, Summary, Threshold, compare, json, junit, markdown, read, text,
};
use support::{run_facts, summary};

/// A run a row: its name, its history, what the command knows beside the usual, and its exit code.
fn runs() -> Vec<(&'static str, Summary, ExitCode)> {
    let with = |change: &dyn Fn(&mut RunFacts)| {
        let mut run = run_facts();
        change(&mut run);
        run
    };
    let interrupted = with(&|run| run.interrupted = Some("SIGINT".into()));
    let terminated = with(&|run| run.interrupted = Some("SIGTERM".into()));
    let full_disk = with(&|run| run.record_failure = Some("no space left on device".into()));
    let slow = with(&|run| {
        let threshold = Threshold {
            name: "p99.9".into(),
            limit: "< 5 ms".into(),
            value: "6 ms".into(),
            met: false,
        };
        run.thresholds.push(threshold);
    });
    let stuck = with(&|run| {
        run.faults = vec![onsale_report::FaultFacts {
            name: "redis-kill".into(),
            outcome: "unhealed".into(),
            ..Default::default()
        }];
    });
    let starved = with(&|run| {
        run.problems = vec!["only 71.0 % of the offered load was sent".into()];
        run.load.achieved_share = 0.71;
    });
    vec![
        ("proved", summary("proved", &run_facts()), ExitCode::Pass),
        ("violated", summary("violated", &run_facts()), ExitCode::Violated),
        ("undecided", summary("undecided", &run_facts()), ExitCode::Undecided),
        ("interrupted", summary("proved", &interrupted), ExitCode::Interrupted),
        ("terminated", summary("undecided", &terminated), ExitCode::Terminated),
        ("interrupted-and-violated", summary("violated", &interrupted), ExitCode::Violated),
        ("full-disk", summary("proved", &full_disk), ExitCode::Undecided),
        ("slow", summary("proved", &slow), ExitCode::Threshold),
        ("stuck", summary("proved", &stuck), ExitCode::Unhealed),
        ("starved", summary("proved", &starved), ExitCode::Undecided),
    ]
}

#[test]
fn every_run_exits_with_its_code_and_its_last_line_says_so() {
    for (name, summary, code) in runs() {
        assert_eq!(summary.exit(), code, "{name}");
        let text = text(&summary);
        let last = text.lines().last().expect("there is a last line");
        assert!(last.starts_with(&format!("onsale: {}", summary.banner.word)), "{name}: {last}");
        assert!(last.ends_with(&format!(", seed 7, exit {code}")), "{name}: {last}");
        assert!(text.lines().count() <= 14, "{name}:\n{text}");
    }
}

#[test]
fn the_terminal_tells_each_run_in_its_own_words() {
    for (name, summary, _) in runs() {
        insta::assert_snapshot!(format!("text-{name}"), text(&summary));
    }
}

#[test]
fn markdown_tells_the_same() {
    for (name, summary, _) in runs().into_iter().take(4) {
        insta::assert_snapshot!(format!("markdown-{name}"), markdown(&summary));
    }
}

#[test]
fn junit_has_a_case_for_every_rule_and_threshold() {
    for (name, summary, _) in runs().into_iter().take(4) {
        let text = junit(&summary);
        let cases = text.matches("<testcase ").count();
        assert_eq!(cases, 1 + summary.rules.len() + summary.thresholds.len(), "{name}");
        insta::assert_snapshot!(format!("junit-{name}"), text);
    }
}

#[test]
fn a_report_is_read_back_as_it_was_and_another_version_is_refused() {
    for (name, summary, _) in runs() {
        let text = json(&summary);
        assert_eq!(read(&text).expect("what was written can be read"), summary, "{name}");
        let other = text.replacen("\"schema_version\": 1", "\"schema_version\": 2", 1);
        let why = read(&other).expect_err("another version is not read").to_string();
        assert_eq!(why, "the report has schema version 2; this harness reads 1");
        read("{").expect_err("half a report is not read");
    }
}

#[test]
fn a_comparison_names_what_is_new_ongoing_and_resolved() {
    let (good, bad) = (summary("proved", &run_facts()), summary("violated", &run_facts()));
    insta::assert_snapshot!("compare-worse", compare(&good, &bad));
    let better = compare(&bad, &good);
    assert!(better.contains("resolved  oversell"), "{better}");
    let same = compare(&bad, &bad);
    assert!(same.contains("ongoing   oversell"), "{same}");
    assert!(compare(&good, &good).contains("as before"));
}

#[test]
fn the_evidence_is_told_and_kept_as_data() {
    let summary = summary("violated", &run_facts());
    let card = &summary.anomalies[0];
    assert_eq!(card.rule, "oversell");
    assert!(card.operations.len() >= 2, "{card:?}");
    for op in &card.operations {
        assert!(op.end_ns.is_none_or(|end| end >= op.start_ns));
        assert!(op.record.contains(&op.kind), "{op:?}");
    }
    let after = card.after_fault.as_deref().expect("a fault took effect before");
    assert!(after.contains("target-kill on gateway"), "{after}");
}

#[test]
fn what_others_said_cannot_break_the_terminal() {
    let mut run = run_facts();
    run.target = "shop\u{1b}[2J\u{9b}31m\r\nonsale: PROVED, exit 0".into();
    run.problems = vec!["the target said\nonsale: PROVED".into(), "and\u{7}\n\n\n".repeat(20)];
    let text = text(&summary("undecided", &run));
    assert!(text.lines().count() <= 14, "{text}");
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{}", text.escape_debug());
    assert_eq!(text.lines().filter(|line| line.starts_with("onsale: ")).count(), 1, "{text}");
}
