//! What the swarm measured of itself and of the target.

use hdrhistogram::Histogram;
use onsale_history::{Nanos, Outcome};

/// Longest time that is told apart, in microseconds.
const LONGEST_US: u64 = 120_000_000;

/// What a phase of load came to. Times are in microseconds.
#[derive(Clone, Debug)]
pub struct LoadStats {
    /// Steps that became due.
    pub offered: u64,
    /// Of them, sent.
    pub sent: u64,
    /// Of them, answered definitely.
    pub completed: u64,
    /// Of them, without a definite answer.
    pub unknown: u64,
    /// Sent of offered.
    pub achieved: f64,
    /// From due to sent.
    pub late_us: Histogram<u64>,
    /// From due to answered.
    pub response_us: Histogram<u64>,
    /// From sent to answered.
    pub service_us: Histogram<u64>,
    /// Second by second, since the run's epoch; the first is `first_second`.
    pub seconds: Vec<Second>,
    /// The second of the first entry of `seconds`.
    pub first_second: u64,
    /// Puzzles solved.
    pub puzzles: u64,
    /// CPU seconds that they cost.
    pub puzzle_cpu_s: f64,
    /// Shoppers of each persona.
    pub personas: Vec<(&'static str, u32)>,
    /// Shoppers that were done.
    pub shoppers_done: u64,
    /// Shoppers that were not when the load ended.
    pub shoppers_left: u64,
    /// Steps due and not sent when the load ended.
    pub backlog_left: u64,
    /// Most steps that waited at once.
    pub backlog_max: u64,
    /// How long the load took.
    pub lasted: Nanos,
    /// Somebody pressed Ctrl-C, or the limit of time was reached.
    pub cut_short: bool,
}

/// One second.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Second {
    /// Requests sent.
    pub sent: u64,
    /// Answered `ok`.
    pub ok: u64,
    /// Refused definitely.
    pub refused: u64,
    /// Without a definite answer.
    pub unknown: u64,
    /// Longest response time, from due.
    pub response_us_max: u64,
    /// Sum of the response times, for the mean.
    pub response_us_sum: u64,
}

impl Default for LoadStats {
    fn default() -> Self {
        let histogram =
            || Histogram::new_with_bounds(1, LONGEST_US, 3).expect("the bounds are right");
        Self {
            offered: 0,
            sent: 0,
            completed: 0,
            unknown: 0,
            achieved: 1.0,
            late_us: histogram(),
            response_us: histogram(),
            service_us: histogram(),
            seconds: vec![],
            first_second: 0,
            puzzles: 0,
            puzzle_cpu_s: 0.0,
            personas: vec![],
            shoppers_done: 0,
            shoppers_left: 0,
            backlog_left: 0,
            backlog_max: 0,
            lasted: Nanos::ZERO,
            cut_short: false,
        }
    }
}

impl LoadStats {
    /// One operation: due, sent, answered. `late` says whether its lateness is the swarm's.
    pub(crate) fn add(&mut self, due: Nanos, sent: (Nanos, Nanos), outcome: Outcome, late: bool) {
        let (start, end) = sent;
        let us = |from: Nanos, to: Nanos| to.0.saturating_sub(from.0) / 1000;
        self.sent += 1;
        if outcome.is_indeterminate() {
            self.unknown += 1;
        } else {
            self.completed += 1;
        }
        if late {
            self.late_us.saturating_record(us(due, start));
        }
        let response = us(due, end);
        self.response_us.saturating_record(response);
        self.service_us.saturating_record(us(start, end));
        self.second(start).note(outcome, response);
    }

    fn second(&mut self, at: Nanos) -> &mut Second {
        let second = at.0 / 1_000_000_000;
        if self.seconds.is_empty() {
            self.first_second = second;
        }
        let index = usize::try_from(second.saturating_sub(self.first_second)).unwrap_or(0);
        if index >= self.seconds.len() {
            self.seconds.resize(index + 1, Second::default());
        }
        &mut self.seconds[index]
    }

    /// Fills in what follows from the rest.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub(crate) fn finish(&mut self, backlog: (usize, usize)) {
        self.backlog_left = backlog.0 as u64;
        self.backlog_max = backlog.1 as u64;
        self.offered = self.sent + self.backlog_left;
        if self.offered > 0 {
            self.achieved = self.sent as f64 / self.offered as f64;
        }
    }
}

impl Second {
    fn note(&mut self, outcome: Outcome, response_us: u64) {
        self.sent += 1;
        match outcome {
            Outcome::Ok => self.ok += 1,
            Outcome::Failed(_) => self.refused += 1,
            Outcome::Indeterminate(_) => self.unknown += 1,
        }
        self.response_us_max = self.response_us_max.max(response_us);
        self.response_us_sum += response_us;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_counts_from_due_and_service_from_sent() {
        let mut stats = LoadStats::default();
        let ms = Nanos::from_millis;
        stats.add(ms(1000), (ms(1300), ms(1310)), Outcome::Ok, true);
        stats.finish((1, 4));
        assert_eq!(stats.response_us.max() / 1000, 310);
        assert_eq!(stats.service_us.max() / 1000, 10);
        assert_eq!(stats.late_us.max() / 1000, 300);
        assert_eq!((stats.offered, stats.sent, stats.backlog_left), (2, 1, 1));
        assert!((stats.achieved - 0.5).abs() < 1e-9);
        assert_eq!((stats.first_second, stats.seconds.len()), (1, 1));
    }
}
