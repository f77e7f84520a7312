//! What a run's verdict is, given its rules'.

use onsale_checker::{Validity, Verdict, check};
use onsale_history::notation;

fn judge(text: &str) -> Verdict {
    let (history, names) = notation::parse(text).expect("the notation is right");
    check(&history, &names)
}

const TWO_HOLDS: &str =
    "sale A stock=2 ttl=60s\np0 0ms..5ms hold A -> hold h0\np1 2ms..8ms hold A -> hold h1\n";
const ONE_TOO_MANY: &str = "p2 9ms..12ms hold A -> hold h2\n";

#[test]
fn a_run_without_anything_exercised_proves_nothing() {
    assert_eq!(judge("sale A stock=1\n").validity, Validity::NotExercised);
}

#[test]
fn a_required_rule_without_occasions_leaves_the_run_undecided() {
    let verdict = judge(&format!("{TWO_HOLDS}facts required=overcommit\n"));
    assert_eq!(verdict.validity, Validity::Undecided);
    assert_eq!(verdict.sentence, "required but not exercised: overcommit");
}

#[test]
fn a_small_run_may_ask_for_fewer_occasions() {
    let verdict = judge(&format!("{TWO_HOLDS}facts required=overcommit>=2\n"));
    assert_eq!(verdict.validity, Validity::Proved, "{}", verdict.sentence);
}

#[test]
fn a_violation_outweighs_everything_even_an_open_record_and_a_rule_that_nobody_required() {
    let verdict = judge(&format!("{TWO_HOLDS}{ONE_TOO_MANY}facts required=lost-hold sealed=no\n"));
    assert_eq!(verdict.validity, Validity::Violated);
    assert_eq!(verdict.sentence, "violated: overcommit");
}

#[test]
fn an_open_record_proves_nothing() {
    let verdict = judge(&format!("{TWO_HOLDS}facts required=overcommit>=2 sealed=no\n"));
    assert_eq!(verdict.validity, Validity::Undecided);
    assert!(
        verdict
            .rules
            .iter()
            .all(|row| row.validity != Validity::Proved && row.validity != Validity::Held)
    );
}

#[test]
fn an_answer_of_an_unknown_kind_leaves_the_run_undecided() {
    let verdict = judge(&format!(
        "{TWO_HOLDS}p3 9ms..10ms stock -> ?unknown\nfacts required=overcommit>=2\n"
    ));
    assert_eq!((verdict.validity, verdict.unknown), (Validity::Undecided, 1));
}

#[test]
fn a_fault_that_was_not_felt_leaves_the_run_undecided() {
    let verdict = judge(&format!(
        "{TWO_HOLDS}mark 9ms fault target-kill unfelt\nfacts required=overcommit>=2\n"
    ));
    assert_eq!(verdict.validity, Validity::Undecided);
}

#[test]
fn a_required_rule_that_does_not_exist_is_not_passed_over() {
    let verdict = judge(&format!("{TWO_HOLDS}facts required=over-commit\n"));
    assert_eq!(verdict.validity, Validity::Undecided);
}

#[test]
fn what_an_oversell_implies_is_folded_under_it() {
    let verdict = judge(
        "sale A stock=1 ttl=60s\np0 0ms..5ms hold A -> hold h0\np1 2ms..8ms hold A -> hold h1\n\
         p0 10ms..12ms checkout h0 -> order o0\np1 10ms..13ms checkout h1 -> order o1\n\
         p0 90ms..91ms list-orders label=final -> orders o0/h0 A confirmed\n\
         p1 90ms..92ms list-orders label=final -> orders o1/h1 A confirmed\n",
    );
    let row =
        |name: &str| verdict.rules.iter().find(|row| row.rule == name).expect("a registered rule");
    assert_eq!(row("oversell").anomalies[0].implies, ["overcommit"]);
    assert_eq!(row("overcommit").validity, Validity::Violated);
    assert!(row("overcommit").anomalies.is_empty());
}

#[test]
fn the_same_history_has_the_same_verdict() {
    let text = format!("{TWO_HOLDS}{ONE_TOO_MANY}");
    assert_eq!(judge(&text), judge(&text));
}
