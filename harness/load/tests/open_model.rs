//! Arrivals do not wait for the target: a target that freezes is seen to freeze, and nothing is left out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::time::Duration;
use support::Freeze;

const FREEZE: Freeze = Freeze { every: Duration::from_secs(2), lasts: Duration::from_millis(200) };

/// With as few workers as this, a load that waited for answers would measure a freeze four times and miss hundreds.
const LOAD: &str = "shoppers: 1500, arrival: [{ lasts: 4s, shape: { poisson: 1 } }], personas: { human: 1 }, workers: 4, barrier: 0, limit: 30s";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_freeze_counts_for_everybody_who_was_due_and_nothing_is_dropped() {
    let url = support::target(Some(FREEZE)).await;
    let (swarm, _tell) = support::swarm(&url, LOAD);
    let stats = swarm.load().await.unwrap();

    let sum = |of: fn(&onsale_load::Second) -> u64| stats.seconds.iter().map(of).sum::<u64>();
    assert_eq!(swarm.live().done(), 1_500, "every shopper came and went");
    assert_eq!(stats.backlog, 0);
    assert_eq!(sum(|second| second.offered), stats.response.len());
    assert_eq!(sum(|second| second.offered), sum(|second| second.completed));
    assert_eq!(swarm.live().unknown(), 0);
    // A landing and at least one hold each.
    assert!(stats.response.len() >= 3_000, "only {} steps", stats.response.len());

    let [median, p99] = [0.5, 0.99].map(|share| stats.response.quantile_ms(share));
    assert!(p99 >= 100.0, "the freeze is hidden: p99 from the due time is {p99} ms");
    assert!(median < 50.0, "outside of the freeze nobody waits, but the median is {median} ms");
    let service = stats.service.quantile_ms(0.99);
    assert!(
        service < p99 / 2.0,
        "a freeze meets four requests under way ({service} ms) and many that are due ({p99} ms)"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_that_is_told_to_stop_counts_what_was_due_as_backlog() {
    let freeze = Freeze { every: Duration::from_mins(1), lasts: Duration::from_mins(1) };
    let url = support::target(Some(freeze)).await;
    let (swarm, tell) = support::swarm(
        &url,
        "shoppers: 400, arrival: [{ lasts: 500ms, shape: { constant: 1 } }], personas: { human: 1 }, workers: 2, barrier: 0, timeout: 1s, limit: 30s",
    );
    let live = swarm.live();
    let (stats, ()) = tokio::join!(swarm.load(), async {
        while live.sent() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tell.send_replace(true);
    });
    let stats = stats.unwrap();
    assert!(stats.backlog > 300, "{} steps were due and never left", stats.backlog);
    assert!(stats.achieved() < 0.1);
}
