//! Running other programs, seen by whoever waits.

use crate::tree::root;
use anyhow::{Context as _, bail};
use std::process::{Command, Stdio};

/// A command in the repository's root.
pub(crate) fn command(words: &[&str]) -> Command {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(root());
    command
}

/// Shows and runs a command; fails when it fails.
pub(crate) fn run(words: &[&str], env: &[(&str, &str)]) -> anyhow::Result<()> {
    let line = words.join(" ");
    let set: Vec<String> = env.iter().map(|(key, value)| format!("{key}=\"{value}\"")).collect();
    eprintln!("$ {} {line}", set.join(" "));
    let status = command(words)
        .envs(env.iter().copied())
        .status()
        .with_context(|| format!("failed to start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

/// What a command says; nothing when it cannot be started or fails.
pub(crate) fn output(words: &[&str]) -> Option<String> {
    let output = command(words)
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// Whether `cargo <name>` is there.
pub(crate) fn has_cargo(name: &str) -> bool {
    output(&["cargo", name, "--version"]).is_some()
}
