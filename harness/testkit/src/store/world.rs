//! The world: simulated time, the agenda, requests on their way, and the record of them.

use super::orders::OrderRow;
use super::plan::Plan;
use super::provider::{Charge, Webhook};
use super::room::Room;
use super::session::Session;
use super::stock::{HoldRow, SkuRow};
use crate::Defect;
use fastrand::Rng;
use onsale_history::{
    CallKind, Class, Completion, Invocation, KeyId, Line, MarkKind, MarkSink, Memory, Nanos, OpId,
    Outcome, Record,
};
use std::collections::BTreeMap;

/// What will happen.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// A shopper does the next thing.
    Step(usize),
    /// A request reaches the shop, or the provider.
    Arrive(usize),
    /// The nth shard of the ring is asked.
    Probe(usize, usize),
    /// An answer reaches the shopper.
    Answer(usize, Completion, Vec<Line>),
    /// The shopper stops waiting.
    Timeout(usize),
    /// The reaper comes by a hold.
    Reap(usize),
    /// Units become sellable again.
    Credit { sku: usize, shard: usize, units: i64 },
    /// A wave of stock is released.
    Wave { sku: usize, units: u32 },
    /// A batch is admitted.
    Admit,
    /// Money is taken.
    Capture(usize),
    /// The reconciler looks at an attempt.
    Reconcile(usize),
    /// A webhook leaves the provider.
    Send(Webhook),
    /// A webhook reaches the shop.
    Deliver(Webhook),
    /// A refund comes to its end.
    Refund { refund: usize, charge: usize, amount: u32 },
}

/// A request and what became of it.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// Its number in the history.
    pub(super) op: OpId,
    /// What was asked.
    pub(super) call: Invocation,
    /// Who waits for the answer.
    pub(super) session: Option<usize>,
    /// The shopper has an answer, or waits no more.
    pub(super) done: bool,
    /// What the shopper heard.
    pub(super) heard: Completion,
    /// It never reached the shop or its answer was lost: to be resolved.
    pub(super) open: bool,
    /// The shard the ring starts at.
    pub(super) start: usize,
}

/// Everything there is.
pub(super) struct World {
    pub(super) now: u64,
    pub(super) plan: Plan,
    pub(super) defect: Option<Defect>,
    pub(super) rng: Rng,
    pub(super) memory: Memory,
    pub(super) requests: Vec<Request>,
    pub(super) sessions: Vec<Session>,
    pub(super) active: usize,
    pub(super) loading: bool,
    pub(super) skus: Vec<SkuRow>,
    pub(super) holds: Vec<HoldRow>,
    pub(super) orders: Vec<OrderRow>,
    pub(super) charges: Vec<Charge>,
    pub(super) refunds: usize,
    pub(super) deliveries: usize,
    pub(super) keys: BTreeMap<KeyId, usize>,
    pub(super) in_flight: BTreeMap<KeyId, usize>,
    pub(super) key_count: usize,
    pub(super) room: Room,
    agenda: BTreeMap<(u64, u64), Event>,
    sequence: u64,
}

impl World {
    /// A world at its beginning.
    pub(super) fn new(seed: u64, plan: Plan, defect: Option<Defect>) -> Self {
        let mut world = Self {
            now: 0,
            defect,
            rng: Rng::with_seed(seed),
            memory: Memory::default(),
            requests: vec![],
            sessions: vec![],
            active: 0,
            loading: true,
            skus: vec![],
            holds: vec![],
            orders: vec![],
            charges: vec![],
            refunds: 0,
            deliveries: 0,
            keys: BTreeMap::new(),
            in_flight: BTreeMap::new(),
            key_count: 0,
            room: Room::default(),
            agenda: BTreeMap::new(),
            sequence: 0,
            plan,
        };
        world.open_stock();
        world
    }

