use super::Bench;
use onsale_shop::admission::scripts::{Due, reap};

#[tokio::test]
async fn a_decided_hold_is_no_longer_in_doubt() {
    let bench = Bench::with(5).await;
    bench.hold("h1", 2).await;
    assert_eq!(bench.confirm("h1", false).await, (1, 3, 0));
    assert_eq!(bench.confirm("h1", false).await, (1, 3, 0), "a repeat changes nothing");
}

#[tokio::test]
async fn a_hold_that_is_not_here_is_left_alone() {
    assert_eq!(Bench::with(5).await.confirm("h1", true).await, (0, 5, 0));
}

#[tokio::test]
async fn what_is_sold_is_never_reaped() {
    let bench = Bench::with(5).await;
    for hold in ["held", "sold"] {
        bench.hold(hold, 1).await;
        bench.confirm(hold, hold == "sold").await;
    }
    let (_, reaped) = reap(&bench.store, &bench.bucket, Due::Expired, 1_000, 10).await.unwrap();
    assert_eq!(reaped, ["held"]);
}

#[tokio::test]
async fn a_sold_hold_no_longer_blocks_its_account() {
    let bench = Bench::with(5).await;
    bench.ask("h1", 1, "buyer", true).await.unwrap();
    bench.confirm("h1", true).await;
    assert_eq!(bench.ask("h2", 1, "buyer", true).await.unwrap().status, 1);
}

#[tokio::test]
async fn two_confirmations_at_once_count_once() {
    let bench = Bench::with(5).await;
    bench.hold("h1", 2).await;
    let (one, two) = tokio::join!(bench.confirm("h1", false), bench.confirm("h1", true));
    assert_eq!((one, two), ((1, 3, 0), (1, 3, 0)));
}
