//! When a fault begins: at a time, or in a state of the sale.

use onsale_plan::Trigger;
use std::time::Duration;

/// Between two looks at the sale.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// What triggers look at; whoever drives the load knows it.
pub trait Watch: Send + Sync {
    /// Units of the hot SKUs that are free, as far as the load knows.
    fn free_stock(&self) -> u32;
    /// Holds granted so far.
    fn holds_granted(&self) -> u32;
    /// Whether anybody was refused for lack of stock.
    fn sold_out_seen(&self) -> bool;
}

/// Returns when the trigger fires. Times count from the call.
pub(crate) async fn fires(trigger: &Trigger, watch: &dyn Watch) {
    match *trigger {
        Trigger::At(time) => tokio::time::sleep(time).await,
        Trigger::StockBelow(units) => until(|| watch.free_stock() < units).await,
        // The nth grant was admitted and is not yet committed everywhere: the sooner, the better.
        Trigger::Holds(count) | Trigger::BetweenAdmitAndCommit(count) => {
            until(|| watch.holds_granted() >= count).await;
        }
        Trigger::FirstSoldOut => until(|| watch.sold_out_seen()).await,
    }
}

async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
