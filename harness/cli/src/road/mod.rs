//! The road of a run: start, load, break, heal, drain, seal, judge, report.

pub(crate) mod clock;
pub(crate) mod embedded;
pub(crate) mod facts;
pub(crate) mod judge;
pub(crate) mod phases;
pub(crate) mod plan;
pub(crate) mod progress;
pub(crate) mod psp;
pub(crate) mod secrets;
pub(crate) mod signals;
pub(crate) mod stage;

use crate::output::Failure;
use anyhow::Context;
use std::path::{Path, PathBuf};

/// The runtime of a command that waits for things.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    Ok(runtime.context("failed to start the asynchronous runtime")?)
}

/// Where a run writes down how to undo its faults.
pub(crate) fn journal(folder: &Path) -> PathBuf {
    folder.join("faults.jsonl")
}
