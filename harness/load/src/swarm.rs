//! The phases of a swarm, one after the other. Whoever runs them decides what lies between.

use crate::arrival::arrivals;
use crate::attack;
use crate::book::Kept;
use crate::cast::{Cast, mix};
use crate::config::{Done, Live, Phase, SwarmConfig, nanos};
use crate::drain::Board;
use crate::engine::{Crowd, Engine, Parts};
use crate::error::LoadError;
use crate::last::{self, Crew, Job};
use crate::puzzles::{Puzzles, Solved};
use crate::stats::LoadStats;
use crate::worker;
use crate::world::World;
use onsale_history::{Label, Nanos};
use onsale_plan::Model;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::watch;

/// Between two looks at the wheel.
const TICK: Duration = Duration::from_millis(1);
/// Ticks between two reports of progress.
const REPORT_EVERY: u64 = 100;
/// Drainers of one round at most.
const DRAINERS_MAX: u32 = 256;
/// Drainers beside those who are needed to hold everything.
const DRAINERS_SPARE: u32 = 12;
/// How long one round of a drain may take.
const DRAIN_LIMIT: Nanos = Nanos::from_millis(20_000);

/// The swarm of one run. One a process: goose has global statics.
pub struct Swarm {
    config: SwarmConfig,
    world: World,
    live: Arc<Live>,
    kept: Vec<Kept>,
    /// Number of the next buyer that nobody knows.
    next_shopper: u32,
}

/// How a crowd was driven.
struct Driven {
    cut_short: bool,
}

impl Swarm {
    /// A swarm that has not begun.
    pub fn new(config: SwarmConfig) -> Self {
        let world = World::of(&config);
        let live = Live::default();
        let hot: u32 = world.hot.iter().map(|(_, stock)| stock).sum();
        live.free.store(hot, Ordering::Relaxed);
        let next_shopper = config.workload.load.shoppers;
        Self { config, world, live: Arc::new(live), kept: vec![], next_shopper }
    }

    /// What can be watched meanwhile.
    pub fn live(&self) -> Arc<Live> {
        self.live.clone()
    }

    /// Was Ctrl-C pressed? Goose takes the signal over while it runs, and keeps it.
    pub fn interrupted() -> bool {
        attack::interrupted()
    }

    /// Lets the shoppers in and returns when all of them are done, the time is over, or the run is stopped.
    pub async fn load(&mut self) -> Done<LoadStats> {
        let load = self.config.workload.load.clone();
        let cast = Cast::deal(&load, &self.world, self.config.seed)?;
        let personas = cast.counts();
        let workers = load.workers.max(1);
        let closed = load.model == Model::Closed;
        let engine =
            self.engine(Crowd::Shoppers(cast), load.shoppers, closed.then_some(workers))?;
        let mut chance = fastrand::Rng::with_seed(mix(self.config.seed, u64::MAX - 1));
        let times = if closed {
            vec![Nanos::ZERO; workers.min(load.shoppers) as usize]
        } else {
            arrivals(&load.arrival, load.shoppers, &mut chance)
        };
        schedule(&engine, &times, self.config.begins);
        let deadline = self.config.begins.plus(nanos(load.limit));
        let driver = self.driver(&engine, deadline, Phase::Load);
        let shared = engine.clone();
        let driven = on_thread("swarm", move || async move {
            let driver = tokio::spawn(driver);
            let attacked = attack::run(shared.clone(), workers).await;
            shared.scheduler.close();
            let driven = driver.await.map_err(|_| LoadError::Panicked("driving the load"))?;
            attacked.map(|()| driven)
        })
        .await??;
        self.finish(&engine, personas, driven)
    }

