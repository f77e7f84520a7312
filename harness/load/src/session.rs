//! One shopper: where in the program, what it has, and what to make of an answer.
//!
//! A session does no I/O and reads no clock: it is told the time and the answer, and says what comes next.

use crate::deal::{Act, Age, Basket, Deal, Intrusion};
use crate::persona::Persona;
use onsale_client::{Answer, Buyer, Call, Token};
use onsale_history::{
    CallKind, ChargeId, Class, HoldId, InstrumentId, KeyId, Label, Nanos, OpId, OrderId, Outcome,
    ProcessId, SkuId, State,
};
use std::sync::Arc;
use std::time::Duration;

/// A call is repeated so often at most when its outcome is unknown or the target is busy or away.
const TRIES_MAX: u32 = 40;
/// Of those, so many without an answer; the rest is resolved after the load.
const SILENCES_MAX: u32 = 4;
/// Between two tries.
const RETRY: Duration = Duration::from_millis(200);
/// A shopper goes back into the queue so often.
const REENTRIES_MAX: u32 = 4;
/// An order is looked at so often, at this interval.
const WATCHES_MAX: u32 = 40;
const WATCH: Duration = Duration::from_millis(300);
/// After "sold out", the patient ask again in this range.
const PATIENCE_MS: std::ops::Range<u64> = 300..1_500;

/// A shopper who is somewhere in the middle.
pub(crate) struct Shopper {
    pub(crate) number: u32,
    pub(crate) persona: &'static Persona,
    pub(crate) buyer: Buyer,
    /// A second account on the same device, for what one account cannot do twice.
    pub(crate) other: Option<Box<Buyer>>,
    /// The solution of the last puzzle; taken by the next join.
    pub(crate) puzzle: Option<String>,
    instrument: InstrumentId,
    program: Box<[Act]>,
    at: u16,
    door: Door,
    chance: fastrand::Rng,
    hold: Option<Held>,
    order: Option<OrderId>,
    charge: Option<ChargeId>,
    keys: u32,
    tries: u32,
    silences: u32,
    reentries: u32,
    patience: u32,
    /// The first operation of a call that is being repeated, and its key.
    repeats: Option<(OpId, Option<KeyId>)>,
    spent: Option<String>,
}

/// Where a shopper is on the way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    Outside,
    Joining,
    Waiting,
    Inside,
}

/// A hold that the shopper knows of.
#[derive(Clone, Debug)]
struct Held {
    hold: HoldId,
    op: OpId,
    key: Option<KeyId>,
    items: Vec<(SkuId, i64)>,
    start: Nanos,
    end: Nanos,
}

/// The second of two clicks.
pub(crate) struct Twin {
    pub(crate) buyer: Buyer,
    pub(crate) call: Call,
}

/// What a shopper wants now.
pub(crate) enum Want {
    /// To ask.
    Ask { call: Box<Call>, twice: bool, barrier: bool, other: bool },
    /// To sleep.
    Sleep(Nanos),
    /// Nothing more.
    Nothing,
}

/// What comes after an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Go on after this.
    After(Duration),
    /// Solve this puzzle first.
    Solve(String),
}

/// What the sale is like, for all sessions.
pub(crate) struct Scene {
    pub(crate) deal: Deal,
    pub(crate) opens: Nanos,
    pub(crate) queue: bool,
    pub(crate) puzzle: bool,
    pub(crate) poll_every: Duration,
    /// Idempotency keys of a shopper begin at `number × keys_each`.
    pub(crate) keys_each: usize,
}

impl Shopper {
    /// A new shopper; what it will do follows from the seed and its number.
    pub(crate) fn new(
        number: u32,
        persona: &'static Persona,
        buyer: Buyer,
        scene: &Scene,
        seed: u64,
    ) -> Self {
        let mut chance = shopper_chance(seed, number);
        let program = (persona.program)(&scene.deal, &mut chance).into();
        let card = if persona.farm > 1 {
            number / persona.farm * persona.farm + number % 5
        } else {
            number
        };
        Self {
            number,
            persona,
            buyer,
            other: None,
            puzzle: None,
            instrument: InstrumentId::from_index(card as usize),
            program,
            at: 0,
            door: Door::Outside,
            chance,
            hold: None,
            order: None,
            charge: None,
            keys: 0,
            tries: 0,
            silences: 0,
            reentries: 0,
            patience: 0,
            repeats: None,
            spent: None,
        }
    }

