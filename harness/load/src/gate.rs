//! A barrier just before the commit point: races need buyers that are released at once.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// How long a buyer waits for the others.
const PATIENCE: Duration = Duration::from_millis(250);

/// Gathers so many buyers, then lets all of them go.
pub(crate) struct Barrier {
    size: u32,
    waiting: Mutex<u32>,
    round: watch::Sender<u64>,
}

impl Barrier {
    pub(crate) fn new(size: u32) -> Arc<Self> {
        Arc::new(Self { size, waiting: Mutex::new(0), round: watch::Sender::new(0) })
    }

    /// Returns when enough buyers are here, or nobody comes any more.
    pub(crate) async fn pass(self: Arc<Self>) {
        let mut round = self.round.subscribe();
        if self.arrive() {
            return;
        }
        if tokio::time::timeout(PATIENCE, round.changed()).await.is_err() {
            let mut waiting = self.waiting.lock().expect("nobody panics at the barrier");
            *waiting = waiting.saturating_sub(1);
        }
    }

    /// True for the last one, who opens it.
    fn arrive(&self) -> bool {
        let mut waiting = self.waiting.lock().expect("nobody panics at the barrier");
        *waiting += 1;
        if *waiting < self.size {
            return false;
        }
        *waiting = 0;
        self.round.send_modify(|round| *round += 1);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn everybody_is_released_by_the_last_one() {
        let barrier = Barrier::new(3);
        let first = tokio::spawn(barrier.clone().pass());
        let second = tokio::spawn(barrier.clone().pass());
        while *barrier.waiting.lock().unwrap() < 2 {
            tokio::task::yield_now().await;
        }
        assert!(!first.is_finished() && !second.is_finished());
        barrier.clone().pass().await;
        first.await.unwrap();
        second.await.unwrap();
        assert_eq!(*barrier.round.borrow(), 1);
    }

    #[tokio::test]
    async fn a_lonely_buyer_does_not_wait_for_ever() {
        let barrier = Barrier::new(2);
        barrier.clone().pass().await;
        assert_eq!(*barrier.waiting.lock().unwrap(), 0);
        assert_eq!(*barrier.round.borrow(), 0);
    }
}
