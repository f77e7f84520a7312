//! What runs beside the requests: consumers of the order queue, reaper, outbox, refunds, reconciler, waves, audit.

use super::Gateway;
use crate::admission::scripts::{Due, reap};
use crate::defect::Defect;
use crate::ledger::LedgerError;
use crate::orders::Consumer;
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How far the ledger is behind under `--admission redis-only`.
const REDIS_ONLY_LAG: Duration = Duration::from_millis(400);
/// An admission that the ledger has not answered for so long is taken back.
const PENDING_MAX: Duration = Duration::from_secs(5);
/// Holds that one round of the reaper takes at most.
const REAP_MAX: u32 = 500;

type Round = for<'a> fn(&'a Gateway) -> BoxFuture<'a, Result<(), LedgerError>>;

struct Worker {
    name: &'static str,
    period: fn(&Gateway) -> Duration,
    woken_by: fn(&Gateway) -> Option<&tokio::sync::Notify>,
    round: Round,
}

const fn nobody(_: &Gateway) -> Option<&tokio::sync::Notify> {
    None
}

const WORKERS: &[Worker] = &[
    Worker {
        name: "reaper",
        period: reaper_period,
        woken_by: nobody,
        round: |gateway| Box::pin(gateway.reap()),
    },
    Worker {
        name: "outbox",
        period: |_| Duration::from_millis(50),
        woken_by: |gateway| Some(&gateway.releases),
        round: |gateway| Box::pin(gateway.drain_outbox()),
    },
    Worker {
        name: "refunds",
        period: |_| Duration::from_millis(200),
        woken_by: |gateway| Some(&gateway.refunds),
        round: |gateway| Box::pin(gateway.refund_what_is_due()),
    },
    Worker {
        name: "attempts",
        period: |_| Duration::from_millis(100),
        woken_by: nobody,
        round: |gateway| Box::pin(gateway.reconcile_attempts()),
    },
    Worker {
        name: "events",
        period: |_| Duration::from_millis(400),
        woken_by: nobody,
        round: |gateway| Box::pin(gateway.reconcile_events()),
    },
    Worker {
        name: "waves",
        period: |_| Duration::from_millis(20),
        woken_by: nobody,
        round: |gateway| {
            Box::pin(async {
                gateway.release_waves().await;
                Ok(())
            })
        },
    },
    Worker {
        name: "pending",
        period: |_| Duration::from_secs(1),
        woken_by: nobody,
        round: |gateway| Box::pin(gateway.reap_pending()),
    },
];

/// The reaper's pause; the defect `reaper-late` sleeps for four lives of a hold.
fn reaper_period(gateway: &Gateway) -> Duration {
    let late = gateway.config.defects.has(Defect::ReaperLate);
    let ttl_ms =
        gateway.all_sales().iter().map(|sale| sale.terms.hold_ttl_ms).max().unwrap_or(1_000);
    if late { Duration::from_millis(4 * ttl_ms) } else { Duration::from_millis(50) }
}

/// One consumer a lane of the order queue.
pub(super) fn consumers(gateway: &Arc<Gateway>) -> Vec<JoinHandle<()>> {
    let (told, acknowledged) = (Arc::clone(&gateway.told), Arc::clone(&gateway.acknowledged));
    let consumer = Arc::new(Consumer {
        queue: Arc::clone(&gateway.queue),
        ledger: Arc::clone(&gateway.ledger),
        waiters: Arc::clone(&gateway.waiters),
        lag: gateway.redis_only().then_some(REDIS_ONLY_LAG),
        written: Box::new(move |batch| {
            for intent in batch.iter().filter(|intent| intent.acknowledged_until_ms.is_some()) {
                told.learn(&intent.hold_id);
                acknowledged.remove(&intent.hold_id);
            }
        }),
    });
    let lane = |lane| {
        let consumer = Arc::clone(&consumer);
        tokio::spawn(async move { consumer.run(lane).await })
    };
    (0..gateway.queue.lanes()).map(lane).collect()
}

/// Everything else.
pub(super) fn start(gateway: &Arc<Gateway>, stop: &watch::Sender<bool>) -> Vec<JoinHandle<()>> {
    let mut tasks: Vec<_> = WORKERS
        .iter()
        .map(|worker| tokio::spawn(run(Arc::clone(gateway), worker, stop.subscribe())))
        .collect();
    if !gateway.redis_only() {
        tasks.push(tokio::spawn(audit(Arc::clone(gateway), stop.subscribe())));
    }
    tasks
}

async fn run(gateway: Arc<Gateway>, worker: &'static Worker, mut stop: watch::Receiver<bool>) {
    loop {
        let woken = async {
            match (worker.woken_by)(&gateway) {
                Some(notify) => notify.notified().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep((worker.period)(&gateway)) => {}
            () = woken => {}
        }
        if let Err(error) = (worker.round)(&gateway).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                worker = worker.name,
                "a round failed"
            );
        }
    }
}

/// A bucket whose store and ledger disagree for two rounds without a change on either side is rebuilt.
async fn audit(gateway: Arc<Gateway>, mut stop: watch::Receiver<bool>) {
    let mut suspects = BTreeMap::new();
    loop {
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
        match gateway.audit_round(&suspects).await {
            Ok(found) => suspects = found,
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "the audit failed");
            }
        }
    }
}

/// What did not fit: the ledger's free units, the store's, and the store's version.
type Suspects = BTreeMap<crate::admission::Bucket, (i64, i64, u64)>;

impl Gateway {
    async fn reap(&self) -> Result<(), LedgerError> {
        if self.config.defects.has(Defect::ReaperStops) {
            return Ok(());
        }
        let expired = self.ledger.expire(REAP_MAX).await?;
        self.metrics.holds_expired.add_many(expired.len() as u64);
        for removed in &expired {
            self.release_now(removed).await;
        }
        Ok(())
    }

    async fn reap_pending(&self) -> Result<(), LedgerError> {
        let until_ms = self
            .lease_clock
            .now_ms()
            .saturating_sub(PENDING_MAX.as_millis().try_into().unwrap_or(u64::MAX));
        for sale in self.all_sales() {
            for shard in sale.shards() {
                match reap(&*self.store, &shard.bucket, Due::Pending, until_ms, REAP_MAX).await {
                    Ok((reply, reaped)) => {
                        self.hear(shard, &reply);
                        self.metrics.admissions_reaped.add_many(reaped.len() as u64);
                    }
                    Err(error) => tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "pending admissions were not reaped"
                    ),
                }
            }
        }
        Ok(())
    }

    async fn audit_round(&self, before: &Suspects) -> Result<Suspects, LedgerError> {
        let mut suspects = Suspects::new();
        for state in self.ledger.buckets().await? {
            let Some(sale) = self.sale(&state.bucket.event) else { continue };
            let Some(shard) = sale.shard(&state.bucket) else { continue };
            let (free, epoch, version) = shard.mirror.undecided();
            if epoch == state.epoch && free == state.free {
                continue;
            }
            let seen = (state.free, free, version);
            if before.get(&state.bucket) == Some(&seen) {
                tracing::warn!(
                    ?state,
                    free,
                    version,
                    "the store and the ledger disagree: rebuilding"
                );
                self.rebuild(&state.bucket, Some(state.epoch)).await;
            } else {
                suspects.insert(state.bucket, seen);
            }
        }
        Ok(suspects)
    }
}