    /// What to do now.
    pub(crate) fn want(
        &mut self,
        now: Nanos,
        due: Nanos,
        scene: &Scene,
        steal: impl Fn() -> Option<Arc<str>>,
    ) -> Want {
        loop {
            let Some(act) = self.program.get(usize::from(self.at)).cloned() else {
                return Want::Nothing;
            };
            let ready = match self.waits(&act, scene) {
                Some(until) if until > now => return Want::Sleep(until),
                Some(_) => None,
                None => self.call(&act, due, scene, &steal),
            };
            match ready {
                Some(want) => return want,
                None => self.step(),
            }
        }
    }

    /// Acts that only wait: until when.
    fn waits(&mut self, act: &Act, scene: &Scene) -> Option<Nanos> {
        match act {
            Act::UntilOpening { before } => Some(scene.opens.minus(nanos(*before))),
            Act::UntilAge(age) => {
                let held = self.hold.as_ref()?;
                Some(match age {
                    Age::BeforeEnd(before) => {
                        held.start.plus(nanos(scene.deal.ttl)).minus(nanos(*before))
                    }
                    Age::AfterReclaim(after) => {
                        held.end.plus(nanos(scene.deal.ttl + scene.deal.grace + *after))
                    }
                })
            }
            _ => None,
        }
    }

    /// The call of an act; nothing when the act has nothing to act on and is skipped.
    fn call(
        &mut self,
        act: &Act,
        due: Nanos,
        scene: &Scene,
        steal: &impl Fn() -> Option<Arc<str>>,
    ) -> Option<Want> {
        let process = ProcessId::from_index(self.number as usize * 2);
        let of = |kind| Call { instrument: Some(self.instrument), ..Call::of(kind, process, due) };
        let (mut call, mut twice, mut barrier, mut other) =
            (of(CallKind::Landing), false, false, false);
        match act {
            Act::Landing => {}
            Act::Stock => call.kind = CallKind::Stock,
            Act::Think(pause) => {
                self.step();
                return Some(Want::Sleep(due.plus(nanos(*pause))));
            }
            Act::Enter { .. } => return self.enter(call, scene),
            Act::Door(label) => {
                (call.kind, call.label, other) = (CallKind::Join, *label, true);
                match label {
                    Label::ForgedPuzzle if self.puzzle.is_none() => call.kind = CallKind::Challenge,
                    Label::ReusedPuzzle => call.puzzle = Some(self.spent.clone()?),
                    Label::ForgedPuzzle => call.puzzle = self.puzzle.clone(),
                    _ => {}
                }
                if call.kind == CallKind::Challenge {
                    call.label = Label::Ordinary;
                }
            }
            Act::Hold(_) | Act::Chase { .. } if self.reenter(scene) => {
                return self.enter(call, scene);
            }
            Act::Hold(basket) => {
                (call.kind, call.label, call.items) =
                    (CallKind::Hold, basket.label, basket.items.clone());
                (twice, barrier) = (basket.twice, basket.barrier);
            }
            Act::Chase { sku, .. } => {
                (call.kind, call.label, call.items) =
                    (CallKind::Hold, Label::Chase, vec![(*sku, 1)]);
            }
            Act::HoldAgain(label) => {
                let held = self.hold.clone()?;
                (call.kind, call.label, call.items) = (CallKind::Hold, *label, held.items);
                (call.key, call.link) = (held.key, Some(held.op));
            }
            Act::Attack(intrusion) => self.intrude(&mut call, *intrusion, scene, steal)?,
            Act::Release => {
                (call.kind, call.hold) = (CallKind::Release, Some(self.hold.as_ref()?.hold))
            }
            Act::ReadHold => {
                (call.kind, call.hold) = (CallKind::ReadHold, Some(self.hold.as_ref()?.hold))
            }
            Act::Checkout { label, twice: both } => {
                (call.kind, call.label, call.hold) =
                    (CallKind::Checkout, *label, Some(self.hold.as_ref()?.hold));
                twice = *both;
            }
            Act::Pay { twice: both } => {
                (call.kind, call.order, call.charge) =
                    (CallKind::Pay, self.order, Some(self.charge?));
                twice = *both;
            }
            Act::Cancel => (call.kind, call.order) = (CallKind::Cancel, Some(self.order?)),
            Act::Watch => (call.kind, call.order) = (CallKind::ReadOrder, Some(self.order?)),
            Act::UntilOpening { .. } | Act::UntilAge(_) => return None,
        }
        self.keyed(&mut call, scene);
        // A repeated call is alone: its twin went the first time.
        twice &= self.repeats.is_none();
        Some(Want::Ask { call: Box::new(call), twice, barrier, other })
    }

