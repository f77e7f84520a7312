//! Stock on K counters, holds and their end.

use super::world::{Event, World};
use crate::Defect;
use onsale_history::{
    BuyerId, Class, Completion, HoldId, InstrumentId, Label, Line, Nanos, Outcome, SkuId,
    SoldOutPolicy, State,
};

/// One counter of a SKU.
#[derive(Clone, Debug, Default)]
pub(super) struct Shard {
    /// Units released to it.
    pub(super) cap: i64,
    /// Units that may be sold now.
    pub(super) free: i64,
}

/// One SKU.
#[derive(Clone, Debug, Default)]
pub(super) struct SkuRow {
    /// Its counters.
    pub(super) shards: Vec<Shard>,
    /// "Sold out" was seen then, for so many units; only under a stale policy.
    cached: Option<(u64, u32)>,
}

/// Where a hold stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Held,
    Paying,
    Confirmed,
    Expired,
    Cancelled,
    Failed,
}

/// One hold.
#[derive(Clone, Debug)]
pub(super) struct HoldRow {
    pub(super) buyer: BuyerId,
    pub(super) sku: usize,
    pub(super) shard: usize,
    pub(super) quantity: u32,
    pub(super) expires: u64,
    pub(super) standing: Standing,
    pub(super) order: Option<usize>,
    pub(super) instrument: Option<InstrumentId>,
    /// The shop does not know it any more.
    pub(super) forgotten: bool,
}

impl HoldRow {
    /// Its units are out of the stock.
    pub(super) fn occupies(&self) -> bool {
        matches!(self.standing, Standing::Held | Standing::Paying | Standing::Confirmed)
    }
}

impl World {
    /// Puts the stock on the counters, and the waves on the agenda.
    pub(super) fn open_stock(&mut self) {
        for (sku, facts) in self.plan.facts.skus.clone().into_iter().enumerate() {
            self.skus.push(SkuRow {
                shards: vec![Shard::default(); facts.shards as usize],
                cached: None,
            });
            self.release_wave(sku, facts.released(Nanos::ZERO));
            let lag_most = Self::millis(self.plan.facts.release_lag);
            let mut previous = 0;
            for wave in facts.waves.iter().filter(|wave| wave.at > Nanos::ZERO) {
                let at = (Self::millis(wave.at) + self.upto(lag_most)).max(previous);
                previous = at;
                self.after(at, Event::Wave { sku, units: wave.units });
            }
        }
    }
    /// Spreads what a wave adds over the counters, the remainder on the first. A counter is never lowered: it may be in use.
    pub(super) fn release_wave(&mut self, sku: usize, units: u32) {
        let count = i64::try_from(self.skus[sku].shards.len()).expect("a few shards");
        let more =
            i64::from(units) - self.skus[sku].shards.iter().map(|shard| shard.cap).sum::<i64>();
        for (index, shard) in self.skus[sku].shards.iter_mut().enumerate() {
            let part = more / count + if index == 0 { more % count } else { 0 };
            shard.cap += part;
            shard.free += part;
        }
    }

    fn units_of(&self, buyer: BuyerId) -> u32 {
        self.holds
            .iter()
            .filter(|hold| hold.buyer == buyer && hold.occupies())
            .map(|hold| hold.quantity)
            .sum()
    }
    fn over_limit(&self, buyer: BuyerId, more: u32) -> bool {
        self.plan.facts.account_limit.is_some_and(|limit| self.units_of(buyer) + more > limit)
    }
    fn may_pass(&self, request: usize) -> bool {
        let call = self.requests[request].call;
        match call.label {
            Label::ForgedToken => self.has(Defect::ForgedTokenAccepted),
            Label::ExpiredToken => self.has(Defect::ExpiredTokenAccepted),
            Label::ReplayedToken => self.has(Defect::TokenUnbound),
            Label::NoToken => self.has(Defect::UnguardedRoute),
            Label::DrainFirst | Label::DrainSecond => true,
            _ => self.plan.facts.queue.is_none() || self.room.admitted(call.buyer),
        }
    }

