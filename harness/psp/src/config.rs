//! How a provider is set up.

use crate::Knobs;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// Everything a provider is told before it starts.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen; port 0 picks one.
    pub listen: SocketAddr,
    /// The key of the target's server (`sk_…`).
    pub secret_key: String,
    /// What webhooks are signed with (`whsec_…`).
    pub webhook_secret: String,
    /// Where webhooks go; may be set later.
    pub webhook_url: Option<String>,
    /// The seed of every choice.
    pub seed: u64,
    /// Wall clock at the run's epoch, since 1970; what Stripe calls `created` and signatures' timestamps follow from it.
    pub epoch_unix: Duration,
    /// How failed deliveries are tried again.
    pub retry: Retry,
    /// How the provider behaves at first.
    pub knobs: Knobs,
}

impl Config {
    /// A well-behaved provider on a free port of the loopback interface.
    pub fn loopback(seed: u64, epoch_unix: Duration) -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            secret_key: format!("sk_test_{seed:016x}"),
            webhook_secret: format!("whsec_{seed:016x}"),
            webhook_url: None,
            seed,
            epoch_unix,
            retry: Retry::default(),
            knobs: Knobs::default(),
        }
    }
}

/// How failed deliveries are tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Pause after the first failure.
    pub first: Duration,
    /// Each further pause is so many times longer.
    pub factor: u32,
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// How long one attempt may take.
    pub timeout: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(300),
            factor: 2,
            attempts: 6,
            timeout: Duration::from_secs(5),
        }
    }
}

impl Retry {
    /// The pause after the attempt with this number, counted from 1; none after the last.
    pub(crate) fn pause(&self, attempt: u32) -> Option<Duration> {
        (attempt < self.attempts)
            .then(|| self.first.saturating_mul(self.factor.saturating_pow(attempt - 1)))
    }
}
