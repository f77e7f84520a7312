//! After the load: what nobody knows is asked again until it is known, and everybody reads what they have.

use crate::book::{Kept, Unknown};
use crate::config::{Phase, Progress, Recorders};
use crate::error::LoadError;
use crate::worker::process;
use crate::world::World;
use onsale_client::{Answer, Call, Client, Connection, Token};
use onsale_history::{CallKind, Class, Label, Line, Nanos, Outcome, Record, Scribe, State};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// Lines of operations that work at once.
const LANES: usize = 32;
/// Tries of one thing.
const TRIES_MAX: u32 = 60;
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(250);
/// Times that an order that is not final is waited for.
const SETTLE_MAX: u32 = 12;
/// Tries of a puzzle.
const PUZZLE_TRIES: u64 = 1 << 26;

/// What is done with every buyer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    Resolve,
    FinalReads,
}

/// What the lanes share.
pub(crate) struct Crew {
    pub(crate) world: World,
    pub(crate) client: Client,
    pub(crate) scribe: Scribe,
    pub(crate) recorders: Recorders,
    pub(crate) progress: Arc<dyn Progress>,
    pub(crate) stop: watch::Receiver<bool>,
}

struct Work {
    todo: Mutex<VecDeque<Kept>>,
    done: Mutex<Vec<Kept>>,
    count: AtomicU64,
    total: u64,
}

/// Does a job with all of these buyers, and gives them back.
pub(crate) async fn all(
    crew: Arc<Crew>,
    kept: Vec<Kept>,
    job: Job,
) -> Result<Vec<Kept>, LoadError> {
    let total = kept.len() as u64;
    let work = Arc::new(Work {
        todo: Mutex::new(kept.into()),
        done: Mutex::default(),
        count: AtomicU64::new(0),
        total,
    });
    let lanes = LANES.min(usize::try_from(total).unwrap_or(LANES)).max(1);
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..lanes {
        tasks.spawn(lane(crew.clone(), work.clone(), job));
    }
    while let Some(ended) = tasks.join_next().await {
        ended.map_err(|_| LoadError::Panicked("settling what was open"))??;
    }
    let mut done = std::mem::take(&mut *work.done.lock().expect("no lane panics"));
    done.sort_by_key(|kept| kept.shopper);
    Ok(done)
}

async fn lane(crew: Arc<Crew>, work: Arc<Work>, job: Job) -> Result<(), LoadError> {
    let record = (crew.recorders)().map_err(LoadError::Record)?;
    let mut hand = Hand { connection: crew.client.connection(), record, crew };
    loop {
        let next = work.todo.lock().expect("no lane panics").pop_front();
        let Some(mut kept) = next else { return Ok(()) };
        match job {
            Job::Resolve => hand.resolve_all(&mut kept).await?,
            Job::FinalReads => hand.final_reads(&mut kept).await?,
        }
        work.done.lock().expect("no lane panics").push(kept);
        let count = work.count.fetch_add(1, Ordering::Relaxed) + 1;
        let phase = match job {
            Job::Resolve => Phase::Resolve,
            Job::FinalReads => Phase::FinalReads,
        };
        hand.crew.progress.at(phase, count, work.total);
    }
}

struct Hand {
    crew: Arc<Crew>,
    connection: Connection,
    record: Box<dyn Record>,
}

/// Not sent, or to be asked again.
fn not_yet(answer: &Answer) -> bool {
    matches!(
        answer.outcome,
        Outcome::Failed(Class::Busy | Class::Unreachable) | Outcome::Indeterminate(_)
    )
}

impl Hand {
    async fn send(&mut self, kept: &mut Kept, call: &Call) -> Result<Answer, LoadError> {
        let call = Call { due: self.crew.scribe.clock.now(), ..call.clone() };
        let scribe = &self.crew.scribe;
        let sent = self.connection.execute(&mut kept.buyer, &call, scribe, self.record.as_mut());
        sent.await.map_err(LoadError::Record)
    }

    /// Asks until there is an answer, or nobody believes in one.
    async fn insist(&mut self, kept: &mut Kept, call: &Call) -> Result<Answer, LoadError> {
        let mut answer = self.send(kept, call).await?;
        for _ in 1..TRIES_MAX {
            if !not_yet(&answer) || *self.crew.stop.borrow() {
                break;
            }
            tokio::time::sleep(PAUSE).await;
            answer = self.send(kept, call).await?;
        }
        Ok(answer)
    }

    fn plain(&self, kind: CallKind, label: Label, kept: &Kept) -> Call {
        Call { label, ..Call::of(kind, process(kept.shopper, 0), self.crew.scribe.clock.now()) }
    }

