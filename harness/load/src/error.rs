//! What can go wrong in the swarm itself; what the target does is an answer.

use onsale_history::RecordError;

/// The swarm cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The record has a hole: the run can prove nothing more.
    #[error("failed to record what the swarm did")]
    Record(#[source] RecordError),
    /// Goose refused to run.
    #[error("failed to run the goose attack: {0}")]
    Goose(String),
    /// No thread or runtime for the swarm.
    #[error("failed to start {what}")]
    Start {
        /// What.
        what: &'static str,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A worker panicked.
    #[error("a worker of the swarm panicked while it was {0}")]
    Panicked(&'static str),
    /// The workload names a persona that there is not.
    #[error("the workload names the persona `{0}`, which does not exist")]
    Persona(String),
}
