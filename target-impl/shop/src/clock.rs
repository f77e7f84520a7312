//! Time, passed in.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Reads the wall clock and a monotonic one.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970.
    fn wall_ms(&self) -> u64;
    /// Monotonic, since some instant.
    fn monotonic(&self) -> Duration;
}

/// A clock that is shared by all roles of a process.
pub type SharedClock = Arc<dyn Clock>;

/// The machine's clocks.
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that starts now.
    #[expect(clippy::disallowed_methods, reason = "the one place where the shop reads the time")]
    pub fn shared() -> SharedClock {
        Arc::new(Self { start: Instant::now() })
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the shop reads the time")]
    fn wall_ms(&self) -> u64 {
        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("the wall clock is past 1970");
        u64::try_from(since.as_millis()).expect("the wall clock is before the year 500,000,000")
    }
    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}