    /// The shop has this bug.
    pub(super) fn has(&self, defect: Defect) -> bool {
        self.defect == Some(defect)
    }
    /// So many of a hundred.
    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.rng.u64(0..100) < percent
    }
    /// From 0 to `most`.
    pub(super) fn upto(&mut self, most: u64) -> u64 {
        self.rng.u64(0..=most)
    }
    /// Puts an event on the agenda.
    pub(super) fn after(&mut self, delay: u64, event: Event) {
        self.sequence += 1;
        self.agenda.insert((self.now + delay, self.sequence), event);
    }
    /// Writes a mark.
    pub(super) fn mark(&self, kind: MarkKind) {
        self.memory.mark(self.instant(), kind).expect("memory does not fail");
    }
    /// Now, as a history tells it.
    pub(super) fn instant(&self) -> Nanos {
        Nanos::from_millis(self.now)
    }
    /// A fact of the sale in milliseconds.
    pub(super) fn millis(value: Nanos) -> u64 {
        value.0 / 1_000_000
    }
    /// Promised life of a hold.
    pub(super) fn ttl(&self) -> u64 {
        Self::millis(self.plan.facts.ttl)
    }
    /// How late a unit may come back.
    pub(super) fn grace(&self) -> u64 {
        Self::millis(self.plan.facts.grace)
    }
    /// A key that nobody used.
    pub(super) fn fresh_key(&mut self) -> KeyId {
        self.key_count += 1;
        KeyId::from_index(self.key_count - 1)
    }

    /// Records a call and sends it on its way.
    pub(super) fn send(&mut self, session: Option<usize>, call: Invocation) -> usize {
        let op = self.memory.invoke(self.instant(), &call, &[]).expect("memory does not fail");
        let index = self.requests.len();
        let start = self.rng.usize(0..16);
        let heard = Completion::open();
        self.requests.push(Request { op, call, session, done: false, heard, open: false, start });
        let lost = self.plan.lost;
        if self.chance(lost) {
            // Once the faults have healed, what is lost is lost.
            if self.rng.bool() && self.loading {
                let delay = self.plan.timeout + self.upto(self.plan.straggle);
                self.after(delay, Event::Arrive(index));
            }
        } else {
            let delay = self.upto(self.plan.latency);
            self.after(delay, Event::Arrive(index));
        }
        self.after(self.plan.timeout, Event::Timeout(index));
        index
    }
    /// Sends an answer back; it may be lost.
    pub(super) fn reply(&mut self, request: usize, answer: Completion, lines: Vec<Line>) {
        if let Some(key) = self.requests[request].call.key
            && self.in_flight.get(&key) == Some(&request)
        {
            self.in_flight.remove(&key);
        }
        let lost = self.plan.lost;
        if !self.chance(lost) {
            let delay = self.upto(self.plan.latency);
            self.after(delay, Event::Answer(request, answer, lines));
        }
    }
    /// Answers with a refusal.
    pub(super) fn refuse(&mut self, request: usize, class: Class) {
        self.reply(request, Completion::of(class.outcome()), vec![]);
    }

    /// Lets things happen until `done`, or nothing is left to happen.
    pub(super) fn run_until(&mut self, mut done: impl FnMut(&Self) -> bool) {
        while !done(self) {
            let Some(((at, _), event)) = self.agenda.pop_first() else { return };
            self.now = at;
            self.happen(event);
        }
    }
    /// Lets so many milliseconds pass.
    pub(super) fn pass(&mut self, delay: u64) {
        let until = self.now + delay;
        while let Some(entry) = self.agenda.first_entry() {
            if entry.key().0 > until {
                break;
            }
            let ((at, _), event) = entry.remove_entry();
            self.now = at;
            self.happen(event);
        }
        self.now = until;
    }
    /// Something that may still change an order or the stock is on its way.
    pub(super) fn unsettled(&self) -> bool {
        let moving =
            |event: &Event| !matches!(event, Event::Reap(_) | Event::Admit | Event::Step(_));
        self.agenda.values().any(moving)
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Step(session) => self.step(session),
            Event::Arrive(request) => self.arrive(request),
            Event::Probe(request, nth) => self.probe(request, nth),
            Event::Answer(request, answer, lines) => self.hear(request, answer, &lines),
            Event::Timeout(request) => self.give_up(request),
            Event::Reap(hold) => self.reap(hold),
            Event::Credit { sku, shard, units } => self.skus[sku].shards[shard].free += units,
            Event::Wave { sku, units } => self.release_wave(sku, units),
            Event::Admit => self.admit_batch(),
            Event::Capture(charge) => self.capture(charge),
            Event::Reconcile(charge) => self.reconcile(charge),
            Event::Send(webhook) => self.send_webhook(webhook),
            Event::Deliver(webhook) => self.deliver(webhook),
            Event::Refund { refund, charge, amount } => self.end_refund(refund, charge, amount),
        }
    }

    fn arrive(&mut self, request: usize) {
        match self.requests[request].call.kind {
            CallKind::Join => self.join(request),
            CallKind::Poll => self.poll(request),
            CallKind::Hold => self.ask_for_hold(request),
            CallKind::Release => self.release(request),
            CallKind::Checkout => self.checkout(request),
            CallKind::Pay => self.pay(request),
            CallKind::Cancel => self.cancel(request),
            CallKind::ReadHold => self.read_hold(request),
            CallKind::ReadOrder => self.read_order(request),
            CallKind::ListOrders => self.list_orders(request),
            CallKind::Stock => self.read_stock(request),
            CallKind::Landing | CallKind::Challenge => self.refuse(request, Class::Unknown),
        }
    }

    fn hear(&mut self, request: usize, answer: Completion, lines: &[Line]) {
        if self.requests[request].done {
            return;
        }
        self.close(request, answer, lines);
        if let Some(session) = self.requests[request].session {
            self.heard(session, request, &answer);
        }
    }
    fn give_up(&mut self, request: usize) {
        if self.requests[request].done {
            return;
        }
        let class = if self.rng.bool() { Class::Timeout } else { Class::Disconnected };
        let answer = Completion::of(Outcome::Indeterminate(class));
        self.requests[request].open = true;
        self.close(request, answer, &[]);
        if let Some(session) = self.requests[request].session {
            self.heard(session, request, &answer);
        }
    }
    fn close(&mut self, request: usize, answer: Completion, lines: &[Line]) {
        let at = self.instant();
        let entry = &mut self.requests[request];
        entry.done = true;
        entry.heard = answer;
        let op = entry.op;
        self.memory.complete(at, op, &answer, lines).expect("memory does not fail");
    }
}
