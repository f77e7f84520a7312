//! The phases of a load, one after the other.

use crate::cast::cast;
use crate::deal::Deal;
use crate::pool::Pool;
use crate::puzzle::Solvers;
use crate::scheduler::{Scheduler, Task};
use crate::session::Scene;
use crate::stats::LoadStats;
use crate::step::{Shared, Worker};
use crate::{Live, arrivals, goose, persona};
use onsale_client::Client;
use onsale_history::{BuyerId, InstrumentId, KeyId, Nanos, Record, RecordError, Scribe};
use onsale_plan::{Model, PuzzleScheme, Workload};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// Idempotency keys that a shopper may use.
pub(crate) const KEYS_EACH: usize = 96;

/// Between two looks at whether Ctrl-C was pressed.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The load cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The record cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Goose refused.
    #[error("failed to run the goose attack: {0}")]
    Goose(String),
}

/// What a swarm needs.
pub struct SwarmConfig {
    /// What to play.
    pub workload: Workload,
    /// The seed of every choice.
    pub seed: u64,
    /// The target's mapping, compiled.
    pub client: Client,
    /// Clock, dictionary and marks.
    pub scribe: Scribe,
    /// Makes a log for a worker.
    pub recorders: Arc<dyn Fn() -> Result<Box<dyn Record>, RecordError> + Send + Sync>,
    /// When the first shopper may arrive.
    pub begins: Nanos,
    /// When the sale opens.
    pub opens: Nanos,
    /// Turns true when the load should end early.
    pub stop: watch::Receiver<bool>,
}

/// The shoppers of a run.
pub struct Swarm {
    pub(crate) config: SwarmConfig,
    pub(crate) pool: Arc<Pool>,
    live: Arc<Live>,
    /// Accounts used so far.
    pub(crate) accounts: AtomicU32,
}

impl Swarm {
    /// Gives every account, card and key its name, so that names and numbers agree.
    pub fn new(config: SwarmConfig) -> Self {
        let names = &config.scribe.names;
        let shoppers = config.workload.load.shoppers as usize;
        for index in 0..shoppers * 2 {
            let _: BuyerId = names.id(&format!("buyer-{index}"));
        }
        for index in 0..shoppers {
            let _: InstrumentId = names.id(&format!("card-{index}"));
        }
        for index in 0..shoppers * KEYS_EACH {
            let _: KeyId = names.id(&format!("key-{index}"));
        }
        let live = Arc::new(Live::default());
        live.stock(config.workload.sale.skus.iter().map(|sku| sku.stock).sum());
        let pool = Arc::new(Pool::new(config.workload.load.barrier.max(1)));
        let accounts = AtomicU32::new(config.workload.load.shoppers * 2);
        Self { config, pool, live, accounts }
    }

    /// Waits for Ctrl-C after the load began: goose takes that signal over and keeps it.
    pub async fn interrupted() {
        let mut looks = tokio::time::interval(LOOK_EVERY);
        while !goose::interrupted() {
            looks.tick().await;
        }
    }

    /// What is known while it goes on.
    pub fn live(&self) -> Arc<Live> {
        self.live.clone()
    }

