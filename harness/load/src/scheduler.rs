//! Who is due next. Arrivals never wait for the target: what nobody has time for piles up here and is counted.

use crate::wheel::Wheel;
use onsale_history::Nanos;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Mutex, MutexGuard};
use std::task::{Poll, Waker};

/// Due sessions, and workers that wait for one.
pub(crate) struct Scheduler {
    inner: Mutex<Inner>,
}

struct Inner {
    wheel: Wheel<u32>,
    ready: BinaryHeap<Reverse<(Nanos, u32)>>,
    idle: Vec<Waker>,
    fresh: Vec<(Nanos, u32)>,
    closed: bool,
    backlog_max: usize,
}

impl Scheduler {
    pub(crate) fn new(now: Nanos) -> Self {
        Self {
            inner: Mutex::new(Inner {
                wheel: Wheel::new(now),
                ready: BinaryHeap::new(),
                idle: vec![],
                fresh: vec![],
                closed: false,
                backlog_max: 0,
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("the scheduler does not panic")
    }

    /// Wakes a session at `due`.
    pub(crate) fn push(&self, due: Nanos, now: Nanos, session: u32) {
        let mut inner = self.lock();
        if due <= now {
            inner.ready.push(Reverse((due, session)));
            inner.wake(1);
        } else {
            inner.wheel.insert(due, session);
        }
    }

    /// Hands out what became due by `now`.
    pub(crate) fn advance(&self, now: Nanos) {
        let mut inner = self.lock();
        let mut fresh = std::mem::take(&mut inner.fresh);
        inner.wheel.advance(now, &mut fresh);
        let count = fresh.len();
        inner.ready.extend(fresh.drain(..).map(Reverse));
        inner.fresh = fresh;
        inner.backlog_max = inner.backlog_max.max(inner.ready.len());
        inner.wake(count);
    }

    /// The session that is due for the longest time; nothing once the scheduler is closed.
    pub(crate) async fn take(&self) -> Option<(Nanos, u32)> {
        std::future::poll_fn(|context| {
            let mut inner = self.lock();
            if inner.closed {
                return Poll::Ready(None);
            }
            if let Some(Reverse(due)) = inner.ready.pop() {
                return Poll::Ready(Some(due));
            }
            inner.idle.push(context.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// Nobody gets anything any more.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.idle.drain(..).for_each(Waker::wake);
    }

    /// Sessions that are due and not taken, now and at most.
    pub(crate) fn backlog(&self) -> (usize, usize) {
        let inner = self.lock();
        (inner.ready.len(), inner.backlog_max)
    }
}

impl Inner {
    fn wake(&mut self, count: usize) {
        for _ in 0..count {
            let Some(waker) = self.idle.pop() else { return };
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_due_longest_comes_first_and_nothing_comes_after_the_end() {
        let scheduler = Scheduler::new(Nanos::ZERO);
        let ms = Nanos::from_millis;
        for (due, session) in [(30, 3), (10, 1), (20, 2), (900, 9)] {
            scheduler.push(ms(due), Nanos::ZERO, session);
        }
        scheduler.advance(ms(40));
        assert_eq!(scheduler.backlog(), (3, 3));
        for expected in 1..=3 {
            assert_eq!(scheduler.take().await.map(|(_, session)| session), Some(expected));
        }
        scheduler.close();
        assert_eq!(scheduler.take().await, None);
    }

    #[tokio::test]
    async fn an_idle_worker_is_woken() {
        let scheduler = std::sync::Arc::new(Scheduler::new(Nanos::ZERO));
        let worker = tokio::spawn({
            let scheduler = scheduler.clone();
            async move { scheduler.take().await }
        });
        while scheduler.lock().idle.is_empty() {
            tokio::task::yield_now().await;
        }
        scheduler.push(Nanos(5), Nanos(5), 7);
        assert_eq!(worker.await.unwrap(), Some((Nanos(5), 7)));
    }
}
