//! The command as its users see it: what it prints, where, and how it ends.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn onsale(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onsale"));
    for name in ["ONSALE_TARGET", "ONSALE_SEED", "ONSALE_RESULTS"] {
        command.env_remove(name);
    }
    command.args(words).current_dir(root()).output().unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn printed(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

#[test]
fn pages_and_mistakes_look_like_this() {
    trycmd::TestCases::new().env("COLUMNS", "100").case("tests/cmd/*.trycmd");
}

#[test]
fn whatever_is_listed_is_explained() {
    for kind in ["rules", "faults", "personas", "defects", "errors", "exits"] {
        let listed = onsale(&["list", kind]);
        assert!(listed.status.success(), "{kind}");
        let mut names = BTreeSet::new();
        for line in printed(&listed).lines() {
            let (name, help) = line.split_once(' ').unwrap_or((line, ""));
            assert!(!help.trim().is_empty(), "{kind}: `{name}` says nothing of itself");
            assert!(names.insert(name.to_owned()), "{kind}: `{name}` is listed twice");
            let words: &[&str] =
                if kind == "exits" { &["explain", "exit", name] } else { &["explain", name] };
            let explained = onsale(words);
            assert!(explained.status.success(), "{kind}: `{name}` has no page");
            assert!(explained.stderr.is_empty());
            let page = printed(&explained);
            assert!(page.starts_with(&words[1..].join(" ")) && page.lines().count() >= 3, "{page}");
        }
        assert!(names.len() >= 5, "{kind}: only {names:?}");
    }
}

#[test]
fn a_plan_with_its_defaults_filled_in_is_a_plan_that_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["quickstart.yaml", "targets/reference.yaml"] {
        let first = onsale(&["inspect", &format!("workloads/{name}")]);
        assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
        let (heading, text) = printed(&first).split_once('\n').unwrap();
        assert_eq!(heading, format!("# workloads/{name}"));
        let again = folder.path().join("again.yaml");
        std::fs::write(&again, text).unwrap();
        let second = onsale(&["inspect", again.to_str().unwrap()]);
        assert!(second.status.success(), "{}", String::from_utf8_lossy(&second.stderr));
        assert_eq!(printed(&second).split_once('\n').unwrap().1, text, "{name}");
    }
}

#[test]
fn every_mistake_of_every_plan_is_told_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let mistakes = [
        ("one.yaml", "shopers", "load: { shopers: 5 }\n"),
        ("two.yaml", "event", "sale: { event: 3x! }\n"),
    ];
    let files = mistakes.map(|(name, _, text)| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    });
    let output = onsale(&["inspect", &files[0], &files[1]]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty(), "nothing of a broken plan is data");
    let told = String::from_utf8(output.stderr).unwrap();
    for (name, word, _) in mistakes {
        assert!(told.contains(word) && told.contains(&format!("{name}:1:")), "{told}");
    }
}

#[test]
fn the_beginning_of_a_runs_name_must_be_unique() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["2026-01-01-a", "2026-01-02-b"] {
        std::fs::create_dir_all(folder.path().join(name).join("history")).unwrap();
    }
    let results = folder.path().to_str().unwrap();
    let listed = onsale(&["list", "runs", "--results", results]);
    assert_eq!(printed(&listed), "2026-01-01-a\n2026-01-02-b\n");
    let output = onsale(&["check", "2026-01", "--results", results]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("2026-01-01-a, 2026-01-02-b"), "{told}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut command = Command::new("sh");
    let script = "\"$0\" explain oversell | head -c 1 >/dev/null; \"$0\" list rules | true";
    let output = command.args(["-c", script, env!("CARGO_BIN_EXE_onsale")]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