    /// All shoppers come, do what they do, and go.
    ///
    /// # Errors
    /// When the record cannot be written, or goose refuses.
    pub async fn load(&self) -> Result<LoadStats, LoadError> {
        let shared = self.shared();
        let workers = self.config.workload.load.workers;
        let begun = shared.scribe.clock.now();
        self.arrive(&shared);
        let solvers = Solvers::start(self.config.workload.load.puzzle_threads, &shared.scheduler);
        let ready: Result<Vec<Worker>, RecordError> = (0..workers)
            .map(|_| {
                Ok(Worker {
                    shared: shared.clone(),
                    connection: shared.client.connection(),
                    record: (self.config.recorders)()?,
                    stats: LoadStats::default(),
                    puzzles: solvers.queue(),
                })
            })
            .collect();
        let turning = tokio::spawn({
            let scheduler = shared.scheduler.clone();
            async move { scheduler.turn().await }
        });
        let ending = tokio::spawn(end_early(
            shared.clone(),
            self.config.stop.clone(),
            self.config.workload.load.limit,
        ));
        goose::attack(ready?).await?;
        turning.abort();
        ending.abort();
        let (puzzles, puzzle_cpu) = tokio::task::block_in_place(|| solvers.stop());
        // Who was with a worker or a solver when the load ended.
        let (due, asleep) = shared.scheduler.close();
        remember(&shared, due.into_iter().chain(asleep));
        if let Some(error) = shared.failed.lock().expect("no holder panics").take() {
            return Err(error.into());
        }
        let mut stats = std::mem::take(&mut *shared.stats.lock().expect("no holder panics"));
        stats.lasted = Duration::from_nanos(shared.scribe.clock.now().minus(begun).0);
        (stats.puzzles, stats.puzzle_cpu) = (puzzles, puzzle_cpu);
        for persona in persona::PERSONAS {
            let count =
                shared.cast.iter().filter(|other| other.name == persona.name).count() as u64;
            stats.personas.push((persona.name, count));
        }
        Ok(stats)
    }

    fn arrive(&self, shared: &Shared) {
        let load = &self.config.workload.load;
        if load.model == Model::Closed {
            let first = load.workers.min(load.shoppers);
            shared.next_arrival.store(first, Ordering::Relaxed);
            (0..first)
                .for_each(|number| shared.scheduler.add(self.config.begins, Task::Arrive(number)));
            return;
        }
        let all = arrivals(&load.arrival, load.shoppers, self.config.seed);
        for (number, at) in (0..).zip(all) {
            shared.scheduler.add(self.config.begins.plus(Nanos(at)), Task::Arrive(number));
        }
    }

    fn shared(&self) -> Arc<Shared> {
        let config = &self.config;
        let sale = &config.workload.sale;
        let scene = Scene {
            deal: Deal::of(&config.workload),
            opens: config.opens,
            queue: sale.queue.is_some(),
            puzzle: sale.puzzle.scheme != PuzzleScheme::None,
            poll_every: sale
                .queue
                .as_ref()
                .map_or(Duration::from_secs(1), |queue| queue.poll_every),
            keys_each: KEYS_EACH,
        };
        Arc::new(Shared {
            client: config.client.clone(),
            scribe: config.scribe.clone(),
            scheduler: Arc::new(Scheduler::new(config.scribe.clock)),
            pool: self.pool.clone(),
            live: self.live.clone(),
            scene,
            seed: config.seed,
            cast: cast(&config.workload, config.seed),
            shoppers: config.workload.load.shoppers,
            stats: Mutex::default(),
            failed: Mutex::default(),
            closed_model: config.workload.load.model == Model::Closed,
            next_arrival: AtomicU32::new(0),
            stopping: AtomicBool::new(false),
        })
    }
}

/// Ends the load when its time is up or somebody says stop. What is under way is finished; what was due and did not leave
/// is the backlog.
async fn end_early(shared: Arc<Shared>, mut stop: watch::Receiver<bool>, limit: Duration) {
    let told = async {
        let gone = stop.wait_for(|stop| *stop).await.is_err();
        // A sender that went away says nothing more.
        if gone {
            std::future::pending::<()>().await;
        }
    };
    // Running into the limit, being told to stop and Ctrl-C end the load alike.
    tokio::select! {
        () = tokio::time::sleep(limit) => {}
        () = told => {}
        () = Swarm::interrupted() => {}
    }
    shared.stopping.store(true, Ordering::Relaxed);
    let (due, asleep) = shared.scheduler.close();
    shared.stats.lock().expect("no holder panics").backlog += due.len() as u64;
    remember(&shared, due.into_iter().chain(asleep));
}

/// Whoever has something is asked for it at the end, even if the load ended too early for them.
fn remember(shared: &Shared, tasks: impl Iterator<Item = Task>) {
    for task in tasks {
        if let Task::Shopper(shopper) = task
            && shopper.is_customer()
        {
            shared.pool.remember(&shopper.buyer);
        }
    }
}
