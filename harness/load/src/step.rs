//! One step of one shopper: ask, wait, learn, lay back.

use crate::pool::{Pool, Unresolved};
use crate::scheduler::{Scheduler, Task};
use crate::session::{Flow, Scene, Shopper, Twin, Want, nanos};
use crate::stats::LoadStats;
use crate::{Live, persona};
use onsale_client::{Answer, Buyer, Call, Client, Connection};
use onsale_history::{CallKind, Class, Line, Nanos, ProcessId, Record, RecordError, Scribe, SkuId};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};

/// What all workers share.
pub(crate) struct Shared {
    pub(crate) client: Client,
    pub(crate) scribe: Scribe,
    pub(crate) scheduler: Arc<Scheduler>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) live: Arc<Live>,
    pub(crate) scene: Scene,
    pub(crate) seed: u64,
    /// The persona of every shopper, by number.
    pub(crate) cast: Vec<&'static persona::Persona>,
    pub(crate) shoppers: u32,
    pub(crate) stats: Mutex<LoadStats>,
    pub(crate) failed: Mutex<Option<RecordError>>,
    pub(crate) closed_model: bool,
    pub(crate) next_arrival: std::sync::atomic::AtomicU32,
    pub(crate) stopping: AtomicBool,
}

/// One worker: a connection, a log and figures of its own.
pub(crate) struct Worker {
    pub(crate) shared: Arc<Shared>,
    pub(crate) connection: Connection,
    pub(crate) record: Box<dyn Record>,
    pub(crate) stats: LoadStats,
    pub(crate) puzzles: mpsc::Sender<(Box<Shopper>, String)>,
}

impl Worker {
    /// Takes due steps until the load is over.
    pub(crate) async fn work(&mut self) {
        let shared = self.shared.clone();
        while let Some((due, task)) = shared.scheduler.next().await {
            let done = match task {
                Task::Arrive(number) => {
                    shared.live.one_arrived();
                    let shopper = Box::new(shared.shopper(number));
                    self.step(due, shopper).await
                }
                Task::Shopper(shopper) => self.step(due, shopper).await,
                Task::Twin(twin) => self.twin(due, *twin).await,
            };
            if let Err(error) = done {
                shared.failed.lock().expect("no holder panics").get_or_insert(error);
                shared.scheduler.close();
            }
        }
        shared.stats.lock().expect("no holder panics").add(&self.stats);
        self.stats = LoadStats::default();
    }

    async fn ask(&mut self, buyer: &mut Buyer, call: &Call) -> Result<Answer, RecordError> {
        let shared = &self.shared;
        let answer =
            self.connection.execute(buyer, call, &shared.scribe, &mut *self.record).await?;
        self.stats.one(call.due, answer.start, answer.end);
        shared.live.one_sent(answer.outcome.is_indeterminate());
        shared.notice(call, &answer);
        Ok(answer)
    }

    async fn twin(&mut self, due: Nanos, mut twin: Twin) -> Result<(), RecordError> {
        twin.call.due = due;
        let answer = self.ask(&mut twin.buyer, &twin.call).await?;
        if answer.outcome.is_indeterminate() {
            self.shared.pool.resolve_later(Unresolved {
                buyer: twin.buyer,
                call: twin.call,
                op: answer.op,
            });
        }
        self.shared.scheduler.finished();
        Ok(())
    }

