//! One worker: takes who is due, sends what it asks, shows it the answer.

use crate::ask::{Ask, Next, Pass, Proof, Seen, Sight};
use crate::book::Unknown;
use crate::engine::{Engine, Pending, Session};
use crate::error::LoadError;
use crate::play;
use onsale_client::{Answer, Buyer, Call, Connection, Token};
use onsale_history::{
    CallKind, Class, InstrumentId, KeyId, Label, Nanos, Outcome, ProcessId, Record, SkuId,
};
use std::sync::atomic::Ordering;

/// Repetitions of an operation that was not answered definitely, while the load goes on.
const RESOLVES_MAX: u8 = 4;
/// Repetitions of an operation that could not be sent, or was answered "busy".
const BUSY_MAX: u8 = 12;
/// Pause before a repetition.
const PAUSE: Nanos = Nanos::from_millis(250);
/// Keys of a shopper.
const KEYS: u64 = 256;

/// One line of operations: a connection and its log.
pub(crate) struct Lane {
    pub(crate) connection: Connection,
    pub(crate) record: Box<dyn Record>,
}

impl Lane {
    pub(crate) fn new(engine: &Engine) -> Option<Self> {
        Some(Self { connection: engine.client.connection(), record: engine.recorder()? })
    }
}

struct Worker<'a> {
    engine: &'a Engine,
    lane: Lane,
    /// For double clicks; opened when first needed.
    second: Option<Lane>,
}

/// Works until the scheduler is closed.
pub(crate) async fn work(engine: &Engine) {
    let Some(mut lane) = Lane::new(engine) else { return };
    // A target that is not there yet is an answer to the first operation.
    let _ = lane.connection.warm_up().await;
    let mut worker = Worker { engine, lane, second: None };
    while let Some((due, index)) = engine.scheduler.take().await {
        if let Err(error) = worker.serve(due, index).await {
            engine.fail(error);
        }
    }
}

