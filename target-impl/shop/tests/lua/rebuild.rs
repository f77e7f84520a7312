use super::{Bench, seen};
use onsale_shop::admission::scripts::{self, Due, Live};

fn live(hold: &str, sold: bool) -> Live {
    Live { hold: hold.into(), quantity: 1, account: format!("buyer of {hold}"), ends_ms: 200, sold }
}

#[tokio::test]
async fn a_rebuilt_bucket_knows_who_holds_and_who_bought() {
    let bench = Bench::with(5).await;
    bench.hold("ghost", 3).await;
    let known = [live("held", false), live("sold", true)];
    let reply = scripts::rebuild(&bench.store, &bench.bucket, 2, 3, &known).await.unwrap();
    assert_eq!((seen(&reply), reply.epoch), ((1, 3, 0), 2));
    assert_eq!(bench.hold("held", 1).await, (2, 3, 0), "a repeat of what is known");
    assert_eq!(bench.hold("ghost", 1).await, (1, 2, 1), "the ghost is forgotten");
    let (_, reaped) =
        scripts::reap(&bench.store, &bench.bucket, Due::Expired, 1_000, 10).await.unwrap();
    assert_eq!(reaped, ["held"]);
}

#[tokio::test]
async fn of_two_rebuilds_the_later_epoch_wins_in_whatever_order_they_arrive() {
    let bench = Bench::with(5).await;
    assert_eq!(bench.rebuild(3, 30).await.status, 1);
    assert_eq!(seen(&bench.rebuild(2, 20).await), (0, 30, 0));
    assert_eq!(seen(&bench.rebuild(3, 99).await), (0, 30, 0), "a repeat changes nothing");
}

#[tokio::test]
async fn of_two_rebuilds_at_once_one_counts() {
    let bench = Bench::with(5).await;
    let (one, two) = tokio::join!(bench.rebuild(2, 10), bench.rebuild(2, 20));
    assert_eq!(one.status + two.status, 1);
    assert_eq!(one.free, two.free);
}

#[tokio::test]
async fn versions_grow_over_rebuilds() {
    let bench = Bench::with(5).await;
    let before = bench.ask("h1", 1, "b", false).await.unwrap().version;
    assert!(bench.rebuild(2, 5).await.version > before);
}
