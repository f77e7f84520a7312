//! Nothing is lost: on disk, in notation; and nothing that anyone can write makes a reader panic.

mod strategies;

use onsale_history::{
    Clock, Damage, History, Names, NoteId, Recording, Side, SkuId, notation, open, verify,
};
use proptest::prelude::*;
use std::path::Path;
use std::time::Instant;
use strategies::{NOTES, Scenario, Size, header, scenario};

#[expect(clippy::disallowed_methods, reason = "a test has no run whose clock it could use")]
fn clock() -> Clock {
    Clock::since(Instant::now())
}

fn name_everything(names: &Names) {
    for sku in header().sale.skus {
        let _: SkuId = names.id(&sku.name);
    }
    for note in NOTES {
        let _: NoteId = names.id(note);
    }
}

fn on_disk(folder: &Path, scenario: &Scenario) -> Recording {
    let recording = Recording::create(folder, &header()).expect("the folder is new");
    let scribe = recording.scribe(clock());
    name_everything(&scribe.names);
    let log = || recording.recorder().expect("there is space");
    scenario.record(&mut [log(), log(), log()], &*scribe.marks).expect("there is space");
    recording
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("it is readable").path()).collect();
    files.sort();
    files
}

/// Applies each change to one file of the record.
fn damage(folder: &Path, changes: &[(usize, Change)]) {
    let files = files(folder);
    for (file, change) in changes {
        let path = &files[file % files.len()];
        let mut bytes = std::fs::read(path).expect("it is readable");
        change.apply(&mut bytes);
        std::fs::write(path, bytes).expect("it is writable");
    }
}

#[derive(Clone, Debug)]
enum Change {
    Flip(usize, u8),
    Cut(usize),
    Append(Vec<u8>),
    Overwrite(usize, Vec<u8>),
    /// A record of 64 bytes moves to another place.
    Move(usize, usize),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let length = bytes.len().max(1);
        match self {
            Self::Append(more) => bytes.extend(more),
            _ if bytes.is_empty() => {}
            Self::Flip(at, bit) => bytes[at % length] ^= 1 << (bit % 8),
            Self::Cut(at) => bytes.truncate(at % length),
            Self::Overwrite(at, with) => {
                let at = at % length;
                let end = (at + with.len()).min(length);
                bytes[at..end].copy_from_slice(&with[..end - at]);
            }
            Self::Move(from, to) => {
                let records = length / 64;
                if records > 0 {
                    let from = from % records * 64;
                    bytes.copy_within(from..from + 64, to % records * 64);
                }
            }
        }
    }
}

