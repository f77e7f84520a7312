//! T7 at the gateway: a bucket of the admission store is written anew from the ledger. Also the release of units.

use super::Gateway;
use super::sale::Shard;
use super::service::StartError;
use crate::admission::{AdmissionError, Bucket, BucketReply, scripts};
use crate::ledger::{LedgerError, Release, Removed};

impl Gateway {
    /// Takes a reply into memory.
    pub(super) fn hear(&self, shard: &Shard, reply: &BucketReply) {
        shard.mirror.hear(reply, self.clock.monotonic());
    }

    /// Rebuilds a bucket if its epoch in the ledger is still `seen`, or in any case.
    pub(super) async fn rebuild(&self, bucket: &Bucket, seen: Option<u64>) {
        let Some(sale) = self.sale(&bucket.event) else { return };
        let Some(shard) = sale.shard(bucket) else { return };
        if let Err(error) = self.rebuild_as(shard, seen).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                ?bucket,
                "a bucket was not rebuilt"
            );
        }
    }

    pub(super) async fn rebuild_as(
        &self,
        shard: &Shard,
        seen: Option<u64>,
    ) -> Result<(), StartError> {
        let _alone = shard.rebuilding.lock().await;
        if let Some(seen) = seen
            && shard.mirror.undecided().1 > seen
        {
            return Ok(());
        }
        let rebuilt =
            self.ledger.rebuild(shard.bucket.clone(), seen).await.map_err(StartError::Ledger)?;
        let Some(rebuilt) = rebuilt else { return Ok(()) };
        let reply = scripts::rebuild(
            &*self.store,
            &shard.bucket,
            rebuilt.epoch,
            rebuilt.free,
            &rebuilt.live,
        )
        .await;
        self.hear(shard, &reply.map_err(StartError::Admission)?);
        self.metrics.buckets_rebuilt.add();
        Ok(())
    }

    /// The store is behind or wrong about a bucket whose epoch in the ledger is `epoch`.
    pub(super) async fn catch_up(&self, bucket: &Bucket, epoch: u64, wrong: bool) {
        let behind = self
            .sale(&bucket.event)
            .and_then(|sale| sale.shard(bucket).map(|shard| shard.mirror.undecided().1 < epoch));
        if wrong || behind == Some(true) {
            self.rebuild(bucket, Some(epoch)).await;
        }
    }

    /// Gives units back to the store; is it done, or is the store behind?
    pub(super) async fn release(&self, release: &Release) -> Result<bool, AdmissionError> {
        let Release { bucket, epoch, hold_id, quantity } = release;
        let reply = scripts::release(&*self.store, bucket, hold_id, *quantity, *epoch).await?;
        if let Some(sale) = self.sale(&bucket.event)
            && let Some(shard) = sale.shard(bucket)
        {
            self.hear(shard, &reply);
        }
        Ok(reply.status >= 0)
    }

    /// Gives the units of holds back at once; what fails stays in the outbox.
    pub(super) async fn release_now(&self, removed: &Removed) {
        for release in &removed.releases {
            if let Err(error) = self.release(release).await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a release is left to the outbox"
                );
            }
        }
        self.releases.notify_one();
    }

    /// Works the outbox off.
    pub(super) async fn drain_outbox(&self) -> Result<(), LedgerError> {
        loop {
            let due = self.ledger.outbox(500).await?;
            let mut done = Vec::with_capacity(due.len());
            for (id, release) in &due {
                match self.release(release).await {
                    Ok(true) => done.push(*id),
                    Ok(false) => self.catch_up(&release.bucket, release.epoch, false).await,
                    Err(error) => {
                        tracing::warn!(
                            error = &error as &dyn std::error::Error,
                            "a release failed"
                        );
                    }
                }
            }
            let stuck = done.is_empty();
            if !stuck {
                self.ledger.outbox_done(done).await?;
            }
            if stuck || due.len() < 500 {
                return Ok(());
            }
        }
    }
}
