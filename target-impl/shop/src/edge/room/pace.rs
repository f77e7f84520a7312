//! The pace of admission: a token bucket as deep as one batch, empty at the start.

use std::time::Duration;

/// How many may be admitted. In any stretch of time `w` that is at most `rate · w + batch`.
#[derive(Debug)]
pub(crate) struct Pace {
    tokens: f64,
    at: Duration,
}

impl Pace {
    /// Empty, so that a restart gives no burst.
    pub(crate) fn new(now: Duration) -> Self {
        Self { tokens: 0.0, at: now }
    }

    /// How many may be admitted at this moment.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 0 and the batch"
    )]
    pub(crate) fn allowed(&mut self, now: Duration, rate_per_s: f64, batch: u32) -> usize {
        let since = now.saturating_sub(self.at).as_secs_f64();
        self.at = self.at.max(now);
        self.tokens =
            (self.tokens + since * rate_per_s.max(0.0)).clamp(0.0, f64::from(batch.max(1)));
        self.tokens as usize
    }

    /// So many were admitted. To be called at the moment when they learn of it.
    pub(crate) fn spend(&mut self, count: usize) {
        self.tokens -= f64::from(u32::try_from(count).expect("a batch is counted in 32 bits"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_window_sees_more_than_its_rate_and_one_batch() {
        let (rate, batch) = (200.0, 30);
        let mut rng = fastrand::Rng::with_seed(7);
        let mut pace = Pace::new(Duration::ZERO);
        let mut admissions: Vec<(f64, usize)> = Vec::new();
        let mut now = 0.0;
        for _ in 0..2_000 {
            // Sometimes the ledger takes long.
            now += if rng.u8(0..20) == 0 { rng.f64() } else { rng.f64() / 50.0 };
            let wanted =
                pace.allowed(Duration::from_secs_f64(now), rate, batch).min(rng.usize(0..60));
            pace.spend(wanted);
            admissions.push((now, wanted));
        }
        for (at, &(start, _)) in admissions.iter().enumerate() {
            let mut count = 0;
            for &(end, more) in &admissions[at..] {
                count += more;
                let limit = rate * (end - start) + f64::from(batch);
                assert!(
                    f64::from(u32::try_from(count).unwrap()) <= limit + 1e-6,
                    "{start}..{end}: {count}"
                );
            }
        }
        assert!(admissions.iter().map(|(_, count)| count).sum::<usize>() > 1_000);
    }

    #[test]
    fn it_starts_empty_and_never_saves_more_than_a_batch() {
        let mut pace = Pace::new(Duration::from_secs(5));
        assert_eq!(pace.allowed(Duration::from_secs(5), 100.0, 10), 0);
        assert_eq!(pace.allowed(Duration::from_millis(5_050), 100.0, 10), 5);
        assert_eq!(pace.allowed(Duration::from_secs(500), 100.0, 10), 10);
        pace.spend(10);
        assert_eq!(pace.allowed(Duration::from_secs(500), 100.0, 10), 0);
    }
}
