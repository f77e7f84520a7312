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
    /// What the edge lets pass.
    pub limits: Limits,
    /// Bugs to have.
    pub defects: Defects,
}

/// What the edge lets pass, and how long its keys live.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Accounts that may use one device. Families and offices share some; farms share many more.
    pub accounts_per_device: usize,
    /// Holds that an account may ask for a second, on average.
    pub holds_per_account_per_s: f64,
    /// Holds that an account may ask for at once.
    pub holds_per_account_burst: u32,
    /// How long a queue ticket is valid.
    pub ticket_ttl_ms: u64,
    /// How long a key signs; it verifies for a ticket's life longer.
    pub key_life_ms: u64,
    /// How long a request may take.
    pub request_timeout_ms: u64,
    /// Largest body of a request, in bytes.
    pub body_bytes: usize,
    /// Who judges CAPTCHA answers; nobody by default.
    pub captcha: Option<Captcha>,
}

impl Default for Limits {
    fn default() -> Self {
        const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
        Self {
            accounts_per_device: 64,
            holds_per_account_per_s: 50.0,
            holds_per_account_burst: 200,
            ticket_ttl_ms: DAY_MS,
            key_life_ms: 7 * DAY_MS,
            request_timeout_ms: 30_000,
            body_bytes: 64 * 1024,
            captcha: None,
        }
    }
}

/// A verifier of CAPTCHA answers that speaks like Turnstile's `siteverify`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captcha {
    /// Where to ask.
    pub verify_url: String,
    /// The site's secret.
    pub secret: String,
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
