//! When shoppers arrive: from a shape to instants.

use onsale_plan::{Arrival, Phase};

/// A spike takes so long.
const SPIKE_S: f64 = 0.2;

/// The arrival of every shopper, in nanoseconds after the first phase begins, sorted. Shares of the phases follow from the
/// areas under their shapes.
pub fn arrivals(phases: &[Phase], shoppers: u32, seed: u64) -> Vec<u64> {
    let mut chance = fastrand::Rng::with_seed(seed ^ 0x6172_7269_7665);
    let total: f64 = phases.iter().map(area).sum();
    let (mut begun, mut given, mut sum) = (0.0, 0, 0.0);
    let mut all = Vec::with_capacity(shoppers as usize);
    for phase in phases {
        sum += area(phase);
        let until = if total > 0.0 { (f64::from(shoppers) * sum / total).round() } else { 0.0 };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and a u32"
        )]
        let until = (until as u32).min(shoppers);
        let count = until - given;
        for index in 0..count {
            let even = (f64::from(index) + 0.5) / f64::from(count);
            let share =
                if matches!(phase.shape, Arrival::Poisson(_)) { chance.f64() } else { even };
            let at = begun + quantile(&phase.shape, share) * duration(phase);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a time in a run"
            )]
            all.push((at * 1e9) as u64);
        }
        given = until;
        begun += phase.lasts.as_secs_f64();
    }
    // Arrivals that are independent and uniform, given their number, are a Poisson process.
    all.sort_unstable();
    all
}

fn duration(phase: &Phase) -> f64 {
    let lasts = phase.lasts.as_secs_f64();
    if matches!(phase.shape, Arrival::Spike(_)) { lasts.min(SPIKE_S) } else { lasts }
}

fn area(phase: &Phase) -> f64 {
    let mean = match phase.shape {
        Arrival::Constant(rate) | Arrival::Poisson(rate) | Arrival::Spike(rate) => rate,
        Arrival::Ramp(from, to) => f64::midpoint(from, to),
    };
    mean * duration(phase)
}

/// The point of a phase, 0 to 1, before which this share of its shoppers arrive.
fn quantile(shape: &Arrival, share: f64) -> f64 {
    let Arrival::Ramp(from, to) = *shape else { return share };
    if (to - from).abs() < 1e-9 {
        return share;
    }
    // from·x + (to − from)·x²/2 = share·(from + to)/2
    let (a, b, c) = ((to - from) / 2.0, from, -share * f64::midpoint(from, to));
    (-b + (b * b - 4.0 * a * c).max(0.0).sqrt()) / (2.0 * a)
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "times in a run")]
mod tests {
    use super::arrivals;
    use onsale_plan::{Arrival, Phase};
    use std::time::Duration;

    fn phase(seconds: f64, shape: Arrival) -> Phase {
        Phase { lasts: Duration::from_secs_f64(seconds), shape }
    }

    fn between(all: &[u64], from_s: f64, to_s: f64) -> usize {
        all.iter().filter(|at| (from_s..to_s).contains(&(**at as f64 / 1e9))).count()
    }

    #[test]
    fn shapes_have_their_shares() {
        for (phases, windows) in [
            (vec![phase(10.0, Arrival::Constant(1.0))], vec![(0.0, 5.0, 500), (5.0, 10.0, 500)]),
            (vec![phase(10.0, Arrival::Ramp(0.0, 1.0))], vec![(0.0, 5.0, 250), (5.0, 10.0, 750)]),
            (vec![phase(10.0, Arrival::Ramp(1.0, 0.0))], vec![(0.0, 5.0, 750), (5.0, 10.0, 250)]),
            (
                vec![phase(5.0, Arrival::Constant(1.0)), phase(5.0, Arrival::Spike(25.0))],
                vec![(0.0, 5.0, 500), (5.0, 5.2, 500)],
            ),
        ] {
            let all = arrivals(&phases, 1_000, 7);
            assert_eq!(all.len(), 1_000);
            assert!(all.is_sorted());
            for (from, to, expected) in windows {
                assert!(
                    between(&all, from, to).abs_diff(expected) <= 2,
                    "{phases:?} in {from}..{to}"
                );
            }
        }
    }

    #[test]
    fn poisson_arrivals_are_uneven_and_follow_the_seed() {
        let phases = [phase(10.0, Arrival::Poisson(1.0))];
        let (all, again, other) = (
            arrivals(&phases, 10_000, 1),
            arrivals(&phases, 10_000, 1),
            arrivals(&phases, 10_000, 2),
        );
        assert_eq!(all, again);
        assert_ne!(all, other);
        let gaps: Vec<f64> = all.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let deviation =
            (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
        assert!(
            (0.9..1.1).contains(&(deviation / mean)),
            "an exponential gap deviates by its mean"
        );
    }
}
