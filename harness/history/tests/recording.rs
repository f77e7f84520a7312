//! What is on disk: it comes back as it was, a crash leaves a prefix, a flipped bit is found, a full disk is an error.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use onsale_history::notation::{parse, print};
use onsale_history::{
    BuyerId, CallKind, Clock, Completion, Damage, Header, HoldId, Invocation, KeyId, Label, Line,
    MarkKind, Nanos, Outcome, PhaseName, ProcessId, Recording, SkuId, open, verify,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

fn header() -> Header {
    parse("sale A stock=10 shards=2\nsale B stock=1 role=canary\nfacts account-limit=4")
        .expect("the sale is well written")
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
    let recording = Recording::create(folder, &header()).expect("the folder is new");
    let scribe = recording.scribe(clock());
    let mut log = recording.recorder().expect("there is space");
    for index in 0..count {
        let at = Nanos(1_000 * index as u64);
        let cart = [Line::Item { sku: SkuId::from_index(1), quantity: 1 }];
        let op = log.invoke(at, &hold(index), &cart).expect("there is space");
        if index + 1 < count {
            let name: HoldId = scribe.names.id(&format!("hold-{index}"));
            let answer = Completion {
                hold: Some(name),
                value: 4_000,
                status: 201,
                ..Completion::of(Outcome::Ok)
            };
            log.complete(at.plus(Nanos(500)), op, &answer, &[]).expect("there is space");
        }
    }
    scribe.mark(MarkKind::Phase(PhaseName::End)).expect("there is space");
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
fn what_comes_after_the_seal_is_refused_and_damages_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    let recording = record(&folder, 10);
    let mut log = recording.recorder().unwrap();
    let op = log.invoke(Nanos(1), &hold(10), &[]).unwrap();
    let scribe = recording.scribe(clock());
    recording.seal().unwrap();
    assert!(log.complete(Nanos(2), op, &Completion::of(Outcome::Ok), &[]).is_err());
    assert!(log.invoke(Nanos(3), &hold(11), &[]).is_err());
    assert!(scribe.mark(MarkKind::Phase(PhaseName::End)).is_err());
    assert!(recording.recorder().is_err());
    assert!(recording.seal().is_err());
    let late: HoldId = scribe.names.id("late");
    assert_eq!(scribe.names.name(late).as_deref(), Some("late"));
    assert!(!recording.is_broken(), "the seal says where the record ends");
    let (history, names, health) = open(&folder).unwrap();
    assert_eq!((history.operations.len(), health.open), (11, 2));
    assert_eq!(names.find::<HoldId>("late"), None);
}

#[test]
fn records_that_changed_places_are_noticed_without_a_seal() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    let _recording = record(&folder, 100);
    let path = folder.join("worker-000.log");
    let mut bytes = std::fs::read(&path).unwrap();
    // An operation is three records here: two operations of the first block exchange their places.
    let (first, second) = bytes[..6 * 64].split_at_mut(3 * 64);
    first.swap_with_slice(second);
    std::fs::write(&path, bytes).unwrap();
    let damage = open(&folder).unwrap_err();
    assert!(matches!(damage, Damage::Nonsense { record: 63, .. }), "{damage}");
}

#[test]
fn a_damaged_name_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    record(&folder, 10).seal().unwrap();
    let path = folder.join("names.log");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[15 + 7] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let damage = verify(&folder).unwrap_err();
    assert!(matches!(damage, Damage::Name { entry: 1, byte: 15, .. }), "{damage}");
}

#[test]
fn a_record_that_was_being_written_is_invisible() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    let _recording = record(&folder, 3);
    let path = folder.join("worker-000.log");
    let mut bytes = std::fs::read(&path).unwrap();
    // Three invocations with a line each, and two completions: which is eight records: the next begins at 8 × 64.
    let torn: Vec<u8> = bytes[2 * 64..3 * 64].to_vec();
    bytes[8 * 64 + 4..9 * 64].copy_from_slice(&torn[4..]);
    std::fs::write(&path, bytes).unwrap();
    let (history, _, health) = open(&folder).unwrap();
    assert_eq!((history.operations.len(), health.records, health.open), (3, 9, 1));
    assert!((1..=64).contains(&health.torn), "{health:?}");
}

