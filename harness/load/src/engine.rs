//! What all workers share: sessions, the scheduler, what is known of the sale, and what was measured.

use crate::ask::Ask;
use crate::ask::{Item, View};
use crate::book::{Kept, Open, Unknown};
use crate::cast::Cast;
use crate::config::{Live, Recorders};
use crate::drain::Board;
use crate::error::LoadError;
use crate::gate::Barrier;
use crate::me::Me;
use crate::puzzles::{Puzzle, Puzzles};
use crate::scheduler::Scheduler;
use crate::stats::LoadStats;
use crate::world::World;
use onsale_client::{Answer, Buyer, Client};
use onsale_history::{BuyerId, CallKind, Class, Nanos, OpId, Record, Scribe};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Things to steal that are kept.
const LOOT_MAX: usize = 64;
/// Before a stolen token's end it is too old to be lent.
const LOOT_MARGIN: Nanos = Nanos::from_millis(1500);
/// A look at the puzzle threads when they are busy.
const BUSY: Nanos = Nanos::from_millis(5);

/// Who takes part in a phase.
pub(crate) enum Crowd {
    /// The shoppers of the workload.
    Shoppers(Cast),
    /// Those who take what is left.
    Drainers {
        /// Number of the first one.
        first: u32,
        /// What is still to be had.
        board: Board,
    },
}

/// One shopper at work.
pub(crate) struct Session {
    pub(crate) me: Me,
    pub(crate) buyer: Buyer,
    pub(crate) open: Open,
    pub(crate) challenge: Option<String>,
    pub(crate) proof: Option<Arc<str>>,
    /// The puzzle came back: solved or not.
    pub(crate) solved: Option<bool>,
    pub(crate) pending: Option<Pending>,
    pub(crate) begun: bool,
    /// Its puzzle is with the puzzle threads, or waits for room there.
    pub(crate) solving: bool,
}

/// What a session asks as soon as it is due.
pub(crate) struct Pending {
    pub(crate) ask: Ask,
    pub(crate) tries: u8,
    /// The first try, if it was indeterminate.
    pub(crate) first: Option<(OpId, Nanos)>,
    /// The call as it was sent first: what is repeated is the same.
    pub(crate) call: Option<onsale_client::Call>,
}

struct Loot {
    token: Arc<str>,
    owner: u32,
    until: Nanos,
}

/// What all workers of a phase share.
pub(crate) struct Engine {
    pub(crate) world: World,
    pub(crate) client: Client,
    pub(crate) scribe: Scribe,
    pub(crate) recorders: Recorders,
    pub(crate) scheduler: Scheduler,
    pub(crate) crowd: Crowd,
    pub(crate) barrier: Arc<Barrier>,
    pub(crate) live: Arc<Live>,
    pub(crate) stats: Mutex<LoadStats>,
    pub(crate) kept: Mutex<Vec<Kept>>,
    pub(crate) left: AtomicU32,
    pub(crate) done: AtomicU32,
    /// Closed model: who comes next when somebody leaves.
    pub(crate) next_arrival: Option<AtomicU32>,
    slots: Vec<Mutex<Option<Box<Session>>>>,
    puzzles: OnceLock<Puzzles>,
    /// When the last known hold of each SKU ends.
    ends: Vec<AtomicU64>,
    tokens: Mutex<VecDeque<Loot>>,
    proofs: Mutex<VecDeque<(Arc<str>, u32)>>,
    failure: Mutex<Option<LoadError>>,
    failed: AtomicBool,
}

/// What an engine is made of.
pub(crate) struct Parts {
    pub(crate) world: World,
    pub(crate) client: Client,
    pub(crate) scribe: Scribe,
    pub(crate) recorders: Recorders,
    pub(crate) crowd: Crowd,
    pub(crate) count: u32,
    pub(crate) live: Arc<Live>,
    pub(crate) closed_model: Option<u32>,
}

impl Engine {
    pub(crate) fn new(parts: Parts) -> Self {
        let skus = parts.world.hot.iter().map(|(sku, _)| *sku);
        let all = skus.chain(parts.world.canaries.iter().copied());
        let skus = all.chain(parts.world.seats.iter().copied()).max().map_or(0, |sku| sku + 1);
        Self {
            scheduler: Scheduler::new(parts.scribe.clock.now()),
            barrier: Barrier::new(parts.world.barrier),
            world: parts.world,
            client: parts.client,
            scribe: parts.scribe,
            recorders: parts.recorders,
            crowd: parts.crowd,
            live: parts.live,
            stats: Mutex::default(),
            kept: Mutex::default(),
            left: AtomicU32::new(parts.count),
            done: AtomicU32::new(0),
            next_arrival: parts.closed_model.map(AtomicU32::new),
            slots: (0..parts.count).map(|_| Mutex::new(None)).collect(),
            puzzles: OnceLock::new(),
            ends: (0..skus).map(|_| AtomicU64::new(0)).collect(),
            tokens: Mutex::default(),
            proofs: Mutex::default(),
            failure: Mutex::new(None),
            failed: AtomicBool::new(false),
        }
    }

