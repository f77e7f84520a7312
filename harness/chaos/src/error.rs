//! What can go wrong with a fault.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

/// A failure to inject, to heal, or to run the target.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No fault has this name.
    #[error("there is no fault `{name}`")]
    UnknownFault {
        /// As it was written.
        name: String,
    },
    /// The fault needs something that this run does not have.
    #[error("fault `{fault}` needs {what}, which this run does not have")]
    Missing {
        /// The fault.
        fault: &'static str,
        /// What it acts on.
        what: &'static str,
    },
    /// A process cannot be started.
    #[error("failed to start `{program}`")]
    Spawn {
        /// Which.
        program: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The target's log cannot be written.
    #[error("failed to open the target's log `{path}`")]
    Log {
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The target ended by itself.
    #[error("the target ended by itself with {status}; its log is `{log}`")]
    Ended {
        /// How.
        status: ExitStatus,
        /// Where it says why.
        log: PathBuf,
    },
    /// The target does not become ready.
    #[error("the target was not ready within {limit:?}; its log is `{log}`")]
    NotReady {
        /// How long it was given.
        limit: Duration,
        /// Where it says why.
        log: PathBuf,
    },
    /// The target is not running.
    #[error("the target is not running")]
    NotRunning,
    /// The process with this number is somebody else.
    #[error("process {pid} is not the one that was started: nothing was done to it")]
    Stranger {
        /// Its number.
        pid: i32,
    },
    /// A signal was refused.
    #[error("failed to send {signal} to process {pid}")]
    Signal {
        /// Which.
        signal: &'static str,
        /// To whom.
        pid: i32,
        /// Why.
        #[source]
        source: nix::Error,
    },
    /// A process does not go away.
    #[error("process {pid} was still there {limit:?} after SIGKILL")]
    Immortal {
        /// Which.
        pid: i32,
        /// How long it was watched.
        limit: Duration,
    },
    /// What is known about a process cannot be read.
    #[error("failed to identify process {pid}")]
    Identify {
        /// Which.
        pid: i32,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The journal cannot be read or written.
    #[error("failed to keep the undo journal `{path}`")]
    Journal {
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A line of the journal makes no sense.
    #[error("failed to read line {line} of the undo journal `{path}`")]
    JournalLine {
        /// Where.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// A mark cannot be written.
    #[error("failed to mark a fault")]
    Mark(#[source] onsale_history::RecordError),
}