impl Worker<'_> {
    async fn serve(&mut self, due: Nanos, index: u32) -> Result<(), LoadError> {
        let engine = self.engine;
        let mut session = engine.open(index);
        let seen = match session.pending.take() {
            Some(pending) => match self.ask(&mut session, pending, due).await? {
                Ok(sight) => Seen::Answer(sight),
                Err(again) => {
                    engine.park(index, session, again);
                    return Ok(());
                }
            },
            None if !session.begun => {
                session.begun = true;
                Seen::Begin
            }
            None => match session.solved.take() {
                Some(solved) => Seen::Solved(solved),
                None if session.solving => {
                    engine.park_for_puzzle(index, session);
                    return Ok(());
                }
                None => Seen::Woke,
            },
        };
        if matches!(seen, Seen::Solved(_)) {
            session.solving = false;
        }
        self.decide(session, index, seen, due);
        Ok(())
    }

    /// Lets the shopper decide. What follows at once is due when the answer came, not when a worker found the time.
    fn decide(&self, mut session: Box<Session>, index: u32, seen: Seen, due: Nanos) {
        let engine = self.engine;
        let now = match seen {
            Seen::Answer(sight) => sight.end,
            _ => due,
        };
        let view = engine.view(&session.me, now);
        match play::next(&mut session.me, seen, &view, &engine.world) {
            Next::Ask(ask, at) => {
                session.pending = Some(Pending { ask, tries: 0, first: None, call: None });
                engine.park(index, session, at);
            }
            Next::Wait(at) => engine.park(index, session, at),
            Next::Solve => engine.park_for_puzzle(index, session),
            Next::Leave => engine.leave(session),
        }
    }

    /// Sends one step. An answer, or when to try again.
    async fn ask(
        &mut self,
        session: &mut Session,
        mut pending: Pending,
        due: Nanos,
    ) -> Result<Result<Sight, Nanos>, LoadError> {
        let engine = self.engine;
        let ask = pending.ask;
        let Some(call) = self.call(session, &mut pending, due) else {
            // What was to be stolen is gone; look again.
            session.pending = Some(pending);
            return Ok(Err(engine.now().plus(PAUSE)));
        };
        if ask.barrier && engine.world.barrier > 1 && pending.tries == 0 {
            self.lane.connection.wait_for(Box::pin(engine.barrier.clone().pass()));
        }
        let twice = ask.twice && pending.tries == 0;
        let answer = if twice {
            self.send_twice(session, &call).await?
        } else {
            self.send(&mut session.buyer, &call).await?
        };
        engine.note(session, &ask, &answer);
        let late = !ask.barrier;
        let times = (answer.start, answer.end);
        engine.stats.lock().expect("no worker panics").add(due, times, answer.outcome, late);
        Ok(self.settle(session, pending, call, answer))
    }

    /// An answer for the shopper, or another try with the same key.
    fn settle(
        &self,
        session: &mut Session,
        mut pending: Pending,
        call: Call,
        answer: Answer,
    ) -> Result<Sight, Nanos> {
        let ask = pending.ask;
        let unknown = answer.outcome.is_indeterminate();
        if unknown {
            self.engine.live.unknown.fetch_add(1, Ordering::Relaxed);
        }
        let busy = matches!(answer.outcome, Outcome::Failed(Class::Busy | Class::Unreachable));
        // The token went stale meanwhile: that says nothing of the first try.
        let stale = pending.first.is_some()
            && ask.pass == Pass::Own
            && matches!(answer.outcome, Outcome::Failed(Class::Denied | Class::Expired));
        if unknown && pending.first.is_none() {
            pending.first = Some((answer.op, answer.start));
        }
        pending.call.get_or_insert(call);
        let max = if busy { BUSY_MAX } else { RESOLVES_MAX };
        if (busy || unknown) && repeatable(ask.kind) && pending.tries < max {
            let pause = answer.retry_after.map_or(PAUSE, crate::config::nanos);
            pending.tries += 1;
            session.pending = Some(pending);
            return Err(answer.end.plus(pause.min(Nanos::from_millis(1000))));
        }
        let mut sight = sight(ask.kind, &answer);
        if let Some((first, start)) = pending.first {
            sight.start = start;
            if busy || unknown || stale {
                sight.outcome = Outcome::Indeterminate(answer.class);
                if repeatable(ask.kind) {
                    let call = pending.call.expect("it was sent");
                    session.open.unknown.push(Unknown { call, first });
                }
            }
        }
        if ask.kind == CallKind::Challenge {
            session.challenge = answer.challenge;
        }
        Ok(sight)
    }

    async fn send(&mut self, buyer: &mut Buyer, call: &Call) -> Result<Answer, LoadError> {
        let live = &self.engine.live;
        live.in_flight.fetch_add(1, Ordering::Relaxed);
        live.operations.fetch_add(1, Ordering::Relaxed);
        let lane = &mut self.lane;
        let scribe = &self.engine.scribe;
        let answer = lane.connection.execute(buyer, call, scribe, lane.record.as_mut()).await;
        live.in_flight.fetch_sub(1, Ordering::Relaxed);
        answer.map_err(LoadError::Record)
    }

    /// The same on two lines at once. The better answer counts.
    async fn send_twice(
        &mut self,
        session: &mut Session,
        call: &Call,
    ) -> Result<Answer, LoadError> {
        if self.second.is_none() {
            self.second = Lane::new(self.engine);
        }
        let Some(mut second) = self.second.take() else {
            return self.send(&mut session.buyer, call).await;
        };
        let other =
            Call { label: Label::Replay, process: process(session.me.shopper, 1), ..call.clone() };
        let mut twin = session.buyer.clone();
        let live = &self.engine.live;
        live.operations.fetch_add(1, Ordering::Relaxed);
        let scribe = &self.engine.scribe;
        let (one, two) = tokio::join!(
            self.send(&mut session.buyer, call),
            second.connection.execute(&mut twin, &other, scribe, second.record.as_mut()),
        );
        self.second = Some(second);
        let (one, two) = (one?, two.map_err(LoadError::Record)?);
        if two.outcome.is_indeterminate() && repeatable(call.kind) {
            let unknown = Unknown { call: other, first: two.op };
            session.open.unknown.push(unknown);
        }
        if one.outcome.is_ok() || !two.outcome.is_ok() {
            return Ok(one);
        }
        session.buyer = twin;
        if one.outcome.is_indeterminate() {
            let unknown = Unknown { call: call.clone(), first: one.op };
            session.open.unknown.push(unknown);
        }
        Ok(two)
    }

    /// The call that a step is: the first try as the shopper means it, the others as its repetitions.
    fn call(&self, session: &Session, pending: &mut Pending, due: Nanos) -> Option<Call> {
        if let Some(first) = &pending.call {
            let mut again = Call { due, ..first.clone() };
            if let Some((op, _)) = pending.first {
                again.label = Label::Resolve;
                again.link = Some(op);
            }
            return Some(again);
        }
        let ask = pending.ask;
        let (me, names) = (&session.me, &self.engine.scribe.names);
        let (hold, order, charge) = me.names(ask.kind);
        let key = |serial: u8| -> KeyId {
            names.id(&format!("key-{}", u64::from(me.shopper) * KEYS + u64::from(serial)))
        };
        let pays = matches!(ask.kind, CallKind::Hold | CallKind::Checkout | CallKind::Pay);
        let card = || -> InstrumentId { names.id(&format!("card-{}", me.card)) };
        Some(Call {
            label: ask.label,
            items: items(&ask),
            hold,
            order,
            charge,
            key: ask.key.map(key),
            instrument: pays.then(card),
            link: ask.link,
            puzzle: self.proof(session, &ask)?,
            token: self.token(session, &ask, due)?,
            ..Call::of(ask.kind, process(me.shopper, 0), due)
        })
    }

    /// The solution to show; nothing if it was to be somebody else's, and there is none.
    fn proof(&self, session: &Session, ask: &Ask) -> Option<Option<String>> {
        Some(match ask.proof {
            Proof::Absent => None,
            Proof::Own => session.proof.as_deref().map(str::to_owned),
            Proof::Forged => {
                Some(onsale_pow::forge(session.challenge.as_deref().unwrap_or_default()))
            }
            Proof::Foreign => Some((*self.engine.proof_of_another(session.me.shopper)?).to_owned()),
        })
    }

    fn token(&self, session: &Session, ask: &Ask, now: Nanos) -> Option<Token> {
        Some(match ask.pass {
            Pass::Own => Token::Own,
            Pass::Absent => Token::Absent,
            Pass::BadSignature => Token::BadSignature,
            Pass::AlgorithmNone => Token::AlgorithmNone,
            Pass::Stolen => Token::This(self.engine.token_of_another(session.me.shopper, now)?),
        })
    }
}

/// Two lines of operations a shopper.
pub(crate) fn process(shopper: u32, line: usize) -> ProcessId {
    ProcessId::from_index(shopper as usize * 2 + line)
}

/// Has it an effect that must become known?
pub(crate) fn repeatable(kind: CallKind) -> bool {
    matches!(
        kind,
        CallKind::Hold | CallKind::Release | CallKind::Checkout | CallKind::Pay | CallKind::Cancel
    )
}

fn items(ask: &Ask) -> Vec<(SkuId, i64)> {
    let line = |item: &crate::ask::Item| {
        (SkuId::from_index(usize::from(item.sku)), i64::from(item.quantity))
    };
    ask.items.iter().flatten().map(line).collect()
}

fn sight(kind: CallKind, answer: &Answer) -> Sight {
    Sight {
        kind,
        op: answer.op,
        start: answer.start,
        end: answer.end,
        class: answer.class,
        outcome: answer.outcome,
        hold: answer.hold,
        order: answer.order,
        charge: answer.charge,
        state: answer.state,
    }
}