    /// The key of a new request, or the one of the request that is being repeated.
    fn keyed(&mut self, call: &mut Call, scene: &Scene) {
        if let Some((first, key)) = self.repeats {
            (call.label, call.link) = (Label::Resolve, Some(first));
            call.key = key.or(call.key);
        } else if call.key.is_none()
            && matches!(call.kind, CallKind::Hold | CallKind::Checkout | CallKind::Pay)
        {
            let index = self.number as usize * scene.keys_each
                + (self.keys as usize).min(scene.keys_each - 1);
            self.keys += 1;
            call.key = Some(KeyId::from_index(index));
        }
    }

    fn intrude(
        &self,
        call: &mut Call,
        intrusion: Intrusion,
        scene: &Scene,
        steal: &impl Fn() -> Option<Arc<str>>,
    ) -> Option<()> {
        let sku =
            scene.deal.hot.get(self.number as usize % scene.deal.hot.len().max(1)).copied()?;
        (call.kind, call.items) = (CallKind::Hold, vec![(sku, 1)]);
        (call.label, call.token) = match intrusion {
            Intrusion::BadSignature => (Label::ForgedToken, Token::BadSignature),
            Intrusion::AlgorithmNone => (Label::ForgedToken, Token::AlgorithmNone),
            Intrusion::Expired => (Label::ExpiredToken, Token::Own),
            Intrusion::Stolen => (Label::ReplayedToken, Token::This(steal()?)),
            Intrusion::NoToken => (Label::NoToken, Token::Absent),
            Intrusion::Early => (Label::Early, Token::Absent),
            Intrusion::Quantity(quantity) => {
                call.items = vec![(sku, i64::from(quantity))];
                (Label::BadQuantity, Token::Own)
            }
            Intrusion::OverLimit => {
                self.hold.as_ref()?;
                call.items = vec![(sku, i64::from(scene.deal.limit))];
                (Label::OverLimit, Token::Own)
            }
        };
        Some(())
    }

    /// Back into the queue, because the token is past its time.
    fn reenter(&mut self, scene: &Scene) -> bool {
        scene.queue && self.door != Door::Inside
    }

    fn enter(&mut self, mut call: Call, scene: &Scene) -> Option<Want> {
        if !scene.queue || self.door == Door::Inside {
            return None;
        }
        if self.door == Door::Outside && !scene.puzzle {
            self.door = Door::Joining;
        }
        call.instrument = None;
        match self.door {
            Door::Outside => call.kind = CallKind::Challenge,
            Door::Joining => {
                call.kind = CallKind::Join;
                call.puzzle = self.puzzle.take();
                self.spent.clone_from(&call.puzzle);
            }
            Door::Waiting | Door::Inside => call.kind = CallKind::Poll,
        }
        Some(Want::Ask { call: Box::new(call), twice: false, barrier: false, other: false })
    }

    fn step(&mut self) {
        self.at += 1;
        (self.tries, self.silences, self.repeats) = (0, 0, None);
        self.patience = match self.program.get(usize::from(self.at)) {
            Some(Act::Hold(Basket { patience, .. })) => *patience,
            Some(Act::Chase { times, .. }) => *times,
            _ => 0,
        };
    }

    fn leave(&mut self) -> Flow {
        self.at = u16::try_from(self.program.len()).expect("programs are short");
        Flow::After(Duration::ZERO)
    }

