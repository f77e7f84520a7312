use super::Bench;

#[tokio::test]
async fn units_come_back_once_however_often_it_is_asked() {
    let bench = Bench::with(5).await;
    bench.hold("h1", 2).await;
    assert_eq!(bench.release("h1", 2, 1).await, (1, 5, 0));
    assert_eq!(bench.release("h1", 2, 1).await, (0, 5, 0));
}

#[tokio::test]
async fn two_releases_at_once_give_back_once() {
    let bench = Bench::with(5).await;
    bench.hold("h1", 2).await;
    bench.confirm("h1", false).await;
    let (one, two) = tokio::join!(bench.release("h1", 2, 1), bench.release("h1", 2, 1));
    assert_eq!(one.0 + two.0, 1);
    assert_eq!(bench.hold("h2", 5).await, (1, 0, 5));
}

#[tokio::test]
async fn a_release_of_an_older_epoch_is_done_and_one_of_a_newer_must_wait() {
    let bench = Bench::with(5).await;
    bench.hold("h1", 2).await;
    bench.rebuild(3, 5).await;
    let cases = [(2, (0, 5, 0)), (4, (-1, 5, 0)), (3, (1, 7, 0))];
    for (epoch, expected) in cases {
        assert_eq!(bench.release("h1", 2, epoch).await, expected, "epoch {epoch}");
    }
}

#[tokio::test]
async fn a_hold_that_was_withdrawn_can_be_admitted_and_released_again() {
    let bench = Bench::with(1).await;
    for _ in 0..3 {
        assert_eq!(bench.hold("h1", 1).await, (1, 0, 1));
        assert_eq!(bench.release("h1", 1, 1).await, (1, 1, 0));
    }
}
