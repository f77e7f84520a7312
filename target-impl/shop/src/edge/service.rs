//! The edge's state and life.

use super::captcha::{CaptchaError, CaptchaVerifier, HttpCaptcha};
use super::keys::KeyRing;
use super::puzzle::Puzzles;
use super::room::{Conductor, Join, Loaded, Room, Store, Tools};
use super::token::Verifier;
use super::velocity::Velocity;
use crate::clock::SharedClock;
use crate::config::Config;
use crate::gateway::{Counter, Gateway, StockView};
use crate::problem::Refusal;
use crate::sqlite::Database;
use onsale_contract::admin::EventConfig;
use onsale_contract::event::StockState;
use onsale_contract::problem::ErrorCode;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, RwLock, Weak};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};

/// Joins that wait for a room's conductor at most; beyond that the door is closed for a moment.
const JOINS_WAITING_MAX: usize = 32_768;
/// Between looks at the stock.
const STOCK_EVERY: Duration = Duration::from_millis(50);
/// Between looks at the age of keys and spent puzzles.
const UPKEEP_EVERY: Duration = Duration::from_secs(30);

/// Why an edge cannot open.
#[derive(Debug, thiserror::Error)]
pub enum EdgeError {
    /// The database refuses.
    #[error("failed to read the keys and waiting rooms")]
    Database(#[source] rusqlite::Error),
    /// The verifier cannot be asked.
    #[error("failed to set up the CAPTCHA verifier")]
    Captcha(#[source] CaptchaError),
}

/// Where the edge learns how much is left.
pub trait StockSource: Send + Sync {
    /// The stock of an event, from memory.
    fn stock(&self, event: &str) -> Option<StockView>;
}

impl StockSource for Gateway {
    fn stock(&self, event: &str) -> Option<StockView> {
        Gateway::stock(self, event)
    }
}

/// What the edge counts.
#[derive(Debug, Default)]
pub struct EdgeMetrics {
    /// Puzzles made.
    pub puzzles: Counter,
    /// Joins taken in.
    pub joins: Counter,
    /// Questions for a place in a queue.
    pub polls: Counter,
    /// Shoppers admitted.
    pub admissions: Counter,
    /// Rounds of all waiting rooms.
    pub rounds: Counter,
    /// Requests refused by ticket, token, device or pace.
    pub refusals: Counter,
}

impl EdgeMetrics {
    /// Name, help and value of every counter.
    pub fn read(&self) -> [(&'static str, &'static str, u64); 6] {
        [
            ("edge_puzzles", "Puzzles made.", self.puzzles.get()),
            ("edge_joins", "Joins taken in.", self.joins.get()),
            ("edge_polls", "Questions for a place in a queue.", self.polls.get()),
            ("edge_admissions", "Shoppers admitted.", self.admissions.get()),
            ("edge_rounds", "Rounds of all waiting rooms.", self.rounds.get()),
            (
                "edge_refusals",
                "Requests refused by ticket, token, device or pace.",
                self.refusals.get(),
            ),
        ]
    }
}

/// The edge.
pub struct Edge {
    pub(crate) config: Config,
    pub(crate) clock: SharedClock,
    pub(crate) keys: Arc<KeyRing>,
    pub(crate) puzzles: Puzzles,
    pub(crate) verifier: Verifier,
    pub(crate) velocity: Velocity,
    pub(crate) captcha: Option<Arc<dyn CaptchaVerifier>>,
    /// What it counts.
    pub metrics: Arc<EdgeMetrics>,
    rooms: RwLock<BTreeMap<String, Arc<Room>>>,
    /// Rooms that were stored and whose events were not told of yet.
    stored: Mutex<BTreeMap<String, Loaded>>,
    store: Store,
    stock: OnceLock<Weak<dyn StockSource>>,
    runtime: Handle,
    closing: watch::Sender<bool>,
}

impl Edge {
    /// Reads keys and waiting rooms. Rooms work as soon as their events are told of.
    pub async fn open(
        config: Config,
        clock: SharedClock,
        database: Database,
    ) -> Result<Arc<Self>, EdgeError> {
        let captcha = match &config.limits.captcha {
            Some(captcha) => {
                let verifier = HttpCaptcha::new(captcha.clone()).map_err(EdgeError::Captcha)?;
                Some(Arc::new(verifier) as Arc<dyn CaptchaVerifier>)
            }
            None => None,
        };
        Self::open_with(config, clock, database, captcha).await
    }

    /// The same with a verifier of CAPTCHA answers of one's own.
    pub async fn open_with(
        config: Config,
        clock: SharedClock,
        database: Database,
        captcha: Option<Arc<dyn CaptchaVerifier>>,
    ) -> Result<Arc<Self>, EdgeError> {
        let limits = &config.limits;
        let keys = KeyRing::open(
            database.clone(),
            clock.clone(),
            limits.key_life_ms,
            limits.ticket_ttl_ms,
        );
        let keys = Arc::new(keys.await.map_err(EdgeError::Database)?);
        let store = Store::open(database).await.map_err(EdgeError::Database)?;
        let stored = store.load().await.map_err(EdgeError::Database)?;
        let edge = Arc::new(Self {
            velocity: Velocity::new(limits),
            config,
            clock,
            keys,
            puzzles: Puzzles::default(),
            verifier: Verifier::default(),
            captcha,
            metrics: Arc::default(),
            rooms: RwLock::default(),
            stored: Mutex::new(stored),
            store,
            stock: OnceLock::new(),
            runtime: Handle::current(),
            closing: watch::Sender::new(false),
        });
        edge.runtime.spawn(keep_up(Arc::downgrade(&edge), edge.closing.subscribe()));
        Ok(edge)
    }

    /// Tells where the stock can be read. Once.
    pub fn connect(&self, stock: &Arc<impl StockSource + 'static>) {
        let weak = Arc::downgrade(stock);
        // A second connection is ignored: the first stays the truth.
        let _ = self.stock.set(weak);
    }

    /// The keys.
    pub fn keys(&self) -> &Arc<KeyRing> {
        &self.keys
    }

    /// Makes a new key; tokens and tickets under the old one stay valid for a while.
    pub async fn rotate_keys(&self) -> Result<(), EdgeError> {
        self.keys.rotate().await.map_err(EdgeError::Database)?;
        self.verifier.forget();
        Ok(())
    }

    /// Stops the conductors.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    pub(crate) fn stock(&self, event: &str) -> Option<StockView> {
        self.stock.get()?.upgrade()?.stock(event)
    }

    pub(crate) fn room(&self, event: &str) -> Result<Arc<Room>, Refusal> {
        let rooms = self.rooms.read().expect("nobody panics with the rooms in hand");
        rooms.get(event).cloned().ok_or_else(|| ErrorCode::EventNotFound.into())
    }

    /// Does no event have a waiting room?
    pub(crate) fn is_open_door(&self) -> bool {
        let rooms = self.rooms.read().expect("nobody panics with the rooms in hand");
        rooms.values().all(|room| room.config().queue.is_none())
    }

    /// Opens the event's room, or changes its settings.
    pub(crate) fn set_up(&self, event: &str, config: &EventConfig) {
        let mut rooms = self.rooms.write().expect("nobody panics with the rooms in hand");
        if let Some(room) = rooms.get(event) {
            return room.configure(config.clone());
        }
        let (joins, waiting) = mpsc::channel::<Join>(JOINS_WAITING_MAX);
        let room = Arc::new(Room::new(event.to_owned(), config.clone(), joins));
        let loaded =
            self.stored.lock().expect("nobody panics with the stored rooms in hand").remove(event);
        let tools = Tools {
            store: self.store.clone(),
            keys: Arc::clone(&self.keys),
            clock: self.clock.clone(),
            defects: self.config.defects.clone(),
            metrics: Arc::clone(&self.metrics),
        };
        let conductor =
            Conductor::new(Arc::clone(&room), waiting, tools, loaded.unwrap_or_default());
        self.runtime.spawn(conductor.run(self.closing.subscribe()));
        rooms.insert(event.to_owned(), room);
    }

    fn look_at_stock(&self) {
        // Not with the rooms in hand: the gateway has locks of its own.
        let rooms = self.rooms.read().expect("nobody panics with the rooms in hand").clone();
        for room in rooms.values() {
            let state = self.stock(&room.event).map(|stock| stock.state());
            let standby = matches!(state, Some(StockState::Standby | StockState::SoldOut));
            room.standby.store(standby, Ordering::Relaxed);
        }
    }

    async fn look_at_age(&self) {
        let newest = self.keys.identifiers();
        if let Err(error) = self.keys.rotate_if_due().await {
            tracing::error!(%error, "failed to rotate the keys");
        }
        if newest != self.keys.identifiers() {
            self.verifier.forget();
        }
        if let Err(error) = self.store.forget_puzzles(self.clock.wall_ms()).await {
            tracing::error!(%error, "failed to forget spent puzzles");
        }
    }
}

async fn keep_up(edge: Weak<Edge>, mut closing: watch::Receiver<bool>) {
    let mut since_upkeep = Duration::ZERO;
    loop {
        tokio::select! {
            _ = closing.changed() => return,
            () = tokio::time::sleep(STOCK_EVERY) => {}
        }
        let Some(edge) = edge.upgrade() else { return };
        edge.look_at_stock();
        since_upkeep += STOCK_EVERY;
        if since_upkeep >= UPKEEP_EVERY {
            since_upkeep = Duration::ZERO;
            edge.look_at_age().await;
        }
    }
}