    fn on(&mut self) -> Flow {
        self.step();
        Flow::After(Duration::ZERO)
    }

    /// Has something to list at the end.
    pub(crate) fn is_customer(&self) -> bool {
        self.hold.is_some() || self.order.is_some()
    }

    /// The answer to what was asked last. `resolve` is told whether the operation must be resolved after the load.
    pub(crate) fn learn(
        &mut self,
        call: &Call,
        answer: &Answer,
        scene: &Scene,
        resolve: &mut bool,
    ) -> Flow {
        let act = self.program[usize::from(self.at)].clone();
        let way_in = matches!(call.kind, CallKind::Challenge | CallKind::Join | CallKind::Poll);
        if let Act::Door(_) = act {
            return self.at_the_door(call, answer, resolve);
        }
        if way_in {
            return self.coming_in(call, answer, scene, &act);
        }
        if let Some(flow) = self.again(call, answer, &act, resolve) {
            return flow;
        }
        match call.kind {
            CallKind::Hold => self.held(call, answer, &act),
            CallKind::Checkout => self.checked_out(answer),
            CallKind::Pay => self.paid(answer),
            CallKind::ReadOrder => self.watched(answer),
            _ => self.on(),
        }
    }

    /// Repeats a call whose outcome is unknown, or that a busy or absent target did not take.
    fn again(
        &mut self,
        call: &Call,
        answer: &Answer,
        act: &Act,
        resolve: &mut bool,
    ) -> Option<Flow> {
        let silent = answer.outcome.is_indeterminate();
        let away = matches!(answer.class, Class::Busy | Class::Unreachable | Class::NotOpen);
        let reading = matches!(
            call.kind,
            CallKind::Landing
                | CallKind::Stock
                | CallKind::ListOrders
                | CallKind::ReadHold
                | CallKind::ReadOrder
        );
        let attack = matches!(act, Act::Attack(_));
        if !silent && (!away || attack) {
            return None;
        }
        if silent && !reading {
            // Whatever happens next, the first try stays open until somebody knows.
            *resolve =
                attack || matches!(act, Act::HoldAgain(_)) || self.silences + 1 >= SILENCES_MAX;
        }
        self.tries += 1;
        self.silences += u32::from(silent);
        if attack || matches!(act, Act::HoldAgain(_)) {
            return Some(self.on());
        }
        if self.tries >= TRIES_MAX || self.silences >= SILENCES_MAX {
            return Some(if reading { self.on() } else { self.leave() });
        }
        // What a busy or absent target did not take had no effect: only silence makes a repetition out of the next try.
        if !reading && silent {
            self.repeats.get_or_insert((answer.op, call.key));
        } else if !reading
            && self.repeats.is_none()
            && call.key.is_some()
            && answer.class == Class::Busy
        {
            self.repeats = Some((answer.op, call.key));
        }
        Some(Flow::After(answer.retry_after.unwrap_or(RETRY).clamp(RETRY, RETRY * 10)))
    }

    fn at_the_door(&mut self, call: &Call, answer: &Answer, resolve: &mut bool) -> Flow {
        if call.kind == CallKind::Challenge {
            self.tries += 1;
            self.puzzle = answer.challenge.as_deref().map(onsale_pow::forge);
            if self.puzzle.is_some() {
                return Flow::After(Duration::ZERO);
            }
            return if self.tries < TRIES_MAX { Flow::After(RETRY) } else { self.on() };
        }
        let away = matches!(answer.class, Class::NotOpen | Class::Unreachable | Class::Busy);
        if away && self.tries < TRIES_MAX {
            self.tries += 1;
            return Flow::After(RETRY);
        }
        *resolve = answer.outcome.is_indeterminate();
        self.puzzle = None;
        self.on()
    }