    /// The threads are set once, since they point back here.
    pub(crate) fn set_puzzles(&self, puzzles: Puzzles) {
        assert!(self.puzzles.set(puzzles).is_ok(), "the puzzle threads are started once");
    }

    pub(crate) fn now(&self) -> Nanos {
        self.scribe.clock.now()
    }

    /// Takes a session out of its slot, or makes it.
    pub(crate) fn open(&self, index: u32) -> Box<Session> {
        let kept = self.slots[index as usize].lock().expect("no worker panics").take();
        kept.unwrap_or_else(|| Box::new(self.begin(index)))
    }

    fn begin(&self, index: u32) -> Session {
        let me = match &self.crowd {
            Crowd::Shoppers(cast) => cast.me(index, &self.world),
            Crowd::Drainers { first, board } => board.drainer(first + index),
        };
        let id: BuyerId = self.scribe.names.id(&format!("buyer-{}", me.shopper));
        let mut buyer = self.client.buyer(id);
        if let Some(device) = me.device {
            buyer.on_device(&format!("device-farm-{device}"));
        }
        Session {
            me,
            buyer,
            open: Open::default(),
            challenge: None,
            proof: None,
            solved: None,
            pending: None,
            begun: false,
            solving: false,
        }
    }

    /// Puts a session back until `at`.
    pub(crate) fn park(&self, index: u32, session: Box<Session>, at: Nanos) {
        *self.slots[index as usize].lock().expect("no worker panics") = Some(session);
        self.scheduler.push(at, self.now(), index);
    }

    /// Puts a session back until its puzzle is solved.
    pub(crate) fn park_for_puzzle(&self, index: u32, mut session: Box<Session>) {
        session.solving = true;
        let challenge = session.challenge.clone().unwrap_or_default();
        *self.slots[index as usize].lock().expect("no worker panics") = Some(session);
        let puzzles = self.puzzles.get().expect("the puzzle threads run before any worker");
        if puzzles.submit(Puzzle { session: index, challenge }).is_err() {
            // Too many wait: ask again soon. `solved` stays unset, so the session submits once more.
            self.scheduler.push(self.now().plus(BUSY), self.now(), index);
        }
    }

    /// A puzzle came back.
    pub(crate) fn solved(&self, index: u32, solution: Option<String>) {
        {
            let mut slot = self.slots[index as usize].lock().expect("no worker panics");
            let Some(session) = slot.as_mut() else { return };
            session.solved = Some(solution.is_some());
            session.proof = solution.map(Into::into);
        }
        let now = self.now();
        self.scheduler.push(now, now, index);
    }

    /// A shopper is gone.
    pub(crate) fn leave(&self, mut session: Box<Session>) {
        self.keep(&mut session);
        self.done.fetch_add(1, Ordering::Relaxed);
        self.live.done.fetch_add(1, Ordering::Relaxed);
        if let Some(next) = &self.next_arrival {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if (index as usize) < self.slots.len() {
                let now = self.now();
                self.scheduler.push(now, now, index);
            }
        }
        self.left.fetch_sub(1, Ordering::AcqRel);
    }

    fn keep(&self, session: &mut Box<Session>) {
        if let Some(Pending { first: Some((first, _)), call: Some(call), .. }) =
            session.pending.take()
        {
            session.open.unknown.push(Unknown { call, first });
        }
        if !session.open.is_empty() {
            let kept = Kept {
                shopper: session.me.shopper,
                buyer: session.buyer.clone(),
                open: std::mem::take(&mut session.open),
            };
            self.kept.lock().expect("no worker panics").push(kept);
        }
    }

    /// Keeps what those who were not done had open.
    pub(crate) fn sweep(&self) -> Vec<Kept> {
        for slot in &self.slots {
            if let Some(mut session) = slot.lock().expect("no worker panics").take() {
                self.keep(&mut session);
            }
        }
        std::mem::take(&mut *self.kept.lock().expect("no worker panics"))
    }

    /// What a shopper can look at.
    pub(crate) fn view(&self, me: &Me, now: Nanos) -> View {
        let sku = me.items[0].map_or(0, |item| usize::from(item.sku));
        let todo = match &self.crowd {
            Crowd::Shoppers(_) => None,
            Crowd::Drainers { board, .. } => board.todo(me.shopper),
        };
        View {
            now,
            canary_ends: Nanos(self.ends.get(sku).map_or(0, |ends| ends.load(Ordering::Relaxed))),
            stolen: self.token_of_another(me.shopper, now).is_some(),
            spent: self.proof_of_another(me.shopper).is_some(),
            todo,
        }
    }