    /// All checks before the ring is asked.
    pub(super) fn ask_for_hold(&mut self, request: usize) {
        let call = self.requests[request].call;
        let key = call.key.expect("every hold has a key");
        if !self.may_pass(request) {
            return self.refuse(request, Class::Denied);
        }
        if self.instant() < self.plan.facts.opens && !self.has(Defect::OpensEarly) {
            return self.refuse(request, Class::NotOpen);
        }
        if call.quantity == 0 && !self.has(Defect::QuantityUnchecked) {
            return self.refuse(request, Class::Invalid);
        }
        if self.in_flight.contains_key(&key) && !self.has(Defect::KeyIgnored) {
            // Not through `refuse`: the key stays in flight.
            let delay = self.upto(self.plan.latency);
            let busy = Completion::of(Class::Busy.outcome());
            return self.after(delay, Event::Answer(request, busy, vec![]));
        }
        if let Some(&hold) = self.keys.get(&key).filter(|_| !self.has(Defect::KeyIgnored)) {
            let row = &self.holds[hold];
            let same = row.sku == call.sku.map_or(0, SkuId::index) && row.quantity == call.quantity;
            if same {
                return self.grant_again(request, hold);
            }
            if !self.has(Defect::KeyBodyUnchecked) {
                return self.refuse(request, Class::Invalid);
            }
        }
        if self.over_limit(call.buyer, call.quantity) {
            return self.refuse(request, Class::Limit);
        }
        if self.has(Defect::FalseSoldOut) && self.chance(25) {
            return self.refuse(request, Class::SoldOut);
        }
        if let SoldOutPolicy::Stale(age) = self.plan.facts.sold_out {
            let cached = self.skus[call.sku.map_or(0, SkuId::index)].cached;
            if cached.is_some_and(|(at, units)| {
                self.now <= at + Self::millis(age) && call.quantity >= units
            }) {
                return self.refuse(request, Class::SoldOut);
            }
        }
        self.in_flight.insert(key, request);
        self.probe(request, 0);
    }

    /// Asks the nth shard of the ring.
    pub(super) fn probe(&mut self, request: usize, nth: usize) {
        let call = self.requests[request].call;
        let sku = call.sku.map_or(0, SkuId::index);
        let count = self.skus[sku].shards.len();
        let shard = (self.requests[request].start + nth) % count;
        let unchecked = self.has(Defect::ReserveWithoutCheck) && self.chance(50);
        let racing = self.has(Defect::LimitCheckThenAct);
        if nth == 0 && racing && self.requests[request].start < 16 {
            // The limit was checked; the act comes later.
            self.requests[request].start += 16;
            let delay = self.upto(20);
            return self.after(delay, Event::Probe(request, 0));
        }
        if self.over_limit(call.buyer, call.quantity) && !racing {
            return self.refuse(request, Class::Limit);
        }
        if self.skus[sku].shards[shard].free >= i64::from(call.quantity) || unchecked {
            return self.grant(request, shard);
        }
        if nth + 1 < count && !self.has(Defect::NoRingFallback) {
            let delay = self.upto(self.plan.probe_gap);
            return self.after(delay, Event::Probe(request, nth + 1));
        }
        if count == 1 {
            self.skus[sku].cached = Some((self.now, call.quantity));
        }
        if self.has(Defect::StockReappears) && self.chance(50) {
            self.skus[sku].shards[shard].free += 1;
        }
        self.refuse(request, Class::SoldOut);
    }

    fn grant(&mut self, request: usize, shard: usize) {
        let call = self.requests[request].call;
        let sku = call.sku.map_or(0, SkuId::index);
        let uncounted = self.has(Defect::LostDecrement) && self.chance(25);
        if !uncounted {
            self.skus[sku].shards[shard].free -= i64::from(call.quantity);
        }
        let early = self.upto(Self::millis(self.plan.facts.earliness));
        let short = self.has(Defect::EarlyExpiry) || self.has(Defect::EarlyReclaim);
        let life = if short { self.ttl() / 4 } else { self.ttl() - early };
        let index = self.holds.len();
        self.holds.push(HoldRow {
            buyer: call.buyer,
            sku,
            shard,
            quantity: call.quantity,
            expires: self.now + life,
            standing: Standing::Held,
            order: None,
            instrument: None,
            forgotten: false,
        });
        if let Some(key) = call.key {
            self.keys.insert(key, index);
        }
        let late = if self.has(Defect::ReaperLate) { self.grace() * 4 + self.ttl() } else { 0 };
        let lag = self.upto(self.grace()) + late;
        self.after(life + lag, Event::Reap(index));
        if self.has(Defect::ForgottenHold) && self.chance(25) {
            self.holds[index].forgotten = true;
        }
        self.grant_again(request, index);
    }
    fn grant_again(&mut self, request: usize, hold: usize) {
        let ttl = u32::try_from(self.ttl()).expect("a short ttl");
        let id = Some(HoldId::from_index(hold));
        self.reply(
            request,
            Completion { hold: id, value: ttl, ..Completion::of(Outcome::Ok) },
            vec![],
        );
    }

