//! What is on disk: it comes back as it was, a crash leaves a prefix, a flipped bit is found, a full disk is an error.

use onsale_history::notation::{parse, print};
use onsale_history::{
    BuyerId, CallKind, Clock, Completion, Damage, Header, HoldId, Invocation, KeyId, Label, Line,
    MarkKind, Nanos, Outcome, PhaseName, ProcessId, Recording, SkuId, open,
};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

fn header() -> Header {
    parse("sale A stock=10 shards=2\nsale B stock=1 role=canary\nfacts account-limit=4")
        .unwrap()
        .0
        .header
}

#[expect(clippy::disallowed_methods, reason = "a test has no run whose clock it could use")]
fn clock() -> Clock {
    Clock::since(Instant::now())
}

fn hold(process: usize) -> Invocation {
    let mut call = Invocation::of(
        CallKind::Hold,
        ProcessId::from_index(process),
        BuyerId::from_index(process),
    );
    call.sku = Some(SkuId::from_index(0));
    call.quantity = 2;
    call.key = Some(KeyId::from_index(process));
    call
}

/// Records `count` holds, the last one open, and gives the folder's recording.
fn record(folder: &Path, count: usize) -> Recording {
    let recording = Recording::create(folder, &header()).unwrap();
    let scribe = recording.scribe(clock());
    let mut log = recording.recorder().unwrap();
    for index in 0..count {
        let at = Nanos(1_000 * index as u64);
        let cart = [Line::Item { sku: SkuId::from_index(1), quantity: 1 }];
        let op = log.invoke(at, &hold(index), &cart).unwrap();
        if index + 1 < count {
            let name: HoldId = scribe.names.id(&format!("hold-{index}"));
            let answer = Completion {
                hold: Some(name),
                value: 4_000,
                status: 201,
                ..Completion::of(Outcome::Ok)
            };
            log.complete(at.plus(Nanos(500)), op, &answer, &[]).unwrap();
        }
    }
    scribe.mark(MarkKind::Phase(PhaseName::End)).unwrap();
    recording
}

#[test]
fn a_sealed_record_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    record(&folder, 1_000).seal().unwrap();
    let (history, names, health) = open(&folder).unwrap();
    assert!(history.sealed && health.sealed);
    assert_eq!((history.operations.len(), health.open, history.marks.len()), (1_000, 1, 1));
    let first = &history.operations[0];
    assert_eq!(history.items_of(first).count(), 2);
    assert_eq!(names.name(first.answer.hold.unwrap()).as_deref(), Some("hold-0"));
    assert_eq!(history.operations[999].end, Nanos::NEVER);
    assert_eq!(history.header, header());
}

#[test]
fn an_unsealed_record_is_a_readable_prefix() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    let recording = record(&folder, 100);
    let (history, _, health) = open(&folder).unwrap();
    assert!(!history.sealed && !health.sealed && !recording.is_broken());
    assert_eq!((history.operations.len(), health.open), (100, 1));
}

#[test]
fn a_flipped_bit_is_found_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    record(&folder, 200).seal().unwrap();
    let mut chance = fastrand::Rng::with_seed(7);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("seal.json") {
            continue;
        }
        let sound = std::fs::read(&path).unwrap();
        for _ in 0..40 {
            let mut bytes = sound.clone();
            bytes[chance.usize(..sound.len())] ^= 1 << chance.u8(..8);
            std::fs::write(&path, bytes).unwrap();
            let damage = open(&folder).expect_err("a bit was flipped");
            assert!(
                damage.to_string().contains(".json") || damage.to_string().contains(".log"),
                "{damage}"
            );
        }
        std::fs::write(&path, &sound[..sound.len() - 64.min(sound.len())]).unwrap();
        assert!(open(&folder).is_err(), "a cut file must be noticed");
        std::fs::write(&path, sound).unwrap();
    }
    open(&folder).unwrap();
}

#[test]
fn a_damaged_record_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    record(&folder, 200).seal().unwrap();
    let path = folder.join("worker-000.log");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[64 * 64 + 64 * 3 + 20] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let damage = open(&folder).unwrap_err();
    assert!(matches!(damage, Damage::Record { block: 1, record: 3, byte: 4288, .. }), "{damage}");
}