    pub(crate) fn token_of_another(&self, shopper: u32, now: Nanos) -> Option<Arc<str>> {
        let loot = self.tokens.lock().expect("no worker panics");
        let fit = |loot: &&Loot| loot.owner != shopper && loot.until > now;
        loot.iter().rev().find(fit).map(|loot| loot.token.clone())
    }

    pub(crate) fn proof_of_another(&self, shopper: u32) -> Option<Arc<str>> {
        let loot = self.proofs.lock().expect("no worker panics");
        loot.iter().rev().find(|(_, owner)| *owner != shopper).map(|(proof, _)| proof.clone())
    }

    /// Learns from an answer what others need to know.
    pub(crate) fn note(&self, session: &mut Session, ask: &Ask, answer: &Answer) {
        let me = &session.me;
        match (ask.kind, answer.outcome.is_ok()) {
            (CallKind::Hold, true) => {
                session.open.held(answer.hold);
                self.granted(&ask.items, answer.start);
            }
            (CallKind::Hold, false) if answer.class == Class::SoldOut => {
                self.live.sold_out.store(true, Ordering::Relaxed);
            }
            (CallKind::Release, true) => {
                let hot = me.items.iter().flatten().filter(|item| self.is_hot(item));
                self.live.give(hot.map(units).sum());
                // Whoever waits for its expiry need not any more.
                self.free(&me.items, answer.end);
            }
            (CallKind::Checkout, true) => session.open.ordered(answer.order),
            (CallKind::Poll, true) => {
                self.live.admitted.fetch_add(1, Ordering::Relaxed);
                self.lend(session, answer.start);
            }
            (CallKind::Join, true) => {
                if let Some(proof) = session.proof.clone() {
                    let mut loot = self.proofs.lock().expect("no worker panics");
                    push(&mut loot, (proof, me.shopper));
                }
            }
            _ => {}
        }
        if let (Crowd::Drainers { board, .. }, CallKind::Hold) = (&self.crowd, ask.kind) {
            board.note(session.me.shopper, ask.items[0], answer.class);
        }
    }

    fn lend(&self, session: &Session, since: Nanos) {
        let Some(token) = session.buyer.variable("token") else { return };
        let until = since.plus(self.world.token_ttl).minus(LOOT_MARGIN);
        let mut loot = self.tokens.lock().expect("no worker panics");
        push(&mut loot, Loot { token, owner: session.me.shopper, until });
    }

    fn granted(&self, items: &[Option<Item>; 3], start: Nanos) {
        self.live.granted.fetch_add(1, Ordering::Relaxed);
        self.live.take(items.iter().flatten().filter(|item| self.is_hot(item)).map(units).sum());
        let ends = start.plus(self.world.ttl);
        for item in items.iter().flatten() {
            if let Some(slot) = self.ends.get(usize::from(item.sku)) {
                slot.fetch_max(ends.0, Ordering::Relaxed);
            }
        }
    }

    fn free(&self, items: &[Option<Item>; 3], at: Nanos) {
        for item in items.iter().flatten() {
            if let Some(slot) = self.ends.get(usize::from(item.sku)) {
                slot.store(at.0, Ordering::Relaxed);
            }
        }
    }

    fn is_hot(&self, item: &Item) -> bool {
        self.world.hot.iter().any(|(sku, _)| *sku == item.sku)
    }

    /// The record cannot be written: everything stops.
    pub(crate) fn fail(&self, error: LoadError) {
        let mut failure = self.failure.lock().expect("no worker panics");
        failure.get_or_insert(error);
        self.failed.store(true, Ordering::Release);
        self.scheduler.close();
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    pub(crate) fn failure(&self) -> Option<LoadError> {
        self.failure.lock().expect("no worker panics").take()
    }

    /// One more log of operations.
    pub(crate) fn recorder(&self) -> Option<Box<dyn Record>> {
        match (self.recorders)() {
            Ok(record) => Some(record),
            Err(error) => {
                self.fail(LoadError::Record(error));
                None
            }
        }
    }

    /// Puzzles solved, and the CPU seconds they cost.
    #[expect(clippy::cast_precision_loss, reason = "seconds for a report")]
    pub(crate) fn puzzle_cost(&self) -> (u64, f64) {
        let Some(puzzles) = self.puzzles.get() else { return (0, 0.0) };
        let cost = &puzzles.cost;
        let cpu_s = cost.cpu_ns.load(Ordering::Relaxed) as f64 / 1e9;
        (cost.puzzles.load(Ordering::Relaxed), cpu_s)
    }
}

fn units(item: &Item) -> u32 {
    u32::try_from(item.quantity).unwrap_or(0)
}

fn push<T>(loot: &mut VecDeque<T>, item: T) {
    if loot.len() >= LOOT_MAX {
        loot.pop_front();
    }
    loot.push_back(item);
}
