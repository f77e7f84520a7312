//! The timing wheel with as many sleepers as the largest workloads have: laying in, turning, laying in again.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use onsale_load::Wheel;
use std::hint::black_box;

/// Ticks that the wheel turns in one measurement.
const TICKS: u64 = 1_000;
/// A shopper sleeps up to this many ticks.
const SLEEP_MAX: u64 = 10_000;

/// Every sleeper that wakes is laid in again, as a session is after its answer.
fn turn(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a second of a wheel");
    for sleepers in [1_000u64, 100_000, 1_000_000] {
        let mut chance = fastrand::Rng::with_seed(sleepers);
        let (mut wheel, mut now, mut ripe) = (Wheel::new(), 0, vec![]);
        for sleeper in 0..sleepers {
            wheel.lay(chance.u64(1..SLEEP_MAX), sleeper);
        }
        // In the steady state a sleeper wakes every half of the longest sleep.
        group.throughput(Throughput::Elements(sleepers * TICKS * 2 / SLEEP_MAX));
        group.bench_function(BenchmarkId::from_parameter(sleepers), |bench| {
            bench.iter(|| {
                for _ in 0..TICKS {
                    now += 1;
                    wheel.advance(now, &mut ripe);
                    for (_, sleeper) in ripe.drain(..) {
                        wheel.lay(now + chance.u64(1..SLEEP_MAX), black_box(sleeper));
                    }
                }
            });
        });
    }
    group.finish();
}

/// The whole crowd lies down at once, as at the beginning of a load.
fn lay(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a crowd lies down");
    for sleepers in [100_000u64, 1_000_000] {
        group.throughput(Throughput::Elements(sleepers));
        group.bench_function(BenchmarkId::from_parameter(sleepers), |bench| {
            bench.iter(|| {
                let mut wheel = Wheel::new();
                for sleeper in 0..sleepers {
                    wheel.lay(1 + sleeper % SLEEP_MAX, black_box(sleeper));
                }
                wheel
            });
        });
    }
    group.finish();
}

criterion_group!(benches, turn, lay);
criterion_main!(benches);