#[test]
fn random_bytes_never_panic_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    record(&folder, 70);
    let mut chance = fastrand::Rng::with_seed(11);
    for _ in 0..200 {
        let path = folder.join(["worker-000.log", "names.log", "marks.log"][chance.usize(..3)]);
        let mut bytes = std::fs::read(&path).unwrap();
        for _ in 0..chance.usize(1..30) {
            let at = chance.usize(..bytes.len().min(6_000));
            bytes[at] = chance.u8(..);
        }
        std::fs::write(&path, bytes).unwrap();
        drop(open(&folder));
    }
}

/// The same test binary, started again by the tests below with a folder in the environment.
#[test]
fn as_a_child_records_until_it_is_ended() {
    let Some(folder) = std::env::var_os("ONSALE_TEST_RECORD") else { return };
    let recording = Recording::create(Path::new(&folder), &header()).unwrap();
    let mut log = recording.recorder().unwrap();
    for index in 0.. {
        match log.invoke(Nanos(index as u64), &hold(index), &[]) {
            Ok(op) if index % 2 == 0 => {
                drop(log.complete(Nanos(index as u64), op, &Completion::open(), &[]))
            }
            Ok(_) => {}
            Err(error) => {
                assert!(recording.is_broken() && recording.seal().is_err());
                println!("refused: {error}");
                return;
            }
        }
    }
}

fn child(script: &str, folder: &Path) -> Command {
    let mut command = Command::new("bash");
    let this = std::env::current_exe().unwrap();
    let run =
        format!("{} --exact as_a_child_records_until_it_is_ended --nocapture", this.display());
    command.args(["-c", &format!("{script} exec {run}")]).env("ONSALE_TEST_RECORD", folder);
    command
}

#[test]
fn killing_the_harness_leaves_a_readable_prefix() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    let mut child = child("", &folder).stdout(std::process::Stdio::null()).spawn().unwrap();
    let log = folder.join("worker-000.log");
    while std::fs::metadata(&log).map_or(0, |data| data.len()) < 3 << 20 {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (history, _, health) = open(&folder).unwrap();
    assert!(!history.sealed);
    assert!(history.operations.len() > 10_000, "{}", history.operations.len());
    let open = history
        .operations
        .iter()
        .filter(|operation| operation.outcome().is_indeterminate())
        .count();
    assert_eq!(open, history.operations.len(), "what was never answered is indeterminate");
    assert!(health.open >= history.operations.len() as u64 / 2);
}

#[test]
fn a_full_disk_is_an_error_and_no_signal() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    let output = child("trap '' XFSZ; ulimit -f 2048;", &folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("refused: failed to record"), "{text}");
    let (history, ..) = open(&folder).unwrap();
    assert!(history.operations.len() > 1_000);
}

#[test]
fn exports_have_a_line_for_every_event() {
    let (history, names) = parse(include_str!("everything.case")).unwrap();
    let (mut jsonl, mut edn) = (vec![], vec![]);
    onsale_history::export::jsonl(&history, &names, &mut jsonl).unwrap();
    onsale_history::export::edn(&history, &names, &mut edn).unwrap();
    insta::assert_snapshot!("jsonl", String::from_utf8(jsonl).unwrap());
    insta::assert_snapshot!("edn", String::from_utf8(edn).unwrap());
}

#[test]
fn everything_in_notation_survives_the_disk() {
    let (history, names) = parse(include_str!("everything.case")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    let recording = Recording::create(&folder, &history.header).unwrap();
    let scribe = recording.scribe(clock());
    for sku in &history.header.sale.skus {
        let _: SkuId = scribe.names.id(&sku.name);
    }
    for note in ["target-kill", "gateway", "all is well"] {
        let _: onsale_history::NoteId = scribe.names.id(note);
    }
    let mut log = recording.recorder().unwrap();
    let mut operations: Vec<_> = history.operations.iter().collect();
    operations.sort_by_key(|operation| operation.id);
    for operation in operations {
        let of = |side| history.lines_of(operation, side).copied().collect::<Vec<_>>();
        let op =
            log.invoke(operation.start, &operation.call, &of(onsale_history::Side::Call)).unwrap();
        assert_eq!(op, operation.id);
        let end = if operation.end == Nanos::NEVER { operation.start } else { operation.end };
        log.complete(end, op, &operation.answer, &of(onsale_history::Side::Answer)).unwrap();
    }
    for mark in &history.marks {
        scribe.marks.mark(mark.at, mark.kind).unwrap();
    }
    recording.seal().unwrap();
    let (read, read_names, _) = open(&folder).unwrap();
    assert_eq!(print(&read, &read_names), print(&history, &names));
    assert!(read.operations.iter().any(|operation| operation.call.label == Label::Replay));
}
