//! Carries intents from the queue to the ledger in batches, and verdicts back to who waits.

use super::OrderQueue;
use crate::ledger::{HoldCommand, Ledger, Verdict};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Intents in one transaction at most.
const BATCH_MAX: usize = 256;

/// Who waits for the verdict on which hold.
#[derive(Debug, Default)]
pub struct Waiters(Mutex<BTreeMap<String, oneshot::Sender<Option<Verdict>>>>);

impl Waiters {
    /// Waits for a hold's verdict; nothing if nobody knows whether it was committed.
    pub fn wait(&self, hold_id: &str) -> oneshot::Receiver<Option<Verdict>> {
        let (sender, receiver) = oneshot::channel();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(hold_id.to_owned(), sender);
        receiver
    }
    fn tell(&self, hold_id: &str, verdict: Option<Verdict>) {
        let waiter = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(hold_id);
        if let Some(waiter) = waiter {
            drop(waiter.send(verdict));
        }
    }
}

/// Is told of a committed batch.
pub type Written = dyn Fn(&[HoldCommand]) + Send + Sync;

/// What a lane's consumer works with.
pub struct Consumer {
    /// Where intents come from.
    pub queue: Arc<dyn OrderQueue>,
    /// Where they go.
    pub ledger: Arc<dyn Ledger>,
    /// Who is told.
    pub waiters: Arc<Waiters>,
    /// Let each batch wait for so long first (`--admission redis-only`).
    pub lag: Option<Duration>,
    /// Is told of every batch that was committed.
    pub written: Box<Written>,
}

impl Consumer {
    /// Works on a lane until the queue is closed and empty.
    pub async fn run(&self, lane: usize) {
        loop {
            let batch = self.queue.receive(lane, BATCH_MAX).await;
            if batch.is_empty() {
                return;
            }
            if let Some(lag) = self.lag {
                tokio::time::sleep(lag).await;
            }
            match self.ledger.hold(batch.clone()).await {
                Ok(verdicts) => {
                    (self.written)(&batch);
                    for (intent, verdict) in batch.iter().zip(verdicts) {
                        self.waiters.tell(&intent.hold_id, Some(verdict));
                    }
                }
                Err(error) => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "a batch of holds was not committed"
                    );
                    for intent in &batch {
                        self.waiters.tell(&intent.hold_id, None);
                    }
                }
            }
        }
    }
}
