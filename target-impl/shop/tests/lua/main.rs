//! The scripts of `lua/`, run by the embedded keyspace: the happy path, each refusal, a repeat, two callers at once.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

mod confirm;
mod hold;
mod keyspace;
mod reap;
mod rebuild;
mod release;

use onsale_shop::admission::scripts::{self, Admission, Bucket, BucketReply};
use onsale_shop::admission::{AdmissionError, EmbeddedStore};
use onsale_shop::defect::Defects;

/// A store with one bucket of so many free units, at epoch 1.
struct Bench {
    store: EmbeddedStore,
    bucket: Bucket,
}

impl Bench {
    async fn with(free: i64) -> Self {
        Self::with_defects(free, "").await
    }
    async fn with_defects(free: i64, defects: &str) -> Self {
        let store = EmbeddedStore::start(Defects::parse(defects).unwrap());
        let bench = Self { store, bucket: Bucket { event: "e".into(), sku: "a".into(), shard: 0 } };
        bench.rebuild(1, free).await;
        bench
    }
    async fn rebuild(&self, epoch: u64, free: i64) -> BucketReply {
        scripts::rebuild(&self.store, &self.bucket, epoch, free, &[]).await.unwrap()
    }
    async fn ask(
        &self,
        hold: &str,
        quantity: i64,
        account: &str,
        one_hold: bool,
    ) -> Result<BucketReply, AdmissionError> {
        let ask = Admission {
            hold,
            quantity,
            account,
            now_ms: 100,
            ends_ms: 200,
            one_hold,
            pending: true,
        };
        scripts::hold(&self.store, &self.bucket, ask).await
    }
    /// Status, free and pending units after a hold.
    async fn hold(&self, hold: &str, quantity: i64) -> (i64, i64, i64) {
        seen(&self.ask(hold, quantity, hold, false).await.unwrap())
    }
    async fn confirm(&self, hold: &str, sold: bool) -> (i64, i64, i64) {
        seen(&scripts::confirm(&self.store, &self.bucket, hold, sold, 200).await.unwrap())
    }
    async fn release(&self, hold: &str, quantity: i64, epoch: u64) -> (i64, i64, i64) {
        seen(&scripts::release(&self.store, &self.bucket, hold, quantity, epoch).await.unwrap())
    }
}

fn seen(reply: &BucketReply) -> (i64, i64, i64) {
    (reply.status, reply.free, reply.pending)
}
