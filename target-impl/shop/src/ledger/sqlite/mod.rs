//! The embedded ledger on SQLite.
//!
//! Whatever waits for the database is committed together: one transaction, a savepoint for each, every answer after
//! the one COMMIT. Reads have a connection of their own.

mod adapter;
mod attempts;
mod buckets;
mod cancel;
mod committer;
mod configure;
mod expire;
mod hold;
mod outcome;
mod pay;
mod quota;
mod reads;
mod rebuild;
mod schema;

pub use adapter::SqliteLedger;