    /// The units of a hold become sellable within `lag`.
    pub(super) fn give_back(&mut self, hold: usize, lag: u64) {
        let row = &self.holds[hold];
        let (sku, shard, units) = (row.sku, row.shard, i64::from(row.quantity));
        let delay = self.upto(lag);
        self.after(delay, Event::Credit { sku, shard, units });
    }
    /// The reaper comes by: the hold is over unless it was paid for, or is being paid for.
    pub(super) fn reap(&mut self, hold: usize) {
        if self.has(Defect::ReaperStops) {
            return;
        }
        // Whatever is left of the grace after the reaper's own delay.
        let left = (self.holds[hold].expires + self.grace()).saturating_sub(self.now);
        let over = match self.holds[hold].standing {
            Standing::Held => true,
            Standing::Paying => !self.plan.facts.checkout_extends,
            Standing::Confirmed => {
                if self.has(Defect::ReclaimAfterConfirm) {
                    self.give_back(hold, 0);
                }
                false
            }
            _ => false,
        };
        if over {
            self.holds[hold].standing = Standing::Expired;
            self.give_back(hold, left);
            if self.has(Defect::DoubleReclaim) {
                self.give_back(hold, 0);
            }
        }
    }

    /// Finds the hold that a call names, if its caller may see it.
    pub(super) fn named_hold(&self, request: usize) -> Option<usize> {
        let call = self.requests[request].call;
        let hold = call.hold?.index();
        self.holds.get(hold).filter(|row| row.buyer == call.buyer && !row.forgotten).map(|_| hold)
    }

    /// Gives a hold back.
    pub(super) fn release(&mut self, request: usize) {
        let Some(hold) = self.named_hold(request) else {
            return self.refuse(request, Class::NotFound);
        };
        match self.holds[hold].standing {
            Standing::Held if self.now < self.holds[hold].expires => {
                self.holds[hold].standing = Standing::Cancelled;
                if !self.has(Defect::CancelKeepsStock) {
                    self.give_back(hold, Self::millis(self.plan.facts.release_lag));
                }
                if self.has(Defect::CancelDoubles) {
                    self.give_back(hold, 0);
                }
                self.reply(request, Completion::of(Outcome::Ok), vec![]);
            }
            Standing::Cancelled => self.reply(request, Completion::of(Outcome::Ok), vec![]),
            Standing::Held | Standing::Expired => self.refuse(request, Class::Expired),
            _ => self.refuse(request, Class::Conflict),
        }
    }

    /// Reads one hold.
    pub(super) fn read_hold(&mut self, request: usize) {
        let Some(hold) = self.named_hold(request) else {
            return self.refuse(request, Class::NotFound);
        };
        let row = &self.holds[hold];
        let state = match row.standing {
            Standing::Held if self.now < row.expires => State::Held,
            Standing::Paying => State::PendingPayment,
            Standing::Confirmed => State::Confirmed,
            Standing::Cancelled => State::Cancelled,
            Standing::Failed => State::PaymentFailed,
            Standing::Held | Standing::Expired => return self.refuse(request, Class::Expired),
        };
        let answer = Completion {
            hold: Some(HoldId::from_index(hold)),
            state: Some(state),
            ..Completion::of(Outcome::Ok)
        };
        self.reply(request, answer, vec![]);
    }

    /// Reads the stock of every SKU at one instant, from the ledger.
    pub(super) fn read_stock(&mut self, request: usize) {
        let count = |value: i64| u32::try_from(value.max(0)).expect("fewer than 2^32 units");
        let twice = if self.has(Defect::StockMiscounted) { 2 } else { 1 };
        let mut lines = vec![];
        for (index, sku) in self.skus.iter().enumerate() {
            let total = sku.shards.iter().map(|shard| shard.cap).sum::<i64>();
            let sum = |standing: &dyn Fn(Standing) -> bool| {
                let rows =
                    self.holds.iter().filter(|hold| hold.sku == index && standing(hold.standing));
                rows.map(|hold| i64::from(hold.quantity)).sum::<i64>()
            };
            let held = sum(&|at| matches!(at, Standing::Held | Standing::Paying));
            let confirmed = sum(&|at| at == Standing::Confirmed);
            lines.push(Line::Stock {
                sku: SkuId::from_index(index),
                total: count(total),
                available: count(total - held - confirmed),
                held: count(held * twice),
                confirmed: count(confirmed),
            });
        }
        self.reply(request, Completion::of(Outcome::Ok), lines);
    }
}
