//! What the gateway counts.

use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! metrics {
    ($($(#[doc = $doc:literal])* $name:ident;)*) => {
        /// Counters of the gateway; all only grow.
        #[derive(Debug, Default)]
        pub struct Metrics { $($(#[doc = $doc])* pub $name: Counter,)* }

        impl Metrics {
            /// Name, help and value of every counter, in a fixed order.
            pub fn read(&self) -> Vec<(&'static str, &'static str, u64)> {
                vec![$((stringify!($name), concat!($($doc),*), self.$name.get()),)*]
            }
        }
    };
}

metrics! {
    /// Holds granted.
    holds_granted;
    /// Holds answered again for a repeated key.
    holds_replayed;
    /// Holds refused because everything is taken.
    holds_sold_out;
    /// Holds refused by a limit.
    holds_limited;
    /// Holds that found no admission in time.
    holds_overloaded;
    /// Times that an admission was fenced by a newer epoch.
    admissions_fenced;
    /// Buckets rebuilt from the ledger.
    buckets_rebuilt;
    /// Holds that expired.
    holds_expired;
    /// Holds given back by their shoppers.
    holds_cancelled;
    /// Admissions taken back because the ledger never heard of them.
    admissions_reaped;
    /// Orders made.
    orders_made;
    /// Orders confirmed.
    orders_confirmed;
    /// Payments that failed for good.
    payments_failed;
    /// Refunds done.
    refunds_done;
    /// Webhooks taken in.
    webhooks_accepted;
    /// Webhooks that came again.
    webhooks_repeated;
    /// Webhooks refused.
    webhooks_refused;
    /// Commits of the ledger.
    ledger_commits;
    /// Transactions in those commits.
    ledger_transactions;
}

/// One counter.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// One more.
    pub fn add(&self) {
        self.add_many(1);
    }
    /// So many more.
    pub fn add_many(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }
    /// How many so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
