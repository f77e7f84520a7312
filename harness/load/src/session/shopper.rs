//! What a shopper is, has and says.

use crate::deal::{Act, Basket, Deal};
use crate::persona::Persona;
use onsale_client::{Buyer, Call};
use onsale_history::{ChargeId, HoldId, InstrumentId, KeyId, Nanos, OpId, OrderId, SkuId};
use std::time::Duration;

/// A shopper who is somewhere in the middle.
pub(crate) struct Shopper {
    pub(crate) number: u32,
    pub(crate) persona: &'static Persona,
    pub(crate) buyer: Buyer,
    /// A second account on the same device, for what one account cannot do twice.
    pub(crate) other: Option<Box<Buyer>>,
    /// The solution of the last puzzle; taken by the next join.
    pub(crate) puzzle: Option<String>,
    pub(super) instrument: InstrumentId,
    pub(super) program: Box<[Act]>,
    pub(super) at: u16,
    pub(super) door: Door,
    pub(super) chance: fastrand::Rng,
    pub(super) hold: Option<Held>,
    /// The operation that made the order, and its key.
    pub(super) checkout: Option<(OpId, Option<KeyId>)>,
    pub(super) order: Option<OrderId>,
    pub(super) charge: Option<ChargeId>,
    pub(super) keys: u32,
    pub(super) tries: u32,
    pub(super) silences: u32,
    pub(super) reentries: u32,
    pub(super) patience: u32,
    /// The first operation of a call that is being repeated, and its key.
    pub(super) repeats: Option<(OpId, Option<KeyId>)>,
    pub(super) spent: Option<String>,
}

/// Where a shopper is on the way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Door {
    Outside,
    Joining,
    Waiting,
    Inside,
}

/// A hold that the shopper knows of.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) hold: HoldId,
    pub(super) op: OpId,
    pub(super) key: Option<KeyId>,
    pub(super) items: Vec<(SkuId, i64)>,
    pub(super) start: Nanos,
    pub(super) end: Nanos,
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
        let mut shopper = Self {
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
            checkout: None,
            order: None,
            charge: None,
            keys: 0,
            tries: 0,
            silences: 0,
            reentries: 0,
            patience: 0,
            repeats: None,
            spent: None,
        };
        shopper.begin();
        shopper
    }

    pub(super) fn step(&mut self) {
        self.at += 1;
        self.begin();
    }

    /// Every act begins with fresh counters.
    pub(super) fn begin(&mut self) {
        (self.tries, self.silences, self.repeats) = (0, 0, None);
        self.patience = match self.program.get(usize::from(self.at)) {
            Some(Act::Hold(Basket { patience, .. })) => *patience,
            Some(Act::Chase { times, .. }) => *times,
            _ => 0,
        };
    }

    pub(super) fn leave(&mut self) -> Flow {
        self.at = u16::try_from(self.program.len()).expect("programs are short");
        Flow::After(Duration::ZERO)
    }

    pub(super) fn on(&mut self) -> Flow {
        self.step();
        Flow::After(Duration::ZERO)
    }

    /// Has something to list at the end.
    pub(crate) fn is_customer(&self) -> bool {
        self.hold.is_some() || self.order.is_some()
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
