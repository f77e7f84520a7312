//! `cargo xtask ci`: everything that CI runs, in the order in which it fails soonest.

use crate::shell::{has_cargo, output, run as sh};
use crate::test::{timed, words};
use anyhow::{Context as _, ensure};

type Step = (&'static str, fn() -> anyhow::Result<()>);

const STEPS: &[Step] = &[
    ("format", || sh(&["cargo", "fmt", "--all", "--check"], &[])),
    ("tidy", crate::tidy::run),
    ("lints", || {
        let lint = [
            "cargo",
            "clippy",
            "--workspace",
            "--all-targets",
            "--profile",
            "ci",
            "--",
            "-D",
            "warnings",
        ];
        sh(&lint, &[])
    }),
    ("docs", || {
        sh(
            &["cargo", "doc", "--workspace", "--no-deps", "--profile", "ci"],
            &[("RUSTDOCFLAGS", "-D warnings")],
        )
    }),
    ("dependencies", dependencies),
    ("tests", crate::test::run),
];

pub(crate) fn run() -> anyhow::Result<()> {
    let before = state();
    let mut said = Vec::new();
    for (name, step) in STEPS {
        let (result, took) = timed(step);
        result.with_context(|| format!("step `{name}`"))?;
        said.push(format!("{name} {}", words(took)));
    }
    // Tests compare generated files; none of them may have written one.
    ensure!(
        before == state(),
        "the checks changed files: run `cargo xtask generate` and commit what it writes"
    );
    println!("xtask ci: all {} steps passed ({})", STEPS.len(), said.join(", "));
    Ok(())
}

/// Licences, bans, sources, advisories. The tool is not a part of Rust, so a machine without it says so and goes on; CI has it.
fn dependencies() -> anyhow::Result<()> {
    if has_cargo("deny") {
        return sh(&["cargo", "deny", "check"], &[]);
    }
    eprintln!("NOT CHECKED: cargo-deny is not installed here; CI checks deny.toml");
    Ok(())
}

/// What git sees of the tree, contents included; nothing outside a git checkout.
fn state() -> Option<(String, String)> {
    Some((output(&["git", "status", "--porcelain"])?, output(&["git", "diff", "HEAD"])?))
}
