//! When shoppers arrive: a pure function of the shapes, their number and a seed.

use onsale_history::Nanos;
use onsale_plan::{Arrival, Phase};
use std::time::Duration;

/// How long a spike lasts.
const SPIKE: Duration = Duration::from_millis(200);

/// The arrivals of `shoppers` shoppers, from the first one's time on, earliest first. Shares follow from the areas.
pub fn arrivals(phases: &[Phase], shoppers: u32, chance: &mut fastrand::Rng) -> Vec<Nanos> {
    let areas: Vec<f64> = phases.iter().map(area).collect();
    let total: f64 = areas.iter().sum();
    if total <= 0.0 {
        return vec![Nanos::ZERO; shoppers as usize];
    }
    let mut times = Vec::with_capacity(shoppers as usize);
    let (mut begin, mut sum) = (0.0, 0.0);
    for (phase, area) in phases.iter().zip(areas) {
        sum += area;
        let until = share(shoppers, sum / total);
        let count = until.saturating_sub(times.len());
        spread(phase, count, begin, chance, &mut times);
        begin += phase.lasts.as_secs_f64();
    }
    times.sort_unstable();
    times
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a u32 is between 0 and it"
)]
fn share(shoppers: u32, part: f64) -> usize {
    (f64::from(shoppers) * part).round() as usize
}

fn area(phase: &Phase) -> f64 {
    let seconds = phase.lasts.as_secs_f64();
    match phase.shape {
        Arrival::Constant(rate) | Arrival::Poisson(rate) => rate.max(0.0) * seconds,
        Arrival::Ramp(from, to) => (from.max(0.0) + to.max(0.0)) / 2.0 * seconds,
        Arrival::Spike(rate) => rate.max(0.0) * SPIKE.as_secs_f64().min(seconds),
    }
}

#[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 shoppers")]
fn spread(
    phase: &Phase,
    count: usize,
    begin: f64,
    chance: &mut fastrand::Rng,
    out: &mut Vec<Nanos>,
) {
    let lasts = phase.lasts.as_secs_f64();
    let middle = |index: usize| (index as f64 + 0.5) / count as f64;
    for index in 0..count {
        let at = match phase.shape {
            Arrival::Constant(_) => lasts * middle(index),
            Arrival::Ramp(from, to) => lasts * on_ramp(from.max(0.0), to.max(0.0), middle(index)),
            // A Poisson process with a known count is that many independent uniform times.
            Arrival::Poisson(_) => lasts * chance.f64(),
            Arrival::Spike(_) => SPIKE.as_secs_f64().min(lasts) * middle(index),
        };
        out.push(seconds(begin + at));
    }
}

/// Where a ramp has spent the share `part` of its area.
fn on_ramp(from: f64, to: f64, part: f64) -> f64 {
    let slope = to - from;
    if slope.abs() < 1e-9 {
        return part;
    }
    // from·x + slope·x²/2 = part·(from + to)/2
    ((from * from + slope * part * (from + to)).max(0.0).sqrt() - from) / slope
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time within a workload fits"
)]
fn seconds(seconds: f64) -> Nanos {
    Nanos((seconds * 1e9) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(ms: u64, shape: Arrival) -> Phase {
        Phase { lasts: Duration::from_millis(ms), shape }
    }

    fn within(times: &[Nanos], from_ms: u64, to_ms: u64) -> usize {
        let range = Nanos::from_millis(from_ms)..Nanos::from_millis(to_ms);
        times.iter().filter(|time| range.contains(time)).count()
    }

    #[test]
    fn shapes_put_shoppers_where_their_area_is() {
        let cases: [(Vec<Phase>, &[(u64, u64, usize)]); 4] = [
            (vec![phase(1000, Arrival::Constant(3.0))], &[(0, 500, 500), (500, 1000, 500)]),
            (vec![phase(1000, Arrival::Ramp(0.0, 1.0))], &[(0, 500, 250), (500, 1000, 750)]),
            (
                vec![phase(1000, Arrival::Constant(1.0)), phase(1000, Arrival::Spike(20.0))],
                &[(0, 1000, 200), (1000, 1200, 800)],
            ),
            (
                vec![phase(1000, Arrival::Constant(0.0)), phase(1000, Arrival::Ramp(2.0, 2.0))],
                &[(0, 1000, 0), (1000, 2000, 1000)],
            ),
        ];
        for (phases, expected) in cases {
            let times = arrivals(&phases, 1000, &mut fastrand::Rng::with_seed(1));
            assert_eq!(times.len(), 1000);
            assert!(times.is_sorted());
            for &(from, to, count) in expected {
                let got = within(&times, from, to);
                assert!(got.abs_diff(count) <= 2, "{phases:?}: {got} in {from}..{to} ms");
            }
        }
    }

    #[test]
    fn poisson_arrivals_bunch_and_have_their_mean() {
        let phases = [phase(10_000, Arrival::Poisson(1.0))];
        let times = arrivals(&phases, 10_000, &mut fastrand::Rng::with_seed(3));
        // Counts of a Poisson process vary as much as their mean; evenly spread ones do not vary.
        let counts: Vec<f64> = (0..100)
            .map(|i| f64::from(u32::try_from(within(&times, i * 100, i * 100 + 100)).unwrap()))
            .collect();
        let variance = counts.iter().map(|count| (count - 100.0).powi(2)).sum::<f64>() / 100.0;
        assert!((50.0..200.0).contains(&variance), "{variance}");
    }

    #[test]
    fn the_same_seed_gives_the_same_arrivals() {
        let phases = [phase(1000, Arrival::Poisson(1.0))];
        let of = |seed| arrivals(&phases, 500, &mut fastrand::Rng::with_seed(seed));
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}
