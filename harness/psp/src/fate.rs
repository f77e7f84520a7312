//! What becomes of a payment: a pure function of the seed and the payment's number, so that the same seed gives the
//! same provider whatever the order of calls. The knobs only decide which draws count.

/// What is drawn for. The number is part of the draw: do not renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Draw {
    Identity = 1,
    Decline = 2,
    Fail = 3,
    Action = 4,
    Slow = 5,
    Latency = 6,
    Drop = 7,
    Duplicate = 8,
    Together = 9,
    Delay = 10,
    Reorder = 11,
    Early = 12,
    AnswerLost = 13,
    RefundFails = 14,
    CaptureAfterCancel = 15,
    Secret = 16,
    Twin = 17,
}

/// The fate of one payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fate {
    seed: u64,
    payment: u64,
}

impl Fate {
    pub(crate) const fn of(seed: u64, payment: u64) -> Self {
        Self { seed, payment }
    }
    /// 64 bits for a draw; `ordinal` tells the first, second, … of its kind apart.
    pub(crate) fn bits(self, draw: Draw, ordinal: u64) -> u64 {
        let mixed = mix(self.seed ^ mix(self.payment ^ mix((draw as u64) << 32 ^ ordinal)));
        fastrand::Rng::with_seed(mixed).u64(..)
    }
    /// A number from 0 (inclusive) to 1 (exclusive).
    pub(crate) fn unit(self, draw: Draw, ordinal: u64) -> f64 {
        fastrand::Rng::with_seed(self.bits(draw, ordinal)).f64()
    }
    /// Whether this payment is among the share.
    pub(crate) fn hits(self, draw: Draw, ordinal: u64, share: f64) -> bool {
        self.unit(draw, ordinal) < share
    }
}

/// The finaliser of `SplitMix64`.
const fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fate_is_a_function_of_seed_and_payment() {
        let fates =
            |seed| (0..50).map(|p| Fate::of(seed, p).bits(Draw::Decline, 0)).collect::<Vec<_>>();
        assert_eq!(fates(7), fates(7));
        assert_ne!(fates(7), fates(8));
    }

    #[test]
    fn shares_are_met_and_draws_are_independent() {
        let payments = 20_000;
        let share_hit = |draw, share: f64| {
            (0..payments).filter(|&p| Fate::of(3, p).hits(draw, 0, share)).count()
        };
        for share in [0.0, 0.05, 0.5, 1.0] {
            let expected = share * 20_000.0;
            for draw in [Draw::Decline, Draw::Drop] {
                let hits = f64::from(u32::try_from(share_hit(draw, share)).unwrap());
                assert!((hits - expected).abs() <= 450.0, "{draw:?} {share}: {hits}");
            }
        }
        let both = (0..payments)
            .filter(|&p| {
                let fate = Fate::of(3, p);
                fate.hits(Draw::Decline, 0, 0.5) && fate.hits(Draw::Drop, 0, 0.5)
            })
            .count();
        assert!((4_500..=5_500).contains(&both), "{both} of 20,000 hit both halves");
    }
}
