//! Broken files: every mistake at once, each at its line and column, with what to do.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use onsale_plan::{ChaosPlan, Known, Target, Workload};
use std::path::Path;

const KNOWN: Known<'static> = Known {
    personas: &["human", "sniper", "scalper", "hoarder"],
    faults: &["target-kill", "target-pause", "webhook-drop"],
    rules: &["oversell", "overcommit", "double-charge"],
};

/// What is said of a file, by the kind that its name begins with.
fn mistakes(file: &Path, text: &str) -> String {
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let named = Path::new(&name);
    let told = match name.split(['-', '.']).next().unwrap() {
        "chaos" => ChaosPlan::parse(named, text, &KNOWN).map(|_| ()),
        "target" => Target::parse(named, text).map(|_| ()),
        _ => Workload::parse(named, text, &KNOWN).map(|_| ()),
    };
    told.expect_err("a broken file is not accepted").to_string()
}

#[test]
fn every_mistake_of_a_broken_file_is_shown_where_it_is() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 20, "{} broken files", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        insta::assert_snapshot!(name, mistakes(&file, &text));
    }
}

#[test]
fn any_bytes_are_refused_without_a_panic() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads/quickstart.yaml");
    let text = std::fs::read_to_string(file).unwrap();
    // Every place where the file could have been cut off, and every line that could be missing.
    for (end, _) in text.char_indices().step_by(7) {
        let _ = Workload::parse(Path::new("cut.yaml"), &text[..end], &KNOWN);
    }
    let lines: Vec<&str> = text.lines().collect();
    for gone in 0..lines.len() {
        let rest: Vec<&str> = [&lines[..gone], &lines[gone + 1..]].concat();
        let _ = Workload::parse(Path::new("gap.yaml"), &rest.join("\n"), &KNOWN);
    }
}
