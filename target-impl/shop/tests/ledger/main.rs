//! The ledger's transactions through its port, on SQLite.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

mod transactions;

use onsale_shop::admission::Bucket;
use onsale_shop::clock::{Clock, SharedClock};
use onsale_shop::defect::Defects;
use onsale_shop::gateway::Metrics;
use onsale_shop::ledger::{HoldCommand, HoldLine, Ledger, SqliteLedger, Verdict};
use onsale_shop::sqlite::Database;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Clocks that a test moves: the wall clock and the monotonic one apart.
#[derive(Default)]
struct Hands {
    wall_ms: AtomicU64,
    monotonic_ms: AtomicU64,
}

impl Clock for Hands {
    fn wall_ms(&self) -> u64 {
        self.wall_ms.load(Ordering::Relaxed)
    }
    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.monotonic_ms.load(Ordering::Relaxed))
    }
}

/// A ledger with the sale `e`: 3 units of `a` in 2 shards (2 and 1), holds of 1000 ms, 3 units an account.
struct Bench {
    ledger: SqliteLedger,
    hands: Arc<Hands>,
}

impl Bench {
    async fn open(directory: &Path, wall_ms: u64) -> Self {
        let hands = Arc::new(Hands::default());
        hands.wall_ms.store(wall_ms, Ordering::Relaxed);
        let clock: SharedClock = Arc::clone(&hands) as SharedClock;
        let database = Database::open(&directory.join("shop.db")).unwrap();
        let ledger = SqliteLedger::open(
            database,
            clock,
            Defects::default(),
            false,
            Arc::<Metrics>::default(),
        )
        .await
        .unwrap();
        let terms = serde_json::json!({
            "title": "Show", "price": 500, "currency": "eur", "sale_opens_at_ms": 0, "queue_opens_at_ms": 0,
            "skus": [{"sku": "a", "stock": 3, "shards": 2}],
            "hold_ttl_ms": 1_000, "one_hold": false, "account_limit": 3, "instrument_limit": 3, "late_capture": "refund",
            "queue": null, "puzzle": {"scheme": "none", "cost": 1, "max_number": 1, "ttl_ms": 1},
        });
        ledger
            .configure("e".into(), serde_json::from_value(terms).unwrap(), wall_ms)
            .await
            .unwrap();
        Self { ledger, hands }
    }

    fn pass(&self, ms: u64) {
        self.hands.monotonic_ms.fetch_add(ms, Ordering::Relaxed);
        self.hands.wall_ms.fetch_add(ms, Ordering::Relaxed);
    }

    async fn hold(&self, hold_id: &str, shard: u32, quantity: i64, epoch: u64) -> Verdict {
        let mut verdicts =
            self.ledger.hold(vec![command(hold_id, shard, quantity, epoch)]).await.unwrap();
        verdicts.remove(0)
    }
}

fn command(hold_id: &str, shard: u32, quantity: i64, epoch: u64) -> HoldCommand {
    HoldCommand {
        hold_id: hold_id.into(),
        body_hash: format!("{quantity} units"),
        event: "e".into(),
        account: format!("account of {hold_id}"),
        instrument: None,
        lines: vec![HoldLine { sku: "a".into(), shard, quantity, epoch, fallback: false }],
        acknowledged_until_ms: None,
    }
}

fn bucket(shard: u32) -> Bucket {
    Bucket { event: "e".into(), sku: "a".into(), shard }
}
