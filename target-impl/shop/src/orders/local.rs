//! The order queue in this process. It dies with the process, and nobody whose intent it loses was answered.

use super::{OrderQueue, QueueError};
use crate::ledger::HoldCommand;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::sync::{PoisonError, RwLock};
use tokio::sync::mpsc::{self, error::TrySendError};

/// Intents that may wait in a lane.
const LANE_DEPTH: usize = 8_192;

struct Lane {
    sender: RwLock<Option<mpsc::Sender<HoldCommand>>>,
    receiver: tokio::sync::Mutex<mpsc::Receiver<HoldCommand>>,
}

/// Lanes of bounded channels.
pub struct LocalQueue {
    lanes: Vec<Lane>,
}

impl LocalQueue {
    /// With so many lanes.
    pub fn new(lanes: usize) -> Self {
        let lane = |_| {
            let (sender, receiver) = mpsc::channel(LANE_DEPTH);
            Lane { sender: RwLock::new(Some(sender)), receiver: tokio::sync::Mutex::new(receiver) }
        };
        Self { lanes: (0..lanes).map(lane).collect() }
    }
}

impl OrderQueue for LocalQueue {
    fn lanes(&self) -> usize {
        self.lanes.len()
    }
    fn append(&self, lane: usize, intent: HoldCommand) -> BoxFuture<'_, Result<(), QueueError>> {
        let sender = self.lanes[lane].sender.read().unwrap_or_else(PoisonError::into_inner);
        let result = match sender.as_ref() {
            None => Err(QueueError::Closed),
            Some(sender) => sender.try_send(intent).map_err(|error| match error {
                TrySendError::Full(_) => QueueError::Full(lane),
                TrySendError::Closed(_) => QueueError::Closed,
            }),
        };
        futures_util::future::ready(result).boxed()
    }
    fn receive(&self, lane: usize, most: usize) -> BoxFuture<'_, Vec<HoldCommand>> {
        async move {
            let mut batch = Vec::new();
            self.lanes[lane].receiver.lock().await.recv_many(&mut batch, most).await;
            batch
        }
        .boxed()
    }
    fn close(&self) {
        for lane in &self.lanes {
            lane.sender.write().unwrap_or_else(PoisonError::into_inner).take();
        }
    }
}