    fn finish(
        &mut self,
        engine: &Engine,
        personas: Vec<(&'static str, u32)>,
        driven: Driven,
    ) -> Done<LoadStats> {
        if let Some(error) = engine.failure() {
            return Err(error);
        }
        self.kept.extend(engine.sweep());
        let mut stats = std::mem::take(&mut *engine.stats.lock().expect("no worker panics"));
        stats.finish(engine.scheduler.backlog());
        stats.personas = personas;
        stats.shoppers_left = u64::from(engine.left.load(Ordering::Acquire));
        stats.shoppers_done = u64::from(engine.done.load(Ordering::Acquire));
        (stats.puzzles, stats.puzzle_cpu_s) = engine.puzzle_cost();
        stats.lasted = self.config.scribe.clock.now().minus(self.config.begins);
        stats.cut_short = driven.cut_short;
        Ok(stats)
    }

    /// Asks again for everything that nobody knows, with the same keys. How many stay unknown.
    pub async fn resolve(&mut self) -> Done<usize> {
        let (open, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.kept)
            .into_iter()
            .partition(|kept| !kept.open.unknown.is_empty());
        let crew = self.crew();
        let resolved = on_thread("resolve", move || last::all(crew, open, Job::Resolve)).await??;
        let unknown = resolved.iter().map(|kept| kept.open.unknown.len()).sum();
        self.kept = rest;
        self.kept.extend(resolved);
        Ok(unknown)
    }

    /// Takes everything that is left, until every SKU was refused to several users. True if it came so far.
    pub async fn drain(&mut self, label: Label) -> Done<bool> {
        let mut world = self.world.clone();
        world.drain = Some(label);
        let units: u32 = world.hot.iter().map(|(_, stock)| stock).sum::<u32>()
            + u32::try_from(world.canaries.len() + world.seats.len()).unwrap_or(u32::MAX)
                * self.config.workload.sale.canaries.stock.max(1);
        let all = units / world.account_limit.max(1) + DRAINERS_SPARE;
        let mut board = Board::new(&world, self.config.seed);
        let mut asked = 0;
        // Half as many again as could hold everything: some are refused for other reasons.
        while asked < all + all / 2 {
            let count = all.min(DRAINERS_MAX);
            board = self.drain_round(&world, board, count).await?;
            asked += count;
            let (drained, skus) = board.drained();
            if drained == skus || *self.config.stop.borrow() {
                break;
            }
        }
        self.resolve().await?;
        let (drained, skus) = board.drained();
        Ok(drained == skus)
    }

    async fn drain_round(&mut self, world: &World, board: Board, count: u32) -> Done<Board> {
        let first = self.next_shopper;
        self.next_shopper += count;
        let mut drain = self.parts(Crowd::Drainers { first, board }, count, None);
        drain.world = world.clone();
        let engine = self.start(drain)?;
        let now = engine.now();
        schedule(&engine, &vec![Nanos::ZERO; count as usize], now);
        let driver = self.driver(&engine, now.plus(DRAIN_LIMIT), Phase::Drain);
        let workers = self.config.workload.load.workers.clamp(1, count);
        let shared = engine.clone();
        on_thread("drain", move || async move {
            let mut tasks = tokio::task::JoinSet::new();
            for _ in 0..workers {
                let engine = shared.clone();
                tasks.spawn(async move { worker::work(&engine).await });
            }
            driver.await;
            while let Some(ended) = tasks.join_next().await {
                ended.map_err(|_| LoadError::Panicked("draining"))?;
            }
            Ok::<(), LoadError>(())
        })
        .await??;
        if let Some(error) = engine.failure() {
            return Err(error);
        }
        self.kept.extend(engine.sweep());
        let engine = Arc::try_unwrap(engine).map_err(|_| LoadError::Panicked("ending a drain"))?;
        match engine.crowd {
            Crowd::Drainers { board, .. } => Ok(board),
            Crowd::Shoppers(_) => Err(LoadError::Panicked("ending a drain")),
        }
    }

    /// Everybody who ever held or ordered reads what they have; the stock is read once.
    pub async fn final_reads(&mut self) -> Done<()> {
        let kept = std::mem::take(&mut self.kept);
        let (crew, shopper) = (self.crew(), self.next_shopper);
        self.next_shopper += 1;
        self.kept = on_thread("final-reads", move || async move {
            let kept = last::all(crew.clone(), kept, Job::FinalReads).await?;
            last::read_stock(crew, shopper).await?;
            Ok::<_, LoadError>(kept)
        })
        .await??;
        Ok(())
    }

    fn crew(&self) -> Arc<Crew> {
        Arc::new(Crew {
            world: self.world.clone(),
            client: self.config.client.clone(),
            scribe: self.config.scribe.clone(),
            recorders: self.config.recorders.clone(),
            progress: self.config.progress.clone(),
            stop: self.config.stop.clone(),
        })
    }

    fn parts(&self, crowd: Crowd, count: u32, closed_model: Option<u32>) -> Parts {
        Parts {
            world: self.world.clone(),
            client: self.config.client.clone(),
            scribe: self.config.scribe.clone(),
            recorders: self.config.recorders.clone(),
            crowd,
            count,
            live: self.live.clone(),
            closed_model,
        }
    }

    fn engine(&self, crowd: Crowd, count: u32, closed: Option<u32>) -> Done<Arc<Engine>> {
        self.start(self.parts(crowd, count, closed))
    }

    /// An engine with its puzzle threads, which know it only weakly.
    fn start(&self, parts: Parts) -> Done<Arc<Engine>> {
        let engine = Arc::new(Engine::new(parts));
        let weak = Arc::downgrade(&engine);
        let solved: Solved = Arc::new(move |session, solution| {
            if let Some(engine) = weak.upgrade() {
                engine.solved(session, solution);
            }
        });
        let puzzle = &self.config.workload.sale.puzzle;
        let tries = u64::from(puzzle.max_number).max(1) * 4;
        engine.set_puzzles(Puzzles::start(
            self.config.workload.load.puzzle_threads,
            tries,
            &solved,
        )?);
        Ok(engine)
    }

    fn driver(
        &self,
        engine: &Arc<Engine>,
        deadline: Nanos,
        phase: Phase,
    ) -> impl Future<Output = Driven> + Send + 'static {
        let (engine, stop) = (engine.clone(), self.config.stop.clone());
        let progress = self.config.progress.clone();
        async move {
            drive(&engine, deadline, &stop, |done, total| progress.at(phase, done, total)).await
        }
    }
}

