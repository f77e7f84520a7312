//! What this process remembers of a sale.

use crate::admission::{Bucket, Mirror};
use crate::ledger::SkuCount;
use indexmap::IndexMap;
use onsale_contract::admin::{EventConfig, SkuConfig};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// One event.
pub(super) struct Sale {
    pub(super) event: String,
    pub(super) terms: EventConfig,
    pub(super) skus: IndexMap<String, Sku>,
}

/// One SKU.
pub(super) struct Sku {
    pub(super) terms: SkuConfig,
    pub(super) shards: Vec<Shard>,
    /// Only the defect `sold-out-cached` sets it.
    pub(super) sold_out: AtomicBool,
    released: AtomicU32,
    confirmed: AtomicU32,
}

/// One bucket.
pub(super) struct Shard {
    pub(super) bucket: Bucket,
    pub(super) mirror: Mirror,
    /// One rebuild at a time.
    pub(super) rebuilding: tokio::sync::Mutex<()>,
}

impl Sale {
    pub(super) fn new(event: &str, terms: EventConfig) -> Self {
        let skus = terms.skus.iter().map(|sku| (sku.sku.clone(), Sku::new(event, sku.clone())));
        let skus = skus.collect();
        Self { event: event.to_owned(), terms, skus }
    }
    pub(super) fn shard(&self, bucket: &Bucket) -> Option<&Shard> {
        self.skus.get(&bucket.sku)?.shards.get(usize::try_from(bucket.shard).ok()?)
    }
    pub(super) fn shards(&self) -> impl Iterator<Item = &Shard> {
        self.skus.values().flat_map(|sku| &sku.shards)
    }
    /// Takes in what the ledger counts.
    pub(super) fn learn(&self, counts: &[SkuCount]) {
        for count in counts {
            if let Some(sku) = self.skus.get(&count.sku) {
                sku.released
                    .store(u32::try_from(count.released).unwrap_or_default(), Ordering::Relaxed);
                sku.confirmed
                    .store(u32::try_from(count.confirmed).unwrap_or_default(), Ordering::Relaxed);
            }
        }
    }
    /// Units were sold.
    pub(super) fn sold(&self, sku: &str, quantity: i64) {
        if let Some(sku) = self.skus.get(sku) {
            sku.confirmed.fetch_add(u32::try_from(quantity).unwrap_or_default(), Ordering::Relaxed);
        }
    }
}

impl Sku {
    fn new(event: &str, terms: SkuConfig) -> Self {
        let shard = |shard| Shard {
            bucket: Bucket { event: event.to_owned(), sku: terms.sku.clone(), shard },
            mirror: Mirror::default(),
            rebuilding: tokio::sync::Mutex::default(),
        };
        let shards = (0..terms.shards.max(1)).map(shard).collect();
        Self {
            terms,
            shards,
            sold_out: AtomicBool::new(false),
            released: AtomicU32::new(0),
            confirmed: AtomicU32::new(0),
        }
    }
    pub(super) fn released(&self) -> u32 {
        self.released.load(Ordering::Relaxed)
    }
    pub(super) fn confirmed(&self) -> u32 {
        self.confirmed.load(Ordering::Relaxed)
    }
    pub(super) fn free(&self) -> u32 {
        let free: i64 = self.shards.iter().map(|shard| shard.mirror.free().max(0)).sum();
        u32::try_from(free).unwrap_or(u32::MAX)
    }
    /// Where the probes of an account begin; the hash is the seed's, over UTF-16 units.
    pub(super) fn start_of(&self, account: &str) -> usize {
        let hash = account
            .encode_utf16()
            .fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
        usize::try_from(hash).expect("32 bits fit") % self.shards.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Sku;
    use onsale_contract::admin::SkuConfig;

    #[test]
    fn the_first_shard_is_the_seeds_hash_of_the_account() {
        let terms =
            SkuConfig { sku: "a".into(), stock: 100, shards: 10, waves: Vec::new(), seat: false };
        let sku = Sku::new("e", terms);
        // 97; 97 × 31 + 98; and one that overflows 32 bits on the way.
        let cases = [("", 0), ("a", 7), ("ab", 5), ("zzzzzzzz", 4)];
        for (account, expected) in cases {
            assert_eq!(sku.start_of(account), expected, "{account}");
        }
    }
}
