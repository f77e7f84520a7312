//! The gateway's state and life.

use super::memory::{Acknowledged, InFlight, Told};
use super::sale::Sale;
use super::{EventListener, Metrics, SkuStock, StockView, workers};
use crate::admission::{AdmissionStore, EmbeddedStore};
use crate::clock::SharedClock;
use crate::config::{Admission, Config};
use crate::gatekeeper::Gatekeeper;
use crate::ledger::{LeaseClock, Ledger, LedgerError, SqliteLedger};
use crate::orders::{LocalQueue, OrderQueue, Waiters};
use crate::payments::Provider;
use crate::sqlite::Database;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

/// Partitions of the order queue.
const LANES: usize = 4;

/// Why a gateway cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The ledger cannot be opened or read.
    #[error("failed to open the ledger")]
    Ledger(#[source] LedgerError),
    /// The admission store cannot be filled.
    #[error("failed to rebuild the admission store from the ledger")]
    Admission(#[source] crate::admission::AdmissionError),
}

/// The gateway.
pub struct Gateway {
    /// How it was told to be.
    pub config: Config,
    /// The time.
    pub clock: SharedClock,
    /// What it counts.
    pub metrics: Arc<Metrics>,
    pub(super) gatekeeper: Arc<dyn Gatekeeper>,
    pub(super) ledger: Arc<dyn Ledger>,
    pub(super) lease_clock: LeaseClock,
    pub(super) store: Arc<dyn AdmissionStore>,
    pub(super) queue: Arc<dyn OrderQueue>,
    pub(super) waiters: Arc<Waiters>,
    pub(super) provider: Provider,
    pub(super) told: Arc<Told>,
    /// Events of the provider that were fetched and are in the ledger.
    pub(super) reconciled: Told,
    pub(super) in_flight: InFlight,
    pub(super) acknowledged: Arc<Acknowledged>,
    /// One account's limit at a time, under `--admission redis-only`.
    pub(super) limits: tokio::sync::Mutex<()>,
    pub(super) releases: Notify,
    pub(super) refunds: Notify,
    sales: RwLock<BTreeMap<String, Arc<Sale>>>,
    listeners: Mutex<Vec<Arc<dyn EventListener>>>,
    stop: watch::Sender<bool>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    consumers: Mutex<Vec<JoinHandle<()>>>,
}

impl Gateway {
    /// Opens the ledger, rebuilds the admission store, starts the workers.
    pub async fn start(
        config: Config,
        clock: SharedClock,
        database: Database,
        gatekeeper: Arc<dyn Gatekeeper>,
    ) -> Result<Arc<Self>, StartError> {
        let metrics: Arc<Metrics> = Arc::default();
        let unchecked = config.admission == Admission::RedisOnly;
        let ledger = SqliteLedger::open(
            database,
            clock.clone(),
            config.defects.clone(),
            unchecked,
            Arc::clone(&metrics),
        );
        let ledger = ledger.await.map_err(StartError::Ledger)?;
        let told = ledger.told().await.map_err(StartError::Ledger)?;
        let events = ledger.events().await.map_err(StartError::Ledger)?;
        let gateway = Arc::new(Self {
            provider: Provider::new(&config.psp_url, &config.psp_key),
            store: Arc::new(EmbeddedStore::start(config.defects.clone())),
            lease_clock: ledger.lease_clock().clone(),
            ledger: Arc::new(ledger),
            queue: Arc::new(LocalQueue::new(LANES)),
            waiters: Arc::default(),
            told: Arc::new(Told::new(told)),
            reconciled: Told::new(Vec::new()),
            in_flight: InFlight::default(),
            acknowledged: Arc::default(),
            limits: tokio::sync::Mutex::default(),
            releases: Notify::new(),
            refunds: Notify::new(),
            sales: RwLock::default(),
            listeners: Mutex::default(),
            stop: watch::channel(false).0,
            tasks: Mutex::default(),
            consumers: Mutex::default(),
            config,
            clock,
            metrics,
            gatekeeper,
        });
        for (event, terms) in events {
            gateway.open(&event, terms).await?;
        }
        *lock(&gateway.consumers) = workers::consumers(&gateway);
        *lock(&gateway.tasks) = workers::start(&gateway, &gateway.stop);
        Ok(gateway)
    }

    /// Registers a listener and tells it of every stored event before this returns.
    pub fn listen(&self, listener: Arc<dyn EventListener>) {
        let mut listeners = lock(&self.listeners);
        for sale in self.all_sales() {
            listener.configured(&sale.event, &sale.terms);
        }
        listeners.push(listener);
    }

    /// The stock of an event, from memory; nothing for an unknown event.
    pub fn stock(&self, event: &str) -> Option<StockView> {
        let sale = self.sale(event)?;
        let skus = sale.skus.values().map(|sku| SkuStock {
            sku: sku.terms.sku.clone(),
            stock: sku.terms.stock,
            released: sku.released(),
            free: sku.free(),
            confirmed: sku.confirmed(),
        });
        Some(StockView { skus: skus.collect() })
    }

    /// Takes nothing more in, finishes what was begun, stops the workers.
    pub async fn shutdown(&self) {
        self.queue.close();
        let consumers = std::mem::take(&mut *lock(&self.consumers));
        futures_util::future::join_all(consumers).await;
        self.stop.send_replace(true);
        let tasks = std::mem::take(&mut *lock(&self.tasks));
        futures_util::future::join_all(tasks).await;
    }

    pub(super) fn sale(&self, event: &str) -> Option<Arc<Sale>> {
        self.sales.read().unwrap_or_else(PoisonError::into_inner).get(event).cloned()
    }

    pub(super) fn all_sales(&self) -> Vec<Arc<Sale>> {
        self.sales.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// A sale is known from now on, and everybody is told.
    pub(super) fn announce(&self, sale: &Arc<Sale>) {
        let listeners = lock(&self.listeners);
        self.sales
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(sale.event.clone(), Arc::clone(sale));
        for listener in listeners.iter() {
            listener.configured(&sale.event, &sale.terms);
        }
    }

    pub(super) fn redis_only(&self) -> bool {
        self.config.admission == Admission::RedisOnly
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
