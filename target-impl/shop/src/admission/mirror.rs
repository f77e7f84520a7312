//! What this process remembers of a bucket, so that the crowd after the last unit costs no script.

use super::scripts::BucketReply;
use std::sync::Mutex;
use std::time::Duration;

/// The last that was heard of one bucket. Replies may come out of order; the latest by epoch and version counts.
#[derive(Debug, Default)]
pub struct Mirror(Mutex<Seen>);

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    free: i64,
    pending: i64,
    epoch: u64,
    version: u64,
    at: Duration,
}

/// Another process may change the bucket too, so what was heard is not believed for longer.
const BELIEVED_FOR: Duration = Duration::from_millis(100);

impl Mirror {
    /// Takes a reply in, heard at `now`.
    pub fn hear(&self, reply: &BucketReply, now: Duration) {
        let mut seen = self.lock();
        if (reply.epoch, reply.version) >= (seen.epoch, seen.version) {
            let BucketReply { free, pending, epoch, version, .. } = *reply;
            *seen = Seen { free, pending, epoch, version, at: now };
        }
    }
    /// Certainly fewer than `quantity` units, pending ones included.
    pub fn is_short_of(&self, quantity: i64, now: Duration) -> bool {
        let seen = self.lock();
        seen.epoch > 0
            && seen.free + seen.pending < quantity
            && now.saturating_sub(seen.at) < BELIEVED_FOR
    }
    /// Units that can be admitted.
    pub fn free(&self) -> i64 {
        self.lock().free
    }
    /// Free and pending units, and the epoch and version they were heard at.
    pub fn undecided(&self) -> (i64, u64, u64) {
        let seen = self.lock();
        (seen.free + seen.pending, seen.epoch, seen.version)
    }
    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{BucketReply, Duration, Mirror};

    fn heard(mirror: &Mirror, free: i64, pending: i64, epoch: u64, version: u64) {
        mirror.hear(&BucketReply { status: 1, free, pending, epoch, version }, Duration::ZERO);
    }

    #[test]
    fn the_latest_by_epoch_and_version_counts_in_whatever_order_it_is_heard() {
        let mirror = Mirror::default();
        let steps =
            [((5, 1, 2), 5), ((9, 1, 1), 5), ((0, 1, 3), 0), ((7, 2, 1), 7), ((1, 1, 9), 7)];
        for ((free, epoch, version), expected) in steps {
            heard(&mirror, free, 0, epoch, version);
            assert_eq!(mirror.free(), expected, "after epoch {epoch}, version {version}");
        }
    }

    #[test]
    fn sold_out_is_remembered_only_without_doubt_and_not_for_long() {
        let mirror = Mirror::default();
        assert!(!mirror.is_short_of(1, Duration::ZERO), "nothing was heard");
        heard(&mirror, 0, 1, 1, 1);
        assert!(!mirror.is_short_of(1, Duration::ZERO), "a unit is in doubt");
        heard(&mirror, 0, 0, 1, 2);
        assert!(mirror.is_short_of(1, Duration::from_millis(99)));
        assert!(
            !mirror.is_short_of(1, Duration::from_millis(100)),
            "another process may have given units back"
        );
    }
}
