//! Somebody in a waiting room.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, RwLock};
use tokio::sync::Notify;

/// Where somebody stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Not yet admitted.
    Waiting = 0,
    /// Admitted.
    Admitted = 1,
    /// Did not ask for too long.
    Left = 2,
}

/// Somebody in a waiting room.
#[derive(Debug)]
pub(crate) struct Member {
    /// The account.
    pub(crate) account: String,
    /// The order of the joins, from 1.
    pub(crate) seq: u64,
    /// The order of admission, from 1; 0 until the draw.
    rank: AtomicU64,
    state: AtomicU8,
    /// Last asked, monotonic.
    seen_ms: AtomicU64,
    /// Wall clock.
    admitted_at_ms: AtomicU64,
    /// The checkout token and its end, once asked for.
    pub(crate) token: OnceLock<(String, u64)>,
    /// Tells those who listen that the state changed.
    pub(crate) changed: Notify,
}

impl Member {
    pub(crate) fn new(account: String, seq: u64, rank: u64, seen_ms: u64) -> Self {
        Self {
            account,
            seq,
            rank: AtomicU64::new(rank),
            state: AtomicU8::new(State::Waiting as u8),
            seen_ms: AtomicU64::new(seen_ms),
            admitted_at_ms: AtomicU64::new(0),
            token: OnceLock::new(),
            changed: Notify::new(),
        }
    }

    pub(crate) fn rank(&self) -> u64 {
        self.rank.load(Ordering::Acquire)
    }

    pub(crate) fn draw(&self, rank: u64) {
        self.rank.store(rank, Ordering::Release);
        self.changed.notify_waiters();
    }

    pub(crate) fn state(&self) -> State {
        match self.state.load(Ordering::Acquire) {
            0 => State::Waiting,
            1 => State::Admitted,
            _ => State::Left,
        }
    }

    /// Meaningful once admitted.
    pub(crate) fn admitted_at_ms(&self) -> u64 {
        self.admitted_at_ms.load(Ordering::Relaxed)
    }

    /// From now on everybody sees it admitted. Whoever sees a later one admitted sees the earlier ones too.
    pub(crate) fn admit(&self, at_ms: u64) {
        self.admitted_at_ms.store(at_ms, Ordering::Relaxed);
        self.state.store(State::Admitted as u8, Ordering::Release);
        self.changed.notify_waiters();
    }

    /// Takes the place away, unless it was admitted in the meantime.
    pub(crate) fn leave(&self) -> bool {
        let (from, to) = (State::Waiting as u8, State::Left as u8);
        let left =
            self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok();
        self.changed.notify_waiters();
        left
    }

    /// It asked.
    pub(crate) fn seen(&self, now_ms: u64) {
        self.seen_ms.fetch_max(now_ms, Ordering::Relaxed);
    }

    /// It has not asked for longer than it may.
    pub(crate) fn is_absent(&self, now_ms: u64, limit_ms: u64) -> bool {
        now_ms.saturating_sub(self.seen_ms.load(Ordering::Relaxed)) > limit_ms
    }
}

/// Everybody by account.
pub(crate) struct Roster {
    hasher: RandomState,
    shards: Vec<RwLock<HashMap<String, Arc<Member>>>>,
}

const SHARDS: usize = 64;

impl Default for Roster {
    fn default() -> Self {
        Self {
            hasher: RandomState::new(),
            shards: (0..SHARDS).map(|_| RwLock::default()).collect(),
        }
    }
}

impl Roster {
    fn shard(&self, account: &str) -> &RwLock<HashMap<String, Arc<Member>>> {
        let hash = self.hasher.hash_one(account) % u64::try_from(SHARDS).expect("it is small");
        &self.shards[usize::try_from(hash).expect("it is below the count of shards")]
    }

    pub(crate) fn find(&self, account: &str) -> Option<Arc<Member>> {
        self.shard(account)
            .read()
            .expect("nobody panics with the roster in hand")
            .get(account)
            .cloned()
    }

    /// Puts it in the place of whoever had the account before.
    pub(crate) fn put(&self, member: Arc<Member>) {
        let mut shard =
            self.shard(&member.account).write().expect("nobody panics with the roster in hand");
        shard.insert(member.account.clone(), member);
    }
}
