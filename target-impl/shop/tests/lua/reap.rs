use super::{Bench, seen};
use onsale_shop::admission::scripts::{Due, reap};

#[tokio::test]
async fn admissions_that_nobody_decided_come_back_when_their_time_is_over() {
    let bench = Bench::with(5).await;
    bench.hold("h1", 2).await;
    bench.hold("h2", 1).await;
    bench.confirm("h2", false).await;
    let cases = [
        (99, (0, 2, 2), vec![]),
        (100, (1, 4, 0), vec!["h1".to_owned()]),
        (100, (0, 4, 0), vec![]),
    ];
    for (until, expected, holds) in cases {
        let (reply, reaped) =
            reap(&bench.store, &bench.bucket, Due::Pending, until, 10).await.unwrap();
        assert_eq!((seen(&reply), reaped), (expected, holds), "until {until}");
    }
}

#[tokio::test]
async fn a_round_takes_no_more_than_it_may() {
    let bench = Bench::with(5).await;
    for hold in ["h1", "h2", "h3"] {
        bench.hold(hold, 1).await;
    }
    let (reply, reaped) = reap(&bench.store, &bench.bucket, Due::Pending, 1_000, 2).await.unwrap();
    assert_eq!((seen(&reply), reaped.len()), ((2, 4, 1), 2));
}

#[tokio::test]
async fn what_was_reaped_is_not_released_too() {
    let bench = Bench::with(5).await;
    bench.hold("h1", 2).await;
    reap(&bench.store, &bench.bucket, Due::Pending, 1_000, 10).await.unwrap();
    assert_eq!(bench.release("h1", 2, 1).await, (0, 5, 0));
}

#[tokio::test]
async fn two_reapers_at_once_give_back_once() {
    let bench = Bench::with(5).await;
    bench.hold("h1", 2).await;
    bench.confirm("h1", false).await;
    let round = || reap(&bench.store, &bench.bucket, Due::Expired, 1_000, 10);
    let (one, two) = tokio::join!(round(), round());
    assert_eq!(one.unwrap().0.status + two.unwrap().0.status, 1);
    assert_eq!(bench.hold("h2", 5).await, (1, 0, 5));
}
