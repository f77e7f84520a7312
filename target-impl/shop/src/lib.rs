//! The reference implementation of the whole sale system: one library, one role a process.
//!
//! Each backing service is behind a port with two adapters: the real one and the embedded one. Embedded, every role
//! runs in one process on SQLite and an in-process keyspace that runs the very files of `lua/`.

pub mod admission;
pub mod clock;
pub mod config;
pub mod defect;
pub mod edge;
pub mod gatekeeper;
pub mod gateway;
mod health;
pub mod ledger;
pub mod openapi;
pub mod orders;
pub mod payments;
pub mod problem;
pub mod serve;
pub mod sqlite;