/// Places near the front are likelier: most of an unsealed log is empty.
fn place() -> impl Strategy<Value = usize> {
    prop_oneof![0..4_096_usize, any::<usize>()]
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (place(), any::<u8>()).prop_map(|(at, bit)| Change::Flip(at, bit)),
        place().prop_map(Change::Cut),
        proptest::collection::vec(any::<u8>(), 1..200).prop_map(Change::Append),
        (place(), proptest::collection::vec(any::<u8>(), 1..200))
            .prop_map(|(at, with)| Change::Overwrite(at, with)),
        (0..64_usize, 0..64_usize).prop_map(|(from, to)| Change::Move(from, to)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_field_survives_the_disk(scenario in scenario(Size { highest: u32::MAX - 1 })) {
        let folder = tempfile::tempdir().unwrap();
        let recording = on_disk(folder.path(), &scenario);
        let expected = scenario.in_memory();
        for sealed in [false, true] {
            if sealed {
                recording.seal().unwrap();
            }
            let (read, _, health) = open(folder.path()).unwrap();
            prop_assert_eq!(&read.operations, &expected.operations);
            prop_assert_eq!(&read.lines, &expected.lines);
            prop_assert_eq!(&read.marks, &expected.marks);
            prop_assert_eq!(&read.header, &expected.header);
            let open = scenario.operations.iter().filter(|asked| asked.answer.is_none()).count();
            prop_assert_eq!((health.sealed, health.open, health.torn), (sealed, open as u64, 0));
        }
    }

    #[test]
    fn every_bit_of_a_sealed_record_counts(scenario in scenario(Size { highest: 40 }), file: usize, at: usize, bit: u8) {
        let folder = tempfile::tempdir().unwrap();
        on_disk(folder.path(), &scenario).seal().unwrap();
        let path = files(folder.path())[file % files(folder.path()).len()].clone();
        let before = std::fs::read(&path).unwrap();
        damage(folder.path(), &[(file, Change::Flip(at, bit))]);
        let after = std::fs::read(&path).unwrap();
        prop_assume!(before != after);
        prop_assert!(verify(folder.path()).is_err(), "{}", path.display());
    }

    #[test]
    fn no_damage_makes_a_reader_panic(
        scenario in scenario(Size { highest: 40 }),
        seal: bool,
        changes in proptest::collection::vec((any::<usize>(), change()), 1..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let recording = on_disk(folder.path(), &scenario);
        if seal {
            recording.seal().unwrap();
        }
        damage(folder.path(), &changes);
        if let Err(damage) = open(folder.path()) {
            prop_assert!(!damage.to_string().is_empty());
        }
    }

    #[test]
    fn a_prefix_of_an_unsealed_log_is_a_prefix_of_its_operations(
        scenario in scenario(Size { highest: 40 }),
        keep in 0..4_096_usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        on_disk(folder.path(), &scenario);
        let whole = open(folder.path()).unwrap().0;
        let path = folder.path().join("worker-001.log");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[keep..].fill(0);
        std::fs::write(&path, bytes).unwrap();
        let (read, ..) = open(folder.path()).unwrap();
        prop_assert!(read.operations.len() <= whole.operations.len());
        for operation in &read.operations {
            let before = whole.operations.iter().find(|other| other.id == operation.id).unwrap();
            prop_assert_eq!((operation.start, operation.call), (before.start, before.call));
            let same = operation.answer == before.answer && operation.end == before.end;
            prop_assert!(same || operation.outcome().is_indeterminate());
            let lines = |history: &History, operation, side| {
                history.lines_of(operation, side).copied().collect::<Vec<_>>()
            };
            prop_assert_eq!(lines(&read, operation, Side::Call), lines(&whole, before, Side::Call));
            let answered = if same { lines(&whole, before, Side::Answer) } else { vec![] };
            prop_assert_eq!(lines(&read, operation, Side::Answer), answered);
        }
    }

    #[test]
    fn every_field_survives_the_notation(scenario in scenario(Size { highest: 40 })) {
        let history = scenario.in_memory();
        let names = Names::default();
        name_everything(&names);
        let text = notation::print(&history, &names);
        let (read, read_names) = notation::parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&read.operations, &history.operations, "{}", text);
        prop_assert_eq!(&read.lines, &history.lines, "{}", text);
        prop_assert_eq!(&read.header.sale, &history.header.sale);
        prop_assert_eq!(read.marks.len(), history.marks.len());
        prop_assert_eq!(notation::print(&read, &read_names), text);
    }

    #[test]
    fn no_text_makes_the_notation_panic(words in proptest::collection::vec(
        prop_oneof![
            proptest::sample::select(&[
                "sale", "facts", "mark", "p0", "p4294967295", "b1", "0ms..5ms", "1s..?", "hold", "A", "x2", "x", "->", "?", "?error",
                "!ok", "hold", "h0", "o0/h0", "c0", "key=k0", "link=op4294967295", "late=99999s", "orders", "stock", "total", "1",
                "confirmed", "\"a b\"", "\"", "\\", "#", "\n", "\n", "5ms", "18446744073709551615ns", "99999999999s", "charge", "delivery",
                "note", "phase", "fault", "on=", "stock=1", "waves=0s:1,", "queue=fifo", "rate=inf", "sold-out=stale:1us", "=",
            ][..]).prop_map(str::to_owned),
            ".{0,12}",
        ],
        0..40,
    )) {
        if let Ok((history, names)) = notation::parse(&words.join(" ")) {
            let text = notation::print(&history, &names);
            let (again, _) = notation::parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            prop_assert_eq!(again.operations, history.operations);
        }
    }
}

#[test]
fn logs_that_were_exchanged_between_sealed_records_are_noticed() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mark = onsale_history::MarkKind::Phase(onsale_history::PhaseName::Load);
    for (folder, at) in [(&one, 1), (&other, 2)] {
        let scenario =
            Scenario { operations: vec![], marks: vec![(onsale_history::Nanos(at), mark)] };
        on_disk(folder.path(), &scenario).seal().unwrap();
    }
    std::fs::copy(other.path().join("marks.log"), one.path().join("marks.log")).unwrap();
    let damage = verify(one.path()).unwrap_err();
    assert!(
        matches!(&damage, Damage::Checksum { path, .. } if path.ends_with("marks.log")),
        "{damage}"
    );
}
