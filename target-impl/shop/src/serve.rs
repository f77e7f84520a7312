//! A process of the shop: everything behind one address.
//!
//! The address is bound first, so that a taken one is told at once; until the gateway has rebuilt its state, `/healthz`
//! answers, `/readyz` says no, and everything else is asked to come again.

use crate::clock::SharedClock;
use crate::config::Config;
use crate::edge::{self, Edge, EdgeError};
use crate::gatekeeper::Gatekeeper;
use crate::gateway::{self, EventListener, Gateway, StartError};
use crate::health::{Health, guarded};
use crate::sqlite::Database;
use axum::Router;
use axum::serve::ListenerExt;
use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How long open connections may finish after the shutdown began.
const GRACE: Duration = Duration::from_secs(5);

/// Why a shop cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken, or not ours.
    #[error("failed to listen on `{addr}`")]
    Bind {
        /// Where.
        addr: SocketAddr,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The data directory cannot be made.
    #[error("failed to create the data directory `{path}`")]
    Data {
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The database cannot be opened.
    #[error("failed to open the database `{path}`")]
    Database {
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        source: rusqlite::Error,
    },
    /// The edge cannot open.
    #[error("failed to open the edge")]
    Edge(#[source] EdgeError),
    /// The gateway cannot start.
    #[error("failed to start the gateway")]
    Gateway(#[source] StartError),
}

/// A shop that serves.
pub struct Served {
    /// Where it listens; the port is the real one, if 0 was asked for.
    pub addr: SocketAddr,
    /// The edge, for those who run it in process.
    pub edge: Arc<Edge>,
    /// The gateway, for those who run it in process.
    pub gateway: Arc<Gateway>,
    /// Ends after the shutdown, when everything begun is finished.
    pub done: JoinHandle<()>,
}

/// Serves until `shutdown` is over. Returns as soon as the shop is ready.
pub async fn serve(
    config: Config,
    clock: SharedClock,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<Served, ServeError> {
    let bind = |source| ServeError::Bind { addr: config.listen, source };
    let listener = TcpListener::bind(config.listen).await.map_err(bind)?;
    let addr = listener.local_addr().map_err(bind)?;
    let health = Arc::new(Health::new(clock.clone()));
    let (stop, stopping) = watch::channel(false);
    let server = tokio::spawn(listen(listener, health.router(), stopping));
    let started = start(&config, clock).await;
    let (edge, gateway) = match started {
        Ok(started) => started,
        Err(error) => {
            stop.send_replace(true);
            server.abort();
            return Err(error);
        }
    };
    let routes = edge::router(Arc::clone(&edge)).merge(gateway::router(Arc::clone(&gateway)));
    health.ready(guarded(routes, &config.limits), &edge, &gateway);
    let done =
        tokio::spawn(finish(shutdown, stop, server, Arc::clone(&edge), Arc::clone(&gateway)));
    Ok(Served { addr, edge, gateway, done })
}

async fn start(
    config: &Config,
    clock: SharedClock,
) -> Result<(Arc<Edge>, Arc<Gateway>), ServeError> {
    let data = |source| ServeError::Data { path: config.data.clone(), source };
    tokio::fs::create_dir_all(&config.data).await.map_err(data)?;
    let path = config.data.join("shop.sqlite");
    let database = Database::open(&path).map_err(|source| ServeError::Database { path, source })?;
    let edge = Edge::open(config.clone(), clock.clone(), database.clone())
        .await
        .map_err(ServeError::Edge)?;
    let gatekeeper = Arc::clone(&edge) as Arc<dyn Gatekeeper>;
    let gateway = Gateway::start(config.clone(), clock, database, gatekeeper)
        .await
        .map_err(ServeError::Gateway)?;
    edge.connect(&gateway);
    gateway.listen(Arc::clone(&edge) as Arc<dyn EventListener>);
    Ok((edge, gateway))
}

async fn listen(listener: TcpListener, router: Router, mut stopping: watch::Receiver<bool>) {
    let listener = listener.tap_io(|connection| {
        // Small answers must not wait for each other; a connection that refuses this is about to end anyway.
        let _ = connection.set_nodelay(true);
    });
    let stop = async move {
        // An error means that nobody can say stop any more, which is the same.
        let _ = stopping.wait_for(|stop| *stop).await;
    };
    if let Err(error) = axum::serve(listener, router).with_graceful_shutdown(stop).await {
        tracing::error!(%error, "failed to accept connections");
    }
}

async fn finish(
    shutdown: impl Future<Output = ()> + Send,
    stop: watch::Sender<bool>,
    mut server: JoinHandle<()>,
    edge: Arc<Edge>,
    gateway: Arc<Gateway>,
) {
    shutdown.await;
    stop.send_replace(true);
    // Keep-alive connections and listeners of a queue may stay open for ever: they are cut.
    if tokio::time::timeout(GRACE, &mut server).await.is_err() {
        server.abort();
    }
    gateway.shutdown().await;
    edge.close();
}
