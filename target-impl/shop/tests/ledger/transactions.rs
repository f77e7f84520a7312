use super::{Bench, bucket, command};
use onsale_shop::ledger::{
    Ledger, Outcome, OutcomeKind, OutcomeVerdict, PayCommand, PayVerdict, RemoveVerdict, State,
    Verdict,
};
use std::sync::atomic::Ordering;

async fn bench() -> (Bench, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    (Bench::open(directory.path(), 1_000_000).await, directory)
}

fn until(verdict: &Verdict) -> u64 {
    match verdict {
        Verdict::Held(granted) => granted.until_ms,
        other => panic!("not held: {other:?}"),
    }
}

#[tokio::test]
async fn the_remainder_is_on_shard_zero_and_no_bucket_gives_more_than_it_has() {
    let (bench, _directory) = bench().await;
    assert!(matches!(bench.hold("h1", 0, 2, 1).await, Verdict::Held(_)));
    assert_eq!(bench.hold("h2", 0, 1, 1).await, Verdict::Exhausted("a".into(), 0, 1));
    assert!(
        matches!(bench.hold("h2", 1, 1, 1).await, Verdict::Held(_)),
        "what was no verdict binds nobody"
    );
}

#[tokio::test]
async fn each_of_a_batch_gets_its_own_verdict_and_fences_grow() {
    let (bench, _directory) = bench().await;
    let batch = vec![
        command("h1", 0, 1, 1),
        command("h1", 0, 1, 1),
        command("h1", 0, 2, 1),
        command("h2", 0, 1, 1),
        command("h3", 0, 1, 1),
    ];
    let verdicts = bench.ledger.hold(batch).await.unwrap();
    let words: Vec<_> = verdicts
        .iter()
        .map(|verdict| match verdict {
            Verdict::Held(granted) => format!("held {} {}", granted.fence, granted.replayed),
            Verdict::KeyReused => "reused".into(),
            Verdict::Exhausted(..) => "exhausted".into(),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(words, ["held 1 false", "held 1 true", "reused", "held 2 false", "exhausted"]);
}

#[tokio::test]
async fn a_refusal_that_was_told_is_told_again_even_when_there_would_be_room() {
    let (bench, _directory) = bench().await;
    let with_card = |hold_id: &str, quantity| {
        let mut command = command(hold_id, 0, quantity, 1);
        command.instrument = Some("card".into());
        command
    };
    let account = "account of h1".to_owned();
    bench.ledger.hold(vec![with_card("h1", 2)]).await.unwrap();
    let refused = vec![Verdict::Refused("limit-exceeded".into())];
    assert_eq!(bench.ledger.hold(vec![with_card("h2", 2)]).await.unwrap(), refused);
    assert!(matches!(
        bench.ledger.cancel_hold("h1".into(), account).await.unwrap(),
        RemoveVerdict::Removed(_)
    ));
    assert_eq!(bench.ledger.hold(vec![with_card("h2", 2)]).await.unwrap(), refused);
    assert_eq!(
        bench.ledger.recall("h2".into(), "2 units".into()).await.unwrap(),
        Some(refused[0].clone())
    );
    assert!(matches!(
        bench.ledger.hold(vec![with_card("h3", 2)]).await.unwrap()[0],
        Verdict::Held(_)
    ));
}

#[tokio::test]
async fn a_rebuild_fences_what_was_admitted_before_and_of_two_with_one_view_one_wins() {
    let (bench, _directory) = bench().await;
    bench.hold("h1", 0, 1, 1).await;
    let rebuilt = bench.ledger.rebuild(bucket(0), Some(1)).await.unwrap().unwrap();
    let live: Vec<_> = rebuilt.live.iter().map(|live| live.hold.as_str()).collect();
    assert_eq!((rebuilt.epoch, rebuilt.free, live), (2, 1, vec!["h1"]));
    assert_eq!(bench.ledger.rebuild(bucket(0), Some(1)).await.unwrap(), None);
    assert_eq!(bench.hold("h2", 0, 1, 1).await, Verdict::Fenced("a".into(), 0, 2));
    assert!(
        matches!(bench.hold("h1", 0, 1, 1).await, Verdict::Held(_)),
        "a repeat is told what was told"
    );
    assert!(matches!(bench.hold("h2", 0, 1, 2).await, Verdict::Held(_)));
}

#[tokio::test]
async fn an_expired_hold_gives_its_unit_back_once_and_names_the_epoch() {
    let (bench, _directory) = bench().await;
    bench.hold("h1", 0, 2, 1).await;
    bench.pass(1_000);
    assert!(
        bench.ledger.expire(10).await.unwrap().is_empty(),
        "the reaper waits a little longer than was promised"
    );
    bench.pass(200);
    let expired = bench.ledger.expire(10).await.unwrap();
    assert_eq!(
        (expired.len(), expired[0].releases[0].quantity, expired[0].releases[0].epoch),
        (1, 2, 1)
    );
    assert!(bench.ledger.expire(10).await.unwrap().is_empty());
    let outbox = bench.ledger.outbox(10).await.unwrap();
    assert_eq!(outbox.len(), 1);
    bench.ledger.outbox_done(vec![outbox[0].0]).await.unwrap();
    assert!(bench.ledger.outbox(10).await.unwrap().is_empty());
    assert!(matches!(bench.hold("h2", 0, 2, 1).await, Verdict::Held(_)));
}

#[tokio::test]
async fn a_jump_of_the_wall_clock_moves_no_lease() {
    let (bench, _directory) = bench().await;
    bench.hold("h1", 0, 1, 1).await;
    bench.hands.wall_ms.store(99_000_000, Ordering::Relaxed);
    assert!(bench.ledger.expire(10).await.unwrap().is_empty());
    assert_eq!(until(&bench.hold("h2", 0, 1, 1).await), 1_001_000);
}

#[tokio::test]
async fn a_restart_under_an_earlier_wall_clock_promises_nothing_earlier() {
    let directory = tempfile::tempdir().unwrap();
    let before = Bench::open(directory.path(), 1_000_000).await;
    assert_eq!(until(&before.hold("h1", 0, 1, 1).await), 1_001_000);
    drop(before);
    let after = Bench::open(directory.path(), 500_000).await;
    assert_eq!(until(&after.hold("h2", 0, 1, 1).await), 1_001_000);
}

fn captured(event: &str) -> Outcome {
    let kind = OutcomeKind::Captured { amount: 500, currency: "EUR".into() };
    Outcome {
        event_id: Some(event.into()),
        attempt_id: Some("at_1-1".into()),
        psp_ref: "pi".into(),
        kind,
    }
}

async fn paying(bench: &Bench) {
    bench.hold("h_1", 0, 1, 1).await;
    let command = PayCommand {
        hold_id: "h_1".into(),
        account: "account of h_1".into(),
        instrument: "card".into(),
    };
    assert!(matches!(bench.ledger.pay(command).await.unwrap(), PayVerdict::Order(..)));
}

#[tokio::test]
async fn an_outcome_before_its_payment_is_known_leaves_no_trace_in_the_inbox() {
    let (bench, _directory) = bench().await;
    assert_eq!(bench.ledger.outcome(captured("evt")).await.unwrap(), OutcomeVerdict::Unknown);
    paying(&bench).await;
    let verdict = bench.ledger.outcome(captured("evt")).await.unwrap();
    assert!(
        matches!(verdict, OutcomeVerdict::Confirmed { .. }),
        "before the provider's answer told us its reference"
    );
    assert_eq!(bench.ledger.outcome(captured("evt")).await.unwrap(), OutcomeVerdict::Repeated);
    assert_eq!(bench.ledger.outcome(captured("evt2")).await.unwrap(), OutcomeVerdict::Nothing);
}

#[tokio::test]
async fn a_hold_that_is_being_paid_does_not_expire_and_late_money_goes_back() {
    let (bench, _directory) = bench().await;
    paying(&bench).await;
    bench.pass(10_000);
    assert!(bench.ledger.expire(10).await.unwrap().is_empty());
    assert!(bench.ledger.attempts_due(10).await.unwrap()[0].overdue);
    let cancelled = Outcome { event_id: None, kind: OutcomeKind::Cancelled, ..captured("-") };
    assert!(matches!(
        bench.ledger.outcome(cancelled.clone()).await.unwrap(),
        OutcomeVerdict::Failed(_)
    ));
    assert_eq!(bench.ledger.outcome(cancelled).await.unwrap(), OutcomeVerdict::Nothing);
    assert_eq!(
        bench.ledger.outcome(captured("evt")).await.unwrap(),
        OutcomeVerdict::RefundDue(None)
    );
    let due = bench.ledger.refunds_due(10).await.unwrap();
    assert_eq!((due.len(), due[0].number, due[0].captured), (1, 1, 500));
    for (number, done, left) in [(1, false, 1), (1, true, 1), (2, true, 0)] {
        bench.ledger.refunded(due[0].attempt_id.clone(), number, done).await.unwrap();
        assert_eq!(
            bench.ledger.refunds_due(10).await.unwrap().len(),
            left,
            "refund {number}, done: {done}"
        );
    }
}

#[tokio::test]
async fn a_checkout_on_time_is_accepted_and_a_late_one_is_not() {
    let (bench, _directory) = bench().await;
    for hold in ["h_1", "h_2"] {
        bench.hold(hold, 0, 1, 1).await;
    }
    let pay = |hold: &str| PayCommand {
        hold_id: hold.into(),
        account: format!("account of {hold}"),
        instrument: "card".into(),
    };
    bench.pass(1_000);
    assert!(
        matches!(bench.ledger.pay(pay("h_1")).await.unwrap(), PayVerdict::Order(..)),
        "at the last instant"
    );
    bench.pass(1);
    assert_eq!(bench.ledger.pay(pay("h_2")).await.unwrap(), PayVerdict::Conflict(State::Expired));
    assert_eq!(bench.ledger.pay(pay("h_3")).await.unwrap(), PayVerdict::Unknown);
    let foreign = PayCommand { account: "other".into(), ..pay("h_1") };
    assert_eq!(bench.ledger.pay(foreign).await.unwrap(), PayVerdict::Foreign);
}
