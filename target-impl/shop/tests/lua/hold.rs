use super::{Bench, seen};
use onsale_shop::admission::AdmissionError;
use onsale_shop::admission::scripts::{self, Admission, Bucket};

#[tokio::test]
async fn a_hold_takes_units_and_is_in_doubt_until_the_ledger_decides() {
    let bench = Bench::with(5).await;
    assert_eq!(bench.hold("h1", 2).await, (1, 3, 2));
    assert_eq!(bench.hold("h2", 3).await, (1, 0, 5));
}

#[tokio::test]
async fn a_repeat_is_admitted_again_and_changes_nothing() {
    let bench = Bench::with(5).await;
    bench.hold("h1", 2).await;
    assert_eq!(bench.hold("h1", 2).await, (2, 3, 2));
}

#[tokio::test]
async fn sold_out_is_told_only_when_no_unit_is_in_doubt() {
    let bench = Bench::with(1).await;
    bench.hold("h1", 1).await;
    assert_eq!(bench.hold("h2", 1).await, (-1, 0, 1), "the ledger may still refuse h1");
    bench.confirm("h1", false).await;
    assert_eq!(bench.hold("h2", 1).await, (0, 0, 0));
    assert_eq!(
        Bench::with(3).await.hold("h1", 4).await,
        (0, 3, 0),
        "no part of a quantity is given"
    );
}

#[tokio::test]
async fn a_bucket_that_was_never_built_is_not_found() {
    let bench = Bench::with(1).await;
    let other = Bucket { event: "other".into(), ..bench.bucket.clone() };
    let ask = Admission {
        hold: "h",
        quantity: 1,
        account: "b",
        now_ms: 1,
        ends_ms: 2,
        one_hold: false,
        pending: true,
    };
    let answer = scripts::hold(&bench.store, &other, ask).await;
    assert_eq!(answer, Err(AdmissionError::NotBuilt { script: "hold" }));
}

#[tokio::test]
async fn an_account_that_holds_units_is_refused_under_the_policy_of_one_hold() {
    let bench = Bench::with(5).await;
    assert_eq!(seen(&bench.ask("h1", 1, "buyer", true).await.unwrap()), (1, 4, 1));
    assert_eq!(
        seen(&bench.ask("h2", 1, "buyer", true).await.unwrap()),
        (-1, 4, 1),
        "h1 is in doubt"
    );
    bench.confirm("h1", false).await;
    assert_eq!(seen(&bench.ask("h2", 1, "buyer", true).await.unwrap()), (-2, 4, 0));
    assert_eq!(
        seen(&bench.ask("h2", 1, "buyer", false).await.unwrap()),
        (1, 3, 1),
        "without the policy it may"
    );
}

#[tokio::test]
async fn of_many_callers_at_once_as_many_get_a_unit_as_there_are() {
    let bench = Bench::with(7).await;
    let names: Vec<_> = (0..50).map(|i| format!("h{i}")).collect();
    let answers =
        futures_util::future::join_all(names.iter().map(|name| bench.hold(name, 1))).await;
    assert_eq!(answers.iter().filter(|answer| answer.0 == 1).count(), 7);
    assert!(answers.iter().all(|answer| answer.1 >= 0));
}

#[tokio::test]
async fn the_twin_reserve_without_check_never_says_sold_out() {
    let bench = Bench::with_defects(1, "reserve-without-check").await;
    for (hold, free) in [("h1", 0), ("h2", -1)] {
        assert_eq!(bench.hold(hold, 1).await.0, 1);
        assert_eq!(
            bench.hold(hold, 1).await,
            (2, free, 1 - free),
            "a repeat still changes nothing"
        );
    }
}

#[tokio::test]
async fn the_twin_lost_decrement_takes_nothing_off_for_one_in_eight() {
    let bench = Bench::with_defects(9, "lost-decrement").await;
    let mut free = Vec::new();
    for hold in ["h0", "h1", "h7", "h8"] {
        free.push(bench.hold(hold, 1).await.1);
    }
    assert_eq!(free, [9, 8, 7, 7]);
}
