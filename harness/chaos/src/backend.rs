//! What faults act on.

use crate::{Error, Journal, Process};
use onsale_psp::Provider;
use std::sync::Arc;

/// What this run can break. Later backends (containers) join here, and only here.
#[derive(Clone)]
pub struct Backend {
    /// The embedded target, when the run started it.
    pub process: Option<Arc<Process>>,
    /// The payment provider, when the run plays it.
    pub provider: Option<Arc<Provider>>,
    /// Where undoing is written down.
    pub journal: Arc<Journal>,
}

impl Backend {
    pub(crate) fn process(&self, fault: &'static str) -> Result<Arc<Process>, Error> {
        self.process
            .clone()
            .ok_or(Error::Missing { fault, what: "a target that it started itself" })
    }
    pub(crate) fn provider(&self, fault: &'static str) -> Result<Arc<Provider>, Error> {
        self.provider.clone().ok_or(Error::Missing { fault, what: "a payment provider of its own" })
    }
}
