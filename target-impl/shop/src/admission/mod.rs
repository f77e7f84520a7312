//! Admission: which of the crowd may reach the ledger. Memory, Lua scripts, no durability; the ledger decides.
//!
//! [`AdmissionStore`] is the port, [`EmbeddedStore`] the adapter in this process: a keyspace with Redis' semantics on
//! a thread of its own that runs the very files of `lua/`. [`scripts`] is the one typed table of those files.

mod commands;
mod embedded;
mod interpreter;
mod keyspace;
mod mirror;
mod reply;
pub mod scripts;
mod slot;

pub use commands::CommandError;
pub use embedded::EmbeddedStore;
pub use keyspace::Keyspace;
pub use mirror::Mirror;
pub use reply::Reply;
pub use scripts::{Bucket, BucketReply, Script};
pub use slot::slot;

use futures_util::future::BoxFuture;

/// Where admissions are kept: one script at a time, each atomic.
pub trait AdmissionStore: Send + Sync {
    /// Runs a script.
    fn run(
        &self,
        script: Script,
        keys: Vec<String>,
        args: Vec<String>,
    ) -> BoxFuture<'_, Result<Reply, AdmissionError>>;
}

/// Why an admission is not known.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum AdmissionError {
    /// The bucket was never built: the error `EVENT_NOT_FOUND` of the scripts.
    #[error("found no bucket while running the script `{script}`")]
    NotBuilt {
        /// The script.
        script: &'static str,
    },
    /// The script failed.
    #[error("failed to run the script `{script}`: {message}")]
    Script {
        /// The script.
        script: &'static str,
        /// What the store said.
        message: String,
    },
    /// The answer has another shape than the script promises.
    #[error("the script `{script}` answered with an unexpected shape")]
    Shape {
        /// The script.
        script: &'static str,
    },
    /// The store is gone.
    #[error("the admission store has stopped")]
    Stopped,
}
