//! What a mapping is compiled with: where things are, and what is sold.

use crate::CompileError;
use onsale_plan::{LateCapture, PuzzleScheme, QueueMethod, Sale, Sku, Target, TokenAlgorithm};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// What is known when a run starts.
#[derive(Clone, Debug)]
pub struct RunContext {
    /// Identifier of the run.
    pub run: String,
    /// Identifier of the event, unique to the run.
    pub event: String,
    /// Base URL of the target (`http://127.0.0.1:8080`).
    pub target_url: String,
    /// Base URL of the payment provider.
    pub psp_url: String,
    /// Seed of what must be unique.
    pub seed: u64,
    /// Wall clock at the run's epoch, in milliseconds since 1970.
    pub epoch_unix_ms: u64,
    /// What `sale.…` means; see [`sale_values`].
    pub sale: Value,
    /// What `secret.…` means.
    pub secrets: Secrets,
}

/// Values that are never printed.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, String>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.keys().map(|name| (name, "…"))).finish()
    }
}

impl Secrets {
    /// The mapping's secrets, as `read` (the environment) gives them.
    pub fn resolve(
        target: &Target,
        read: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, CompileError> {
        let mut all = BTreeMap::new();
        for (name, secret) in &target.secrets {
            let value = read(&secret.env).ok_or_else(|| CompileError::Secret {
                name: name.clone(),
                variable: secret.env.clone(),
            })?;
            all.insert(name.clone(), value);
        }
        Ok(Self(all))
    }
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
    /// `text` without the secrets in it.
    pub fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in self.0.values().filter(|secret| !secret.is_empty()) {
            text = text.replace(secret, "…");
        }
        text
    }
}

/// A sale as `sale.…` of a mapping. `opens_at_ms` is the opening on the wall clock (milliseconds since 1970).
pub fn sale_values(sale: &Sale, opens_at_ms: u64) -> Value {
    let before = sale.queue.as_ref().map_or(0, |queue| millis(queue.opens_before));
    json!({
        "title": sale.title,
        "price": sale.price,
        "currency": sale.currency,
        "opens-at-ms": opens_at_ms,
        "queue-opens-at-ms": opens_at_ms.saturating_sub(before),
        "skus": skus(sale, opens_at_ms),
        "hold-ttl-ms": millis(sale.hold.ttl),
        "hold-ttl-s": sale.hold.ttl.as_secs(),
        "one-hold": sale.hold.one_hold,
        "account-limit": sale.account_limit,
        "instrument-limit": sale.instrument_limit,
        "late-capture": match sale.hold.late_capture {
            LateCapture::Refund => "refund",
            LateCapture::Rehold => "rehold",
        },
        "queue": sale.queue.as_ref().map(|queue| json!({
            "method": match queue.method {
                QueueMethod::Fifo => "fifo",
                QueueMethod::Lottery => "lottery",
            },
            "rate": queue.rate,
            "batch": queue.batch,
            "abandon-after-ms": millis(queue.abandon_after),
            "token-ttl-ms": millis(queue.token_ttl),
            "poll-every-s": queue.poll_every.as_secs_f64(),
            "token-algorithm": match queue.token {
                TokenAlgorithm::EdDsa => "EdDSA",
                TokenAlgorithm::Hs256 => "HS256",
            },
        })),
        "puzzle": {
            "scheme": match sale.puzzle.scheme {
                PuzzleScheme::None => "none",
                PuzzleScheme::AltchaV1 => "altcha-v1",
                PuzzleScheme::AltchaV2 => "altcha-v2",
            },
            "cost": sale.puzzle.cost,
            "max-number": sale.puzzle.max_number,
        },
    })
}

fn skus(sale: &Sale, opens_at_ms: u64) -> Vec<Value> {
    let hot = |sku: &Sku| {
        let waves: Vec<_> = sku
            .waves
            .iter()
            .map(|wave| json!({ "at-ms": opens_at_ms + millis(wave.after), "units": wave.units }))
            .collect();
        json!({ "name": sku.name, "stock": sku.stock, "shards": sku.shards, "seat": false, "waves": waves })
    };
    let one = |name: String, stock: u32, seat: bool| json!({ "name": name, "stock": stock, "shards": 1, "seat": seat, "waves": [] });
    let canaries =
        (0..sale.canaries.count).map(|i| one(format!("canary-{i}"), sale.canaries.stock, false));
    let seats = (0..sale.seats).map(|i| one(format!("seat-{i}"), 1, true));
    sale.skus.iter().map(hot).chain(canaries).chain(seats).collect()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
