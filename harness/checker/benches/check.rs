//! Operations a second through every rule, and through the joins alone.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use onsale_checker::{Facts, RULES, check};
use onsale_history::{History, Names};
use onsale_testkit::{Plan, simulate};
use std::hint::black_box;

/// A crowded sale of about a hundred thousand operations.
fn crowd() -> History {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut plan = Plan::large(&mut rng, 8_000);
    plan.facts.queue = None;
    simulate(7, plan, None)
}

fn judge(c: &mut Criterion) {
    let history = crowd();
    let names = Names::default();
    let mut group = c.benchmark_group("check");
    group.sample_size(10);
    group.throughput(Throughput::Elements(history.operations.len() as u64));
    group.bench_function("joins", |b| {
        b.iter(|| black_box(Facts::new(&history, &names)).leases.len());
    });
    group.bench_function("every rule", |b| b.iter(|| black_box(check(&history, &names))));
    let facts = Facts::new(&history, &names);
    for rule in RULES {
        group.bench_function(rule.name(), |b| b.iter(|| black_box(rule.judge(&facts))));
    }
    group.finish();
}

criterion_group!(benches, judge);
criterion_main!(benches);