/// The same test binary, started again by the tests below with a folder in the environment.
#[test]
fn as_a_child_records_until_it_is_ended() {
    let Some(folder) = std::env::var_os("ONSALE_TEST_RECORD") else { return };
    let recording = Recording::create(Path::new(&folder), &header()).unwrap();
    let mut log = recording.recorder().unwrap();
    for index in 0.. {
        // Lines make records that a full disk can tear apart.
        let cart = [Line::Item { sku: SkuId::from_index(1), quantity: 1 }; 2];
        match log.invoke(Nanos(index as u64), &hold(index), &cart) {
            Ok(op) if index % 2 == 0 => {
                drop(log.complete(Nanos(index as u64), op, &Completion::of(Outcome::Ok), &[]));
            }
            Ok(_) => {}
            Err(error) => {
                // Space comes back, and still nothing may follow the hole.
                let (_, hard) = getrlimit(Resource::RLIMIT_FSIZE).unwrap();
                setrlimit(Resource::RLIMIT_FSIZE, hard, hard).unwrap();
                recording.recorder().unwrap();
                assert!(log.invoke(Nanos(index as u64), &hold(index), &[]).is_err());
                assert!(recording.is_broken() && recording.seal().is_err());
                println!("refused: {error}");
                return;
            }
        }
    }
}

fn child(script: &str, folder: &Path) -> Command {
    let mut command = Command::new("bash");
    let this = std::env::current_exe().expect("a test has a file");
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
    // The end may have come in the middle of a record.
    assert!(!history.sealed && health.torn <= 64, "{health:?}");
    assert!(history.operations.len() > 5_000, "{}", history.operations.len());
    let (last, before) = history.operations.split_last().unwrap();
    for operation in before {
        let answered = operation.id.index() % 2 == 0;
        assert_eq!(operation.outcome().is_ok(), answered, "{operation:?}");
        assert_eq!(operation.end == Nanos::NEVER, !answered, "{operation:?}");
        assert!(answered || operation.answer == Completion::open());
    }
    assert_eq!(last.id.index(), before.len(), "no operation is missing");
    let open = history.operations.iter().filter(|operation| !operation.outcome().is_ok()).count();
    assert_eq!(health.open, open as u64);
}

#[test]
fn a_full_disk_is_an_error_and_no_signal() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("history");
    let output = child("trap '' XFSZ; ulimit -S -f 2048;", &folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("refused: failed to record"), "{text}");
    let (history, _, health) = open(&folder).unwrap();
    assert!(!history.sealed && history.operations.len() > 1_000, "{health:?}");
}

/// Jepsen's rules: dense indices, times that never go back, one thing at a time a process, and nothing after an `:info`.
#[test]
fn the_edn_export_is_a_history_that_jepsen_accepts() {
    let (history, names) = parse(include_str!("everything.case")).unwrap();
    let mut edn = vec![];
    onsale_history::export::edn(&history, &names, &mut edn).unwrap();
    let text = String::from_utf8(edn).unwrap();
    let field = |line: &str, key: &str| {
        let from = line.find(&format!(" {key} ")).unwrap() + key.len() + 2;
        line[from..].split([',', '}']).next().unwrap().parse::<u64>().unwrap()
    };
    let (mut busy, mut crashed, mut last) = (BTreeMap::new(), BTreeSet::new(), 0);
    for (index, line) in text.lines().enumerate() {
        let (process, op) = (field(line, ":process"), field(line, ":op"));
        assert_eq!(field(line, ":index"), index as u64);
        assert!(field(line, ":time") >= last);
        last = field(line, ":time");
        if line.starts_with("{:type :invoke") {
            assert!(!crashed.contains(&process), "{line}");
            assert_eq!(busy.insert(process, op), None, "{line}");
        } else {
            assert_eq!(busy.remove(&process), Some(op), "{line}");
        }
        if line.starts_with("{:type :info") {
            crashed.insert(process);
        }
    }
    assert!(busy.is_empty() && crashed.len() == 3, "{crashed:?}");
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
