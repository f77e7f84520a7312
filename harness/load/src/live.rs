//! What the load knows of the sale while it goes on; chaos and progress bars read it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Counters that everybody may read.
#[derive(Debug, Default)]
pub struct Live {
    free: AtomicU32,
    holds: AtomicU32,
    sold_out: AtomicBool,
    sent: AtomicU64,
    done: AtomicU32,
    arrived: AtomicU32,
    admitted: AtomicU32,
    unknown: AtomicU64,
}

macro_rules! read {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self) -> $type { self.$name.load(Ordering::Relaxed) }
    )*};
}

impl Live {
    read! {
        /// Units of the hot SKUs that seem to be free: the last stock reading, less what was granted since.
        free: u32;
        /// Holds granted.
        holds: u32;
        /// Somebody was refused for lack of stock.
        sold_out: bool;
        /// Operations done.
        sent: u64;
        /// Shoppers who are done.
        done: u32;
        /// Shoppers who have come.
        arrived: u32;
        /// Shoppers who were let in.
        admitted: u32;
        /// Operations whose outcome nobody knows (before they are resolved).
        unknown: u64;
    }
    pub(crate) fn stock(&self, free: u32) {
        self.free.store(free, Ordering::Relaxed);
    }
    pub(crate) fn granted(&self, units: u32) {
        self.holds.fetch_add(1, Ordering::Relaxed);
        let less = |free: u32| Some(free.saturating_sub(units));
        let _always_some = self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
    pub(crate) fn refused(&self) {
        self.sold_out.store(true, Ordering::Relaxed);
    }
    pub(crate) fn one_sent(&self, unknown: bool) {
        self.sent.fetch_add(1, Ordering::Relaxed);
        self.unknown.fetch_add(u64::from(unknown), Ordering::Relaxed);
    }
    pub(crate) fn one_done(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
    pub(crate) fn one_arrived(&self) {
        self.arrived.fetch_add(1, Ordering::Relaxed);
    }
    pub(crate) fn one_admitted(&self) {
        self.admitted.fetch_add(1, Ordering::Relaxed);
    }
}
