//! What a process of the shop is told when it starts: by flags and environment, never by files with secrets in them.

use crate::defect::Defects;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The configuration of an embedded shop.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Where the database and the keys live.
    pub data: PathBuf,
    /// The provider's base URL (`http://127.0.0.1:12111`).
    pub psp_url: String,
    /// The provider's API key.
    pub psp_key: String,
    /// Secret of the webhooks' signature.
    pub webhook_secret: String,
    /// Key of the admin routes.
    pub admin_key: String,
    /// When holds are acknowledged.
    pub admission: Admission,
    /// Bugs to have.
    pub defects: Defects,
}

/// When holds are acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// After the ledger's commit.
    #[default]
    Safe,
    /// After the Lua script; the ledger is written later (the seeds' design).
    RedisOnly,
}
