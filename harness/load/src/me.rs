//! What one shopper knows: small, because there are millions.

use crate::act::Act;
use crate::ask::Item;
use onsale_history::{CallKind, ChargeId, HoldId, Nanos, OpId, OrderId};

/// Acts of a plan at most.
pub(crate) const ACTS_MAX: usize = 20;

/// A shopper: the plan, how far it is, and what came of it. Cookies and tokens are the buyer's, not its.
#[derive(Clone, Debug)]
pub struct Me {
    pub(crate) shopper: u32,
    pub(crate) chance: fastrand::Rng,
    acts: [Act; ACTS_MAX],
    acts_count: u8,
    pub(crate) at: u8,
    /// What it wants.
    pub(crate) items: [Option<Item>; 3],
    /// The card's number.
    pub(crate) card: u32,
    /// The device's number, if it is not its own.
    pub(crate) device: Option<u32>,
    /// Polls that it has patience for.
    pub(crate) patience: u16,
    /// Times that it comes back after a sold-out.
    pub(crate) standby: u8,
    /// Tries of the present act.
    pub(crate) tries: u8,
    /// Where it is inside the present act.
    pub(crate) step: u8,
    pub(crate) rejoins: u8,
    pub(crate) keys: u8,
    pub(crate) hold_key: u8,
    pub(crate) checkout_key: u8,
    pub(crate) hold: Option<HoldId>,
    pub(crate) hold_op: Option<OpId>,
    pub(crate) release_op: Option<OpId>,
    pub(crate) order: Option<OrderId>,
    pub(crate) order_op: Option<OpId>,
    pub(crate) charge: Option<ChargeId>,
    /// The hold began between these two.
    pub(crate) held: (Nanos, Nanos),
    /// When the token certainly is past its time.
    pub(crate) token_ends: Nanos,
}

const _: () = assert!(std::mem::size_of::<Me>() <= 256, "a session is small");

impl Me {
    /// A shopper without a plan.
    pub fn new(shopper: u32, seed: u64) -> Self {
        Self {
            shopper,
            chance: fastrand::Rng::with_seed(seed),
            acts: [Act::Leave; ACTS_MAX],
            acts_count: 0,
            at: 0,
            items: [None; 3],
            card: shopper,
            device: None,
            patience: 400,
            standby: 0,
            tries: 0,
            step: 0,
            rejoins: 0,
            keys: 0,
            hold_key: 0,
            checkout_key: 0,
            hold: None,
            hold_op: None,
            release_op: None,
            order: None,
            order_op: None,
            charge: None,
            held: (Nanos::ZERO, Nanos::ZERO),
            token_ends: Nanos::ZERO,
        }
    }

    /// Its number, in the order of arrival.
    pub fn shopper(&self) -> u32 {
        self.shopper
    }

    /// Adds acts to the plan.
    pub(crate) fn then(&mut self, acts: &[Act]) {
        for &act in acts {
            assert!(usize::from(self.acts_count) < ACTS_MAX, "a plan has {ACTS_MAX} acts at most");
            self.acts[usize::from(self.acts_count)] = act;
            self.acts_count += 1;
        }
    }

    /// The whole plan.
    pub fn acts(&self) -> &[Act] {
        &self.acts[..usize::from(self.acts_count)]
    }

    /// The present act; after the last it leaves.
    pub(crate) fn act(&self) -> Act {
        self.acts().get(usize::from(self.at)).copied().unwrap_or(Act::Leave)
    }

    /// Goes on to the act with this place.
    pub(crate) fn go(&mut self, at: u8) {
        self.at = at;
        self.tries = 0;
        self.step = 0;
    }

    /// A new idempotency key.
    pub(crate) fn new_key(&mut self) -> u8 {
        self.keys = self.keys.wrapping_add(1);
        self.keys
    }

    /// Units of the hold, or of the wish.
    pub(crate) fn units(&self) -> i16 {
        self.items.iter().flatten().map(|item| item.quantity).sum()
    }

    /// Milliseconds from a range.
    pub(crate) fn ms(&mut self, range: std::ops::Range<u64>) -> Nanos {
        Nanos::from_millis(self.chance.u64(range))
    }

    /// True so many times of a hundred.
    pub(crate) fn percent(&mut self, percent: u8) -> bool {
        self.chance.u8(0..100) < percent
    }

    /// Does a call of this kind name the present hold (or order, or payment)?
    pub(crate) fn names(
        &self,
        kind: CallKind,
    ) -> (Option<HoldId>, Option<OrderId>, Option<ChargeId>) {
        match kind {
            CallKind::Release | CallKind::ReadHold | CallKind::Checkout => (self.hold, None, None),
            CallKind::Pay => (None, self.order, self.charge),
            CallKind::Cancel | CallKind::ReadOrder => (None, self.order, None),
            _ => (None, None, None),
        }
    }
}
