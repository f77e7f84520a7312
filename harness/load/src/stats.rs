//! What the load did, apart from the history.

use hdrhistogram::Histogram;
use onsale_history::Nanos;

/// Highest latency that is told apart: a minute.
const HIGHEST_US: u64 = 60_000_000;

/// A distribution in microseconds.
#[derive(Clone, Debug)]
pub struct Spread {
    histogram: Histogram<u64>,
}

impl Default for Spread {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, HIGHEST_US, 3).expect("the bounds are sound");
        Self { histogram }
    }
}

impl Spread {
    /// Counts a value.
    pub fn record(&mut self, nanos: Nanos) {
        self.histogram.saturating_record(nanos.0 / 1_000);
    }
    /// The value below which this share lies, in milliseconds.
    #[expect(clippy::cast_precision_loss, reason = "at most a minute")]
    pub fn quantile_ms(&self, share: f64) -> f64 {
        self.histogram.value_at_quantile(share) as f64 / 1e3
    }
    /// The highest value in milliseconds.
    pub fn max_ms(&self) -> f64 {
        self.quantile_ms(1.0)
    }
    /// How many were counted.
    pub fn len(&self) -> u64 {
        self.histogram.len()
    }
    /// None was counted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    pub(crate) fn add(&mut self, other: &Self) {
        self.histogram.add(&other.histogram).expect("all spreads have the same bounds");
    }
}

/// One second of the load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Second {
    /// Steps that were due.
    pub offered: u64,
    /// Steps that left.
    pub sent: u64,
    /// Steps that were answered.
    pub completed: u64,
}

/// What the load did.
#[derive(Clone, Debug, Default)]
pub struct LoadStats {
    /// From when a step was due to its answer.
    pub response: Spread,
    /// From when a step left to its answer.
    pub service: Spread,
    /// From when a step was due to when it left.
    pub late: Spread,
    /// By the second since the run's epoch.
    pub seconds: Vec<Second>,
    /// Shoppers by persona.
    pub personas: Vec<(&'static str, u64)>,
    /// Steps that were due and never left, because the time was up.
    pub backlog: u64,
    /// Puzzles solved.
    pub puzzles: u64,
    /// CPU time spent on them.
    pub puzzle_cpu: std::time::Duration,
    /// Time from the first arrival to the last shopper's end.
    pub lasted: std::time::Duration,
}

impl LoadStats {
    /// Steps that left within 25 ms of being due, as a share of all that were due.
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 steps")]
    pub fn achieved(&self) -> f64 {
        let total = self.late.len() + self.backlog;
        if total == 0 {
            return 0.0;
        }
        self.late.histogram.count_between(0, 25_000) as f64 / total as f64
    }
    /// Requests that were answered, a second, over the time that the load took.
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 steps")]
    pub fn requests_per_s(&self) -> f64 {
        self.response.len() as f64 / self.lasted.as_secs_f64().max(1e-9)
    }
    pub(crate) fn one(&mut self, due: Nanos, start: Nanos, end: Nanos) {
        self.response.record(end.minus(due));
        self.service.record(end.minus(start));
        self.late.record(start.minus(due));
        self.second(due).offered += 1;
        self.second(start).sent += 1;
        self.second(end).completed += 1;
    }
    fn second(&mut self, at: Nanos) -> &mut Second {
        let index = usize::try_from(at.0 / 1_000_000_000).unwrap_or(0);
        if self.seconds.len() <= index {
            self.seconds.resize(index + 1, Second::default());
        }
        &mut self.seconds[index]
    }
    pub(crate) fn add(&mut self, other: &Self) {
        self.response.add(&other.response);
        self.service.add(&other.service);
        self.late.add(&other.late);
        for (index, second) in other.seconds.iter().enumerate() {
            let own = self.second(Nanos(index as u64 * 1_000_000_000));
            own.offered += second.offered;
            own.sent += second.sent;
            own.completed += second.completed;
        }
    }
}