    fn coming_in(&mut self, call: &Call, answer: &Answer, scene: &Scene, act: &Act) -> Flow {
        let faster = if let Act::Enter { poll_faster } = act { (*poll_faster).max(1) } else { 1 };
        let pause = scene.poll_every / faster;
        match (call.kind, answer.class) {
            (CallKind::Challenge, Class::Ok) => {
                self.tries = 0;
                self.door = Door::Joining;
                match &answer.challenge {
                    Some(challenge) => return Flow::Solve(challenge.clone()),
                    None => return Flow::After(Duration::ZERO),
                }
            }
            (CallKind::Join, Class::Ok | Class::Pending) => {
                (self.tries, self.door) = (0, Door::Waiting);
                return Flow::After(pause);
            }
            (CallKind::Poll, Class::Queued) => return Flow::After(pause),
            (CallKind::Poll, Class::Ok) => {
                (self.tries, self.door) = (0, Door::Inside);
                // The act that needed the token goes on; `Enter` itself is done.
                return if matches!(act, Act::Enter { .. }) {
                    self.on()
                } else {
                    Flow::After(Duration::ZERO)
                };
            }
            (CallKind::Poll, Class::Expired | Class::Denied | Class::NotFound) => {
                self.reentries += 1;
                self.door = Door::Outside;
            }
            // A join that was not taken, or that nobody knows of, begins with a new puzzle; a second place is not given.
            (CallKind::Join, _) => self.door = Door::Outside,
            _ => {}
        }
        self.tries += 1;
        if self.tries >= TRIES_MAX || self.reentries > REENTRIES_MAX {
            return self.leave();
        }
        Flow::After(answer.retry_after.unwrap_or(RETRY).clamp(RETRY, RETRY * 10))
    }

    fn held(&mut self, call: &Call, answer: &Answer, act: &Act) -> Flow {
        if matches!(act, Act::Attack(_) | Act::HoldAgain(_)) {
            return self.on();
        }
        match answer.class {
            Class::Ok => {
                let first = self.repeats.map_or(answer.op, |(first, _)| first);
                self.hold = answer.hold.map(|hold| Held {
                    hold,
                    op: first,
                    key: call.key,
                    items: call.items.clone(),
                    start: answer.start,
                    end: answer.end,
                });
                self.on()
            }
            Class::SoldOut | Class::Conflict if self.patience > 0 => {
                self.patience -= 1;
                self.repeats = None;
                let pause = match act {
                    Act::Chase { every, .. } => *every,
                    _ => Duration::from_millis(self.chance.u64(PATIENCE_MS)),
                };
                Flow::After(pause)
            }
            Class::Denied | Class::Expired if self.reentries < REENTRIES_MAX => {
                self.reentries += 1;
                (self.door, self.repeats) = (Door::Outside, None);
                Flow::After(RETRY)
            }
            _ => self.leave(),
        }
    }

    fn checked_out(&mut self, answer: &Answer) -> Flow {
        if answer.outcome != Outcome::Ok {
            return self.leave();
        }
        self.order = answer.order.or(self.order);
        self.charge = answer.charge.or(self.charge);
        self.on()
    }

    fn paid(&mut self, answer: &Answer) -> Flow {
        self.tries += 1;
        match answer.class {
            Class::Declined | Class::Pending if self.tries < 4 => {
                self.repeats = None;
                Flow::After(RETRY)
            }
            _ => self.on(),
        }
    }

    fn watched(&mut self, answer: &Answer) -> Flow {
        let last = matches!(
            answer.state,
            Some(
                State::Confirmed
                    | State::PaymentFailed
                    | State::Expired
                    | State::Cancelled
                    | State::Refunded
            )
        );
        self.tries += 1;
        if last || self.tries >= WATCHES_MAX { self.on() } else { Flow::After(WATCH) }
    }

    /// The token's owner is a good victim for thieves: an ordinary shopper who is inside.
    pub(crate) fn just_came_in(&self, call: &Call, answer: &Answer) -> bool {
        call.kind == CallKind::Poll && answer.class == Class::Ok && self.persona.name != "replayer"
    }
}

/// The chance of one shopper: a pure function of the run's seed and the shopper's number (splitmix64).
pub(crate) fn shopper_chance(seed: u64, number: u32) -> fastrand::Rng {
    let mut mixed = seed ^ u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    fastrand::Rng::with_seed(mixed ^ (mixed >> 31))
}

pub(crate) fn nanos(duration: Duration) -> Nanos {
    Nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}
