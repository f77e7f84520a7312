//! What a swarm is given, and what it tells while it works.

use crate::LoadError;
use onsale_client::Client;
use onsale_history::{Nanos, Record, RecordError, Scribe, SkuId};
use onsale_plan::Workload;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use tokio::sync::watch;

/// Makes one more log of operations, for one more worker.
pub type Recorders = Arc<dyn Fn() -> Result<Box<dyn Record>, RecordError> + Send + Sync>;

/// What a swarm is given.
pub struct SwarmConfig {
    /// What is sold, and who comes.
    pub workload: Workload,
    /// The seed of every choice.
    pub seed: u64,
    /// The compiled mapping of the target.
    pub client: Client,
    /// Clock, dictionary and marks.
    pub scribe: Scribe,
    /// Logs of operations.
    pub recorders: Recorders,
    /// When the sale opens, on the run's clock.
    pub opens: Nanos,
    /// When the first shopper arrives, on the run's clock.
    pub begins: Nanos,
    /// The hot SKUs, in the order of the workload.
    pub hot: Vec<SkuId>,
    /// The canaries.
    pub canaries: Vec<SkuId>,
    /// The seats.
    pub seats: Vec<SkuId>,
    /// For bars.
    pub progress: Arc<dyn Progress>,
    /// Becomes true when the run must end.
    pub stop: watch::Receiver<bool>,
}

/// The phases that have something to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Shoppers that are done, of all.
    Load,
    /// Unknown operations that were settled, of all.
    Resolve,
    /// SKUs that are drained, of all.
    Drain,
    /// Buyers whose orders were read, of all.
    FinalReads,
}

/// Hears how far a phase is.
pub trait Progress: Send + Sync {
    /// `done` of `total`.
    fn at(&self, phase: Phase, done: u64, total: u64);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn at(&self, _: Phase, _: u64, _: u64) {}
}

/// What can be watched while the swarm works. Estimates: the record is the truth.
#[derive(Debug, Default)]
pub struct Live {
    pub(crate) free: AtomicU32,
    pub(crate) granted: AtomicU32,
    pub(crate) sold_out: AtomicBool,
    pub(crate) admitted: AtomicU32,
    pub(crate) in_flight: AtomicU32,
    pub(crate) done: AtomicU32,
    pub(crate) operations: AtomicU64,
    pub(crate) unknown: AtomicU64,
}

impl Live {
    /// Units of the hot SKUs that are free, as far as the swarm knows.
    pub fn free_stock(&self) -> u32 {
        self.free.load(Ordering::Relaxed)
    }
    /// Holds granted so far.
    pub fn holds_granted(&self) -> u32 {
        self.granted.load(Ordering::Relaxed)
    }
    /// Whether anybody was refused for lack of stock.
    pub fn sold_out_seen(&self) -> bool {
        self.sold_out.load(Ordering::Relaxed)
    }
    /// Shoppers admitted so far.
    pub fn admitted(&self) -> u32 {
        self.admitted.load(Ordering::Relaxed)
    }
    /// Operations on their way.
    pub fn in_flight(&self) -> u32 {
        self.in_flight.load(Ordering::Relaxed)
    }
    /// Shoppers that are done.
    pub fn shoppers_done(&self) -> u32 {
        self.done.load(Ordering::Relaxed)
    }
    /// Operations so far.
    pub fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }
    /// Operations whose answer was indeterminate, so far.
    pub fn unknown(&self) -> u64 {
        self.unknown.load(Ordering::Relaxed)
    }
    pub(crate) fn take(&self, units: u32) {
        let _ = self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| {
            Some(free.saturating_sub(units))
        });
    }
    pub(crate) fn give(&self, units: u32) {
        self.free.fetch_add(units, Ordering::Relaxed);
    }
}

pub(crate) fn nanos(duration: std::time::Duration) -> Nanos {
    Nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

/// A swarm's result.
pub(crate) type Done<T> = Result<T, LoadError>;
