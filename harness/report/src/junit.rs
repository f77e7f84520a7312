//! JUnit: a case for every rule, every threshold and the run itself, for CI systems that know nothing else.

use crate::{RuleRow, Summary, Tone};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// `junit.xml`. Violated is a failure, undecided an error; so is a required rule that was not exercised, since the run does
/// not pass without it. Others that were not exercised are skipped.
pub fn junit(summary: &Summary) -> String {
    let run = &summary.run;
    let mut suite = TestSuite::new(format!("{} seed {}", run.workload, run.seed));
    suite.add_property(("run", run.id.as_str()));
    suite.add_property(("target", run.target.as_str()));
    suite.add_property(("replay", run.replay.as_str()));
    suite.add_test_case(run_case(summary));
    suite.add_test_cases(summary.rules.iter().map(|row| rule_case(summary, row)));
    suite.add_test_cases(summary.thresholds.iter().map(|threshold| {
        let case = TestCase::new(
            threshold.name.as_str(),
            status(threshold.met, || {
                format!(
                    "{} is {}, and should be {}",
                    threshold.name, threshold.value, threshold.limit
                )
            }),
        );
        classed(case, "onsale.thresholds")
    }));
    suite.set_time(Duration::try_from_secs_f64(run.wall_seconds).unwrap_or_default());
    let mut report = Report::new("onsale");
    report.add_test_suite(suite);
    report.to_string().expect("a report in memory is always written")
}

fn classed(mut case: TestCase, class: &str) -> TestCase {
    case.set_classname(class);
    case
}

fn status(good: bool, message: impl FnOnce() -> String) -> TestCaseStatus {
    if good {
        return TestCaseStatus::success();
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(message());
    status
}

fn error(message: &str, kind: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(message).set_type(kind);
    status
}

fn run_case(summary: &Summary) -> TestCase {
    let interrupted = summary.run.interrupted.iter().map(|signal| format!("stopped by {signal}"));
    let reasons: Vec<String> = interrupted.chain(summary.problems.iter().cloned()).collect();
    let status = if reasons.is_empty() {
        TestCaseStatus::success()
    } else {
        error(&reasons.join("; "), "undecided")
    };
    classed(TestCase::new("the-run-is-valid", status), "onsale.run")
}

fn rule_case(summary: &Summary, row: &RuleRow) -> TestCase {
    let status = match row.state {
        Tone::Violated => violated(summary, row),
        Tone::Undecided => error(&row.note, "undecided"),
        Tone::NotExercised if row.required => error(&row.note, "not-exercised"),
        Tone::NotExercised => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(row.note.as_str());
            status
        }
        Tone::Proved | Tone::Held | Tone::Neutral => TestCaseStatus::success(),
    };
    let mut case = classed(TestCase::new(row.rule.as_str(), status), "onsale.rules");
    let bounds = row.bounds.as_ref().map(|bounds| format!("; {bounds}")).unwrap_or_default();
    let occasions = format!("{}: {} occasions{bounds}", row.state.word(), row.occasions);
    case.set_system_out(occasions);
    case
}

fn violated(summary: &Summary, row: &RuleRow) -> TestCaseStatus {
    let card = summary.anomalies.iter().find(|card| card.rule == row.rule);
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(card.map_or(row.note.as_str(), |card| card.sentence.as_str()));
    status.set_type("violated");
    let mut lines = vec![format!("{} in all", row.violations)];
    if let Some(card) = card {
        lines.extend(card.argument.iter().cloned());
        lines.extend(card.operations.iter().map(|op| format!("{}  {}", op.id, op.record)));
    }
    lines.push(format!("replay: {}", summary.run.replay));
    status.set_description(lines.join("\n"));
    status
}