fn schedule(engine: &Engine, times: &[Nanos], begins: Nanos) {
    for (index, time) in (0..).zip(times) {
        engine.scheduler.push(begins.plus(*time), Nanos::ZERO, index);
    }
}

/// Moves the wheel until everybody is gone or the time is over; then nobody gets anything any more.
async fn drive(
    engine: &Engine,
    deadline: Nanos,
    stop: &watch::Receiver<bool>,
    report: impl Fn(u64, u64),
) -> Driven {
    let total = engine.left.load(Ordering::Acquire);
    let mut ticks = 0_u64;
    let cut_short = loop {
        engine.scheduler.advance(engine.now());
        let left = engine.left.load(Ordering::Acquire);
        if ticks % REPORT_EVERY == 0 || left == 0 {
            let done = u64::from(total - left);
            match &engine.crowd {
                Crowd::Shoppers(_) => report(done, u64::from(total)),
                Crowd::Drainers { board, .. } => {
                    let (drained, skus) = board.drained();
                    report(drained as u64, skus as u64);
                }
            }
        }
        if left == 0 || engine.has_failed() {
            break false;
        }
        if engine.now() >= deadline || *stop.borrow() || attack::interrupted() {
            break true;
        }
        ticks += 1;
        tokio::time::sleep(TICK).await;
    };
    engine.scheduler.close();
    Driven { cut_short }
}

/// Does something on a thread with a runtime of its own: one core, no stealing, no stranger's work in between.
async fn on_thread<T, F, R>(name: &'static str, work: F) -> Result<T, LoadError>
where
    T: Send + 'static,
    R: Future<Output = T>,
    F: FnOnce() -> R + Send + 'static,
{
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let failed = |source| LoadError::Start { what: name, source };
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let result = runtime.map(|runtime| runtime.block_on(work()));
            // Nobody waits any more: then nobody wants to know.
            let _ = sender.send(result);
        })
        .map_err(failed)?;
    let result = receiver.await.map_err(|_| LoadError::Panicked(name))?;
    result.map_err(failed)
}
