//! The clock that leases are written and compared with.

use crate::clock::SharedClock;
use std::time::Duration;

/// The wall clock at the start, carried on by the monotonic one: a jump of the wall clock moves no lease. Each bucket
/// keeps the latest instant it has seen, so that a restart under an earlier wall clock does not shorten or revive one.
#[derive(Clone)]
pub struct LeaseClock {
    clock: SharedClock,
    wall_ms: u64,
    monotonic: Duration,
}

impl LeaseClock {
    /// Starts now.
    pub fn start(clock: SharedClock) -> Self {
        let (wall_ms, monotonic) = (clock.wall_ms(), clock.monotonic());
        Self { clock, wall_ms, monotonic }
    }
    /// Milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        let passed = self.clock.monotonic().saturating_sub(self.monotonic);
        self.wall_ms + u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
    }
}
