//! The provider, as the run sees it.

use crate::engine::Engine;
use crate::{Config, Error, Knobs, Ledger, Tally};
use axum::serve::ListenerExt;
use onsale_history::Scribe;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Connections may linger for so long after a stop.
const STOP_WAIT_MAX: Duration = Duration::from_secs(2);

/// A running provider. Dropped, it stops taking calls and sending webhooks.
pub struct Provider {
    engine: Arc<Engine>,
    address: SocketAddr,
    server: tokio::sync::Mutex<Option<JoinHandle<()>>>,
}

impl Provider {
    /// Listens, and serves until it is stopped.
    pub async fn start(config: Config, scribe: Scribe) -> Result<Self, Error> {
        let listen = |source| Error::Listen { address: config.listen, source };
        let listener = TcpListener::bind(config.listen).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let engine = Arc::new(Engine::new(&config, scribe)?);
        let listener = listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection keeps its delay");
            }
        });
        let router = crate::api::router(engine.clone());
        let inside = engine.clone();
        let server = tokio::spawn(async move {
            let stopping = async move { inside.stopping().await };
            // Serving ends only by the stop: accept errors are waited out inside.
            if let Err(error) = axum::serve(listener, router).with_graceful_shutdown(stopping).await
            {
                tracing::error!(%error, "the payment provider stopped serving");
            }
        });
        Ok(Self { engine, address, server: tokio::sync::Mutex::new(Some(server)) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
    /// The base of its API, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How it behaves now; counts are what is left.
    pub fn knobs(&self) -> Knobs {
        self.engine.read(|books| books.knobs.clone())
    }
    /// Sets how it behaves from now on; what was already decided stays.
    pub fn set(&self, knobs: Knobs) {
        self.change(|own| *own = knobs);
    }
    /// Changes some of the knobs, leaving no gap for another's change.
    pub fn change(&self, change: impl FnOnce(&mut Knobs)) {
        self.engine.change(|books| change(&mut books.knobs));
    }
    /// Where webhooks go from now on.
    pub fn set_webhook_url(&self, url: &str) {
        self.engine.change(|books| books.webhook_url = Some(url.into()));
    }

    /// What faults did so far.
    pub fn tally(&self) -> Tally {
        self.engine.read(|books| books.tally)
    }
    /// Everything that happened so far.
    pub fn ledger(&self) -> Ledger {
        self.engine.read(Ledger::of)
    }
    /// Fails when some mark could not be written: then the ledger is no evidence.
    pub fn intact(&self) -> Result<(), Error> {
        let failure = self.engine.read(|books| books.failure().cloned());
        failure.map_or(Ok(()), |error| Err(Error::Mark(error)))
    }

    /// Waits until no capture and no webhook is under way. Webhooks that the target refuses end after their last attempt.
    pub async fn quiesce(&self, limit: Duration) -> Result<(), Error> {
        let quiet = tokio::time::timeout(limit, self.engine.quiet()).await;
        quiet.map_err(|_| Error::NotQuiet {
            pending: self.engine.pending(),
            waited_ms: limit.as_millis(),
        })?;
        self.intact()
    }

    /// Stops: no more calls, captures and webhooks. Gives back the final ledger.
    pub async fn stop(&self) -> Result<Ledger, Error> {
        self.engine.stop();
        if let Some(mut server) = self.server.lock().await.take()
            && tokio::time::timeout(STOP_WAIT_MAX, &mut server).await.is_err()
        {
            server.abort();
        }
        self.engine.quiet().await;
        self.intact()?;
        Ok(self.ledger())
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.engine.stop();
    }
}