    async fn resolve_all(&mut self, kept: &mut Kept) -> Result<(), LoadError> {
        for unknown in std::mem::take(&mut kept.open.unknown) {
            if !self.resolve(kept, &unknown).await? {
                kept.open.unknown.push(unknown);
            }
        }
        Ok(())
    }

    /// True once it is known.
    async fn resolve(&mut self, kept: &mut Kept, unknown: &Unknown) -> Result<bool, LoadError> {
        let first = &unknown.call;
        let again = Call { label: Label::Resolve, link: Some(unknown.first), ..first.clone() };
        let mut answer = self.insist(kept, &again).await?;
        let refused = matches!(answer.outcome, Outcome::Failed(Class::Denied | Class::Expired));
        if first.kind == CallKind::Hold && honest(first) && refused {
            // The token went stale: that says nothing of the first try. With a new one the key is looked at.
            self.admit(kept).await?;
            answer = self.insist(kept, &again).await?;
        }
        kept.open.held(answer.hold.filter(|_| first.kind == CallKind::Hold));
        kept.open.ordered(answer.order.filter(|_| first.kind == CallKind::Checkout));
        let read = match first.kind {
            CallKind::Release => Some(CallKind::ReadHold),
            CallKind::Cancel | CallKind::Pay => Some(CallKind::ReadOrder),
            _ => None,
        };
        if let (Some(kind), false) = (read, answer.outcome.is_ok()) {
            let look = Call {
                hold: first.hold,
                order: first.order,
                link: Some(unknown.first),
                ..self.plain(kind, Label::Resolve, kept)
            };
            answer = self.insist(kept, &look).await?;
        }
        Ok(!not_yet(&answer))
    }

    /// Queues once more for a new token.
    async fn admit(&mut self, kept: &mut Kept) -> Result<(), LoadError> {
        if !self.crew.world.queue {
            return Ok(());
        }
        let mut join = self.plain(CallKind::Join, Label::Ordinary, kept);
        if self.crew.world.puzzle {
            let ask = self.plain(CallKind::Challenge, Label::Ordinary, kept);
            let challenge = self.insist(kept, &ask).await?.challenge.unwrap_or_default();
            join.puzzle = onsale_pow::solve_json(&challenge, PUZZLE_TRIES).ok().flatten();
        }
        self.insist(kept, &join).await?;
        let poll = self.plain(CallKind::Poll, Label::Ordinary, kept);
        for _ in 0..TRIES_MAX {
            let answer = self.insist(kept, &poll).await?;
            if answer.class != Class::Queued {
                break;
            }
            tokio::time::sleep(Duration::from_nanos(self.crew.world.poll_every.0)).await;
        }
        Ok(())
    }

    async fn final_reads(&mut self, kept: &mut Kept) -> Result<(), LoadError> {
        let list = self.plain(CallKind::ListOrders, Label::Final, kept);
        let mut answer = self.insist(kept, &list).await?;
        for _ in 0..SETTLE_MAX {
            if answer.lines.iter().all(is_final) || *self.crew.stop.borrow() {
                break;
            }
            tokio::time::sleep(PAUSE).await;
            answer = self.insist(kept, &list).await?;
        }
        for order in kept.open.orders.clone() {
            let read = self.plain(CallKind::ReadOrder, Label::Final, kept);
            self.insist(kept, &Call { order: Some(order), ..read }).await?;
        }
        for hold in kept.open.holds.clone() {
            let read = self.plain(CallKind::ReadHold, Label::Final, kept);
            self.insist(kept, &Call { hold: Some(hold), ..read }).await?;
        }
        Ok(())
    }
}

/// Is the own token what it shows?
fn honest(call: &Call) -> bool {
    call.token == Token::Own && !matches!(call.label, Label::ExpiredToken | Label::Early)
}

fn is_final(line: &Line) -> bool {
    match line {
        Line::Order { state, .. } => {
            !matches!(state, State::Held | State::PendingPayment | State::Refunding)
        }
        _ => true,
    }
}

/// Reads the stock once, as a buyer that has nothing.
pub(crate) async fn read_stock(crew: Arc<Crew>, shopper: u32) -> Result<(), LoadError> {
    if !crew.world.offers(CallKind::Stock) {
        return Ok(());
    }
    let buyer = crew.client.buyer(crew.scribe.names.id(&format!("buyer-{shopper}")));
    let mut kept = Kept { shopper, buyer, open: crate::book::Open::default() };
    let record = (crew.recorders)().map_err(LoadError::Record)?;
    let mut hand = Hand { connection: crew.client.connection(), record, crew };
    let call = Call { due: Nanos::ZERO, ..hand.plain(CallKind::Stock, Label::Final, &kept) };
    hand.insist(&mut kept, &call).await?;
    Ok(())
}
