//! What a shopper of a persona is going to do: a short program, a pure function of the seed and the shopper's number.

use onsale_history::{Label, SkuId};
use onsale_plan::Workload;
use std::time::Duration;

/// One thing that a shopper does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Reads the landing data.
    Landing,
    /// Reads the stock.
    Stock,
    /// Does nothing for a while.
    Think(Duration),
    /// Does nothing until the sale opens, and this much longer (or shorter).
    UntilOpening { before: Duration },
    /// Puzzle, queue, admission. `poll_faster` divides the time between polls.
    Enter { poll_faster: u32 },
    /// An attack on the door of the queue; the shopper is not in the queue yet.
    Door(Label),
    /// Sets units aside.
    Hold(Basket),
    /// Asks for one SKU again and again, so often at most, until it is granted.
    Chase { sku: SkuId, every: Duration, times: u32 },
    /// The last hold once more, with the same key: the same body (`Replay`) or another (`OtherBody`).
    HoldAgain(Label),
    /// An attack on the door of the gateway: a hold that must be refused.
    Attack(Intrusion),
    /// Does nothing until the hold is so old.
    UntilAge(Age),
    /// Gives the hold back.
    Release,
    /// Makes an order of the hold. Twice: two processes at the same instant.
    Checkout { label: Label, twice: bool },
    /// Confirms the payment at the provider.
    Pay { twice: bool },
    /// Cancels the order.
    Cancel,
    /// Reads the order until it is final.
    Watch,
    /// Reads the hold.
    ReadHold,
}

/// What is held, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Basket {
    /// The lines.
    pub(crate) items: Vec<(SkuId, i64)>,
    /// How it is meant.
    pub(crate) label: Label,
    /// Two processes at the same instant, with the same key.
    pub(crate) twice: bool,
    /// Waits at the barrier just before the request leaves.
    pub(crate) barrier: bool,
    /// After "sold out": asks again so often.
    pub(crate) patience: u32,
}

/// A hold that must be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intrusion {
    /// The token's signature is another.
    BadSignature,
    /// The token is under `alg: none`.
    AlgorithmNone,
    /// The shopper's own token, after its time.
    Expired,
    /// Somebody else's token.
    Stolen,
    /// No token.
    NoToken,
    /// No token, and the sale is not open yet.
    Early,
    /// A quantity below 1.
    Quantity(i8),
    /// More than the limit, by one request.
    OverLimit,
}

/// An age of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Age {
    /// This much before its time is up.
    BeforeEnd(Duration),
    /// So long after it must have come back (ttl + grace).
    AfterReclaim(Duration),
}

/// What all personas know of the sale.
#[derive(Clone, Debug)]
pub(crate) struct Deal {
    /// The SKUs that the crowd wants.
    pub(crate) hot: Vec<SkuId>,
    /// SKUs with few units.
    pub(crate) canaries: Vec<SkuId>,
    /// Seats.
    pub(crate) seats: Vec<SkuId>,
    /// Units that an account may have.
    pub(crate) limit: u32,
    /// Life of a hold.
    pub(crate) ttl: Duration,
    /// How long a unit may stay away after that.
    pub(crate) grace: Duration,
    /// Life of a checkout token.
    pub(crate) token_ttl: Duration,
    /// How often an attacker repeats each attack, so that the workload's number is reached.
    pub(crate) attacks_each: u32,
    /// A barrier is used.
    pub(crate) barrier: bool,
}

impl Deal {
    /// From a workload, whose SKUs are numbered hot, canaries, seats.
    pub(crate) fn of(workload: &Workload) -> Self {
        let sale = &workload.sale;
        let hot = sale.skus.len();
        let canaries = hot + sale.canaries.count as usize;
        let seats = canaries + sale.seats as usize;
        let ids = |range: std::ops::Range<usize>| range.map(SkuId::from_index).collect();
        Self {
            hot: ids(0..hot),
            canaries: ids(hot..canaries),
            seats: ids(canaries..seats),
            limit: sale.account_limit,
            ttl: sale.hold.ttl,
            grace: sale.hold.grace,
            token_ttl: sale.queue.as_ref().map_or(Duration::ZERO, |queue| queue.token_ttl),
            attacks_each: attacks_each(workload),
            barrier: workload.load.barrier > 0,
        }
    }
    /// An ordinary basket: mostly one or two units of one SKU, sometimes a cart, a seat or a canary.
    pub(crate) fn basket(&self, chance: &mut fastrand::Rng) -> Basket {
        let sku = pick(&self.hot, chance);
        let items = match chance.u32(..100) {
            0..56 => vec![(sku, chance.i64(1..=2))],
            56..70 => vec![(sku, i64::from(chance.u32(3..=4).min(self.limit)))],
            70..84 if self.hot.len() > 1 => {
                let other = self.hot.iter().copied().find(|other| *other != sku).unwrap_or(sku);
                vec![(sku, 1), (other, chance.i64(1..=2))]
            }
            84..93 if !self.seats.is_empty() => vec![(pick(&self.seats, chance), 1)],
            93..100 if !self.canaries.is_empty() => vec![(pick(&self.canaries, chance), 1)],
            _ => vec![(sku, 1)],
        };
        Basket { barrier: self.barrier && chance.u32(..10) == 0, ..Basket::of(items) }
    }
}

impl Basket {
    /// An ordinary request.
    pub(crate) fn of(items: Vec<(SkuId, i64)>) -> Self {
        Self { items, label: Label::Ordinary, twice: false, barrier: false, patience: 0 }
    }
}

/// Attackers are few in small runs: each then attacks more often.
fn attacks_each(workload: &Workload) -> u32 {
    let load = &workload.load;
    let total: u32 = load.personas.values().sum();
    let least =
        ["forger", "replayer", "sniper"].iter().filter_map(|name| load.personas.get(*name)).min();
    let weight = least.copied().unwrap_or(0).max(1);
    let expected = u64::from(load.shoppers) * u64::from(weight) / u64::from(total.max(1));
    // A tenth more than asked for: some attackers do not get as far as their attack.
    let wanted = u64::from(load.attacks) * 11 / 10;
    u32::try_from(wanted.div_ceil(expected.max(1))).unwrap_or(1).clamp(1, 20)
}

/// One of them.
pub(crate) fn pick(among: &[SkuId], chance: &mut fastrand::Rng) -> SkuId {
    among.get(chance.usize(..among.len().max(1))).copied().unwrap_or(SkuId::from_index(0))
}

/// `low..high` milliseconds.
pub(crate) fn think(chance: &mut fastrand::Rng, low_ms: u64, high_ms: u64) -> Act {
    Act::Think(Duration::from_millis(chance.u64(low_ms..high_ms)))
}
