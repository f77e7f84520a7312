//! How fast a run is written down and read back: `cargo bench -p onsale-history`.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use onsale_history::{
    BuyerId, CallKind, Completion, Header, HoldId, Invocation, KeyId, Nanos, Outcome, ProcessId,
    Record, Recording, SkuId, notation, open,
};
use std::path::Path;

/// Operations of the history that is read.
const OPERATIONS: usize = 100_000;
const WORKERS: usize = 4;

fn header() -> Header {
    notation::parse("sale A stock=1000").expect("the sale is well written").0.header
}

fn operation(log: &mut dyn Record, index: usize) {
    let at = Nanos(1_000 * index as u64);
    let mut call = Invocation::of(
        CallKind::Hold,
        ProcessId::from_index(index % 1_000),
        BuyerId::from_index(index % 1_000),
    );
    (call.sku, call.quantity, call.key) =
        (Some(SkuId::from_index(0)), 1, Some(KeyId::from_index(index)));
    let op = log.invoke(at, &call, &[]).expect("there is space");
    let hold = Some(HoldId::from_index(index));
    let answer = Completion { hold, status: 201, ..Completion::of(Outcome::Ok) };
    log.complete(at.plus(Nanos(500)), op, &answer, &[]).expect("there is space");
}

fn sealed(folder: &Path) {
    let recording = Recording::create(folder, &header()).expect("the folder is new");
    let mut logs: Vec<_> =
        (0..WORKERS).map(|_| recording.recorder().expect("there is space")).collect();
    (0..OPERATIONS).for_each(|index| operation(&mut *logs[index % WORKERS], index));
    recording.seal().expect("there is space");
}

fn record(bench: &mut Criterion) {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let mut group = bench.benchmark_group("history");
    group.throughput(Throughput::Elements(1_000)).bench_function("write 1,000 operations", |b| {
        let fresh = || {
            let folder = tempfile::tempdir().expect("there is a folder for temporary files");
            let recording = Recording::create(folder.path(), &header()).expect("the folder is new");
            let log = recording.recorder().expect("there is space");
            (folder, recording, log)
        };
        b.iter_batched_ref(
            fresh,
            |(_, _, log)| (0..1_000).for_each(|index| operation(&mut **log, index)),
            BatchSize::PerIteration,
        );
    });
    sealed(folder.path());
    group.sample_size(10).throughput(Throughput::Elements(OPERATIONS as u64)).bench_function(
        "read 100,000 operations",
        |b| {
            b.iter(|| open(folder.path()).expect("it is sound"));
        },
    );
    group.finish();
}

criterion_group!(benches, record);
criterion_main!(benches);