    async fn step(&mut self, due: Nanos, mut shopper: Box<Shopper>) -> Result<(), RecordError> {
        let shared = self.shared.clone();
        let now = shared.scribe.clock.now();
        let id = shopper.buyer.id;
        let want = shopper.want(now, due, &shared.scene, || shared.pool.steal_token(id));
        let (call, twice, barrier, other) = match want {
            Want::Nothing => {
                shared.end(&shopper);
                return Ok(());
            }
            Want::Sleep(until) => {
                shared.scheduler.again(until, Task::Shopper(shopper));
                return Ok(());
            }
            Want::Ask { call, twice, barrier, other } => (*call, twice, barrier, other),
        };
        if twice {
            let process = ProcessId::from_index(shopper.number as usize * 2 + 1);
            let label = onsale_history::Label::Replay;
            let second = Call { process, label, ..call.clone() };
            shared.scheduler.add(
                due,
                Task::Twin(Box::new(Twin { buyer: shopper.buyer.clone(), call: second })),
            );
        }
        if barrier {
            self.connection.wait_for(shared.pool.barrier());
        }
        let mut asker = if other { shared.other(&shopper) } else { shopper.buyer.clone() };
        let answer = self.ask(&mut asker, &call).await?;
        if other {
            shopper.other = Some(Box::new(asker.clone()));
        } else {
            shopper.buyer = asker.clone();
        }
        let mut resolve = false;
        let flow = shopper.learn(&call, &answer, &shared.scene, &mut resolve);
        if resolve {
            shared.pool.resolve_later(Unresolved {
                buyer: asker,
                call: call.clone(),
                op: answer.op,
            });
        }
        if shopper.just_came_in(&call, &answer) {
            shared.live.one_admitted();
            if let Some(token) = shopper.buyer.variable("token") {
                shared.pool.leave_token(id, token);
            }
        }
        match flow {
            Flow::After(pause) => {
                shared.scheduler.again(answer.end.plus(nanos(pause)), Task::Shopper(shopper));
            }
            Flow::Solve(challenge) => {
                // The solvers outlive the workers; they only end when every sender is gone.
                self.puzzles
                    .send((shopper, challenge))
                    .unwrap_or_else(|_| unreachable!("solvers outlive workers"));
            }
        }
        Ok(())
    }
}

impl Shared {
    fn shopper(&self, number: u32) -> Shopper {
        let persona = self.cast[number as usize];
        let mut buyer = self.client.buyer(onsale_history::BuyerId::from_index(number as usize));
        if persona.farm > 1 {
            buyer.on_device(&format!("device-{}", number / persona.farm * persona.farm));
        }
        Shopper::new(number, persona, buyer, &self.scene, self.seed)
    }

    /// A second account on the shopper's device: for attacks that the first account's place in the queue would hide.
    fn other(&self, shopper: &Shopper) -> Buyer {
        if let Some(other) = &shopper.other {
            return (**other).clone();
        }
        let id = onsale_history::BuyerId::from_index((self.shoppers + shopper.number) as usize);
        let mut other = self.client.buyer(id);
        other.on_device(&format!("device-{}", shopper.number));
        other
    }

    fn end(&self, shopper: &Shopper) {
        if shopper.is_customer() {
            self.pool.remember(&shopper.buyer);
        }
        self.live.one_done();
        if self.closed_model && !self.stopping.load(Ordering::Relaxed) {
            let next = self.next_arrival.fetch_add(1, Ordering::Relaxed);
            if next < self.shoppers {
                self.scheduler.add(self.scribe.clock.now(), Task::Arrive(next));
            }
        }
        self.scheduler.finished();
    }

    /// What chaos and the bars want to know.
    fn notice(&self, call: &Call, answer: &Answer) {
        let is_hot = |sku: &SkuId| self.scene.deal.hot.contains(sku);
        match (call.kind, answer.class) {
            (CallKind::Hold, Class::Ok) => {
                let units: i64 = call
                    .items
                    .iter()
                    .filter(|(sku, _)| is_hot(sku))
                    .map(|(_, quantity)| quantity)
                    .sum();
                self.live.granted(u32::try_from(units).unwrap_or(0));
            }
            (CallKind::Hold, Class::SoldOut) => self.live.refused(),
            (CallKind::Stock, Class::Ok) => {
                let free = answer.lines.iter().filter_map(|line| match line {
                    Line::Stock { sku, available, .. } if is_hot(sku) => Some(*available),
                    _ => None,
                });
                self.live.stock(free.sum());
            }
            _ => {}
        }
    }
}
