//! What the harness and the target must both know, and nobody else.

use crate::output::Failure;
use anyhow::anyhow;

/// The three secrets of a run.
#[derive(Clone)]
pub(crate) struct Secrets {
    /// The provider's API key.
    pub(crate) psp_key: String,
    /// Signs the webhooks.
    pub(crate) webhook: String,
    /// Opens the admin routes.
    pub(crate) admin: String,
}

impl Secrets {
    /// From the environment. An embedded target is told what is made up here; any other must have been told before.
    pub(crate) fn get(embedded: bool, run: &str) -> Result<Self, Failure> {
        let secret = |name: &str, made_up: &str| match variable(name) {
            Some(value) => Ok(value),
            None if embedded => Ok(format!("{made_up}_{run}")),
            None => Err(Failure::usage(anyhow!("the environment variable `{name}` is not set"))
                .hint(format!(
                    "a target that onsale did not start must share it: export {name}=…"
                ))),
        };
        Ok(Self {
            psp_key: secret("ONSALE_PSP_KEY", "sk_test")?,
            webhook: secret("ONSALE_WEBHOOK_SECRET", "whsec")?,
            admin: secret("ONSALE_ADMIN_KEY", "admin")?,
        })
    }
}

/// An environment variable.
#[expect(clippy::disallowed_methods, reason = "the environment enters the program here")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
