//! Leases: what is certain and what is possible of each acknowledged hold.
//!
//! A lease **definitely** occupies its units from the end of its acknowledgement until the earliest instant at which the
//! target may lawfully let go: a release or a cancel begins, its payment fails for good, or its promised life is over
//! counted from the earliest instant at which it can have been granted (the *first* try with its key). A confirmed lease
//! occupies them for good; without a gap where holds past their time cannot be confirmed and nothing else ended it.
//!
//! It **possibly** occupies them from that first try until the latest instant at which the target must have let go.

use super::order::{confirm, is_over};
use super::{At, Facts, SaleTimes};
use onsale_history::{
    BuyerId, CallKind, ConfirmPolicy, HoldId, InstrumentId, KeyId, Label, LateCapture, Nanos,
    Operation, OrderId, SaleFacts, State,
};

/// One acknowledged hold.
#[derive(Clone, Debug)]
pub struct Lease {
    /// Which.
    pub hold: HoldId,
    /// The acknowledgement that ended first.
    pub grant: At,
    /// Whose.
    pub buyer: BuyerId,
    /// Under which idempotency key.
    pub key: Option<KeyId>,
    /// It cannot have been granted before: the first try's start.
    pub asked: Nanos,
    /// It had been granted by then.
    pub acknowledged: Nanos,
    /// Its life as promised, at the longest.
    pub promised: Nanos,
    /// The card that certainly carries it, and since when.
    pub instrument: Option<(InstrumentId, Nanos)>,
    /// An order that was made of it.
    pub order: Option<OrderId>,
    /// The first release or cancel that may have worked, and its start.
    pub given_back: Option<(At, Nanos)>,
    /// Its payment failed for good, or money came that cannot buy it.
    pub failed: Nanos,
    /// It cannot lawfully expire before.
    pub expires: Nanos,
    /// A checkout of it was accepted, or may have been.
    pub checked_out: bool,
    /// Certainly confirmed: from, until, and the first and last read that say so.
    pub confirmed: Option<(Nanos, Nanos, (At, At))>,
    /// Confirmed without a gap since its grant.
    pub continuous: bool,
    /// It possibly occupies its units until here.
    pub possible_end: Nanos,
}

impl Lease {
    /// The earliest instant at which its units may lawfully have come back, had it not been confirmed.
    pub fn definite_end(&self) -> Nanos {
        self.given_back.map_or(Nanos::NEVER, |(_, at)| at).min(self.failed).min(self.expires)
    }
    /// Is it the promised life, and nothing else, that ends it?
    pub fn ends_by_expiry(&self) -> bool {
        !self.continuous && self.definite_end() == self.expires
    }
    /// When its units must be back if its time ended it.
    pub fn expired_by(&self, sale: &SaleFacts) -> Nanos {
        self.acknowledged.plus(self.promised).plus(sale.grace).plus(sale.clock_error)
    }
    /// The earliest instant at which its units may lawfully come back.
    pub fn returns_from(&self) -> Nanos {
        match self.confirmed {
            Some((_, until, _)) if self.continuous => until,
            _ => self.definite_end(),
        }
    }
    /// When it certainly occupies its units: up to two spans, empty ones left out.
    pub fn definite(&self) -> impl Iterator<Item = (Nanos, Nanos)> {
        let first = (self.acknowledged, self.returns_from());
        let second = self
            .confirmed
            .filter(|_| !self.continuous)
            .map(|(from, until, _)| (from.max(first.1), until));
        [Some(first), second].into_iter().flatten().filter(|(from, to)| from < to)
    }
}

/// Builds the lease of a hold from the operations that name it; none if no acknowledgement was seen.
pub(super) fn lease(facts: &Facts<'_>, times: &SaleTimes, hold: HoldId) -> Option<Lease> {
    let ops = facts.ops_of_hold(hold);
    let granted = |at: &&At| {
        let op = facts.op(**at);
        op.kind() == CallKind::Hold && op.outcome().is_ok() && op.answer.hold == Some(hold)
    };
    let &grant = ops.iter().filter(granted).min_by_key(|&&at| {
        let op = facts.op(at);
        (op.call.label == Label::OtherBody, op.end)
    })?;
    let op = facts.op(grant);
    let promise = ops
        .iter()
        .filter(granted)
        .map(|&at| u64::from(facts.op(at).answer.value))
        .max()
        .unwrap_or(0);
    let sale = facts.sale;
    let asked = asked(facts, op);
    let mut lease = Lease {
        hold,
        grant,
        buyer: op.call.buyer,
        key: op.call.key,
        asked,
        acknowledged: op.end,
        promised: Nanos::from_millis(promise).max(sale.ttl),
        instrument: op.call.instrument.map(|card| (card, op.end)),
        order: facts.orders_of_hold(hold).first().map(|&order| OrderId::from_index(order as usize)),
        given_back: None,
        failed: Nanos::NEVER,
        expires: asked.plus(sale.ttl).minus(sale.earliness).minus(sale.clock_error),
        checked_out: false,
        confirmed: None,
        continuous: false,
        possible_end: Nanos::NEVER,
    };
    returns(facts, &mut lease, ops);
    money(facts, &mut lease);
    settle(facts, times, &mut lease, ops);
    Some(lease)
}

/// The earliest try that may have made the grant: it happened, or nobody knows.
fn asked(facts: &Facts<'_>, grant: &Operation) -> Nanos {
    let Some(key) = grant.call.key else { return grant.start };
    let tries = facts.holds_of_key(key).iter().map(|&at| facts.op(at));
    let may_have = tries.filter(|op| op.outcome().is_ok() || op.outcome().is_indeterminate());
    may_have.map(|op| op.start).min().unwrap_or(grant.start).min(grant.start)
}

/// Everything that shoppers did to end it, or to keep it.
fn returns(facts: &Facts<'_>, lease: &mut Lease, ops: &[At]) {
    let of_orders = facts
        .orders_of_hold(lease.hold)
        .iter()
        .flat_map(|&order| facts.ops_of_order(order as usize));
    let mut cards: Vec<(InstrumentId, Nanos)> = lease.instrument.into_iter().collect();
    for &at in ops.iter().chain(of_orders) {
        let op = facts.op(at);
        let may_have = op.outcome().is_ok() || op.outcome().is_indeterminate();
        match op.kind() {
            CallKind::Release | CallKind::Cancel
                if may_have && lease.given_back.is_none_or(|(_, start)| op.start < start) =>
            {
                lease.given_back = Some((at, op.start));
            }
            CallKind::Checkout if may_have => {
                lease.checked_out = true;
                // Without an answer it may have moved the units to its card, and nobody can say when.
                let from = if op.outcome().is_ok() { op.end } else { Nanos::NEVER };
                cards.extend(op.call.instrument.map(|card| (card, from)));
            }
            _ => {}
        }
    }
    lease.instrument = card_of(lease.instrument, &cards);
}

/// The card that certainly carries a lease, and since when. A checkout moves the units from the card that the hold named to
/// its own; when checkouts name several, nobody can say which one carries them.
fn card_of(
    named: Option<(InstrumentId, Nanos)>,
    cards: &[(InstrumentId, Nanos)],
) -> Option<(InstrumentId, Nanos)> {
    let paid = &cards[usize::from(named.is_some())..];
    let Some(&(card, _)) = paid.first() else { return named };
    if paid.iter().any(|(other, _)| *other != card) {
        return None;
    }
    let same = named.filter(|(first, _)| *first == card);
    same.or_else(|| paid.iter().copied().min_by_key(|&(_, from)| from))
}

/// What the provider's ledger says of it.
fn money(facts: &Facts<'_>, lease: &mut Lease) {
    let price = u64::from(facts.sale.price)
        * facts.items(lease.grant).map(|(_, units)| u64::from(units)).sum::<u64>();
    for &index in facts.charges_of_hold(lease.hold) {
        let charge = &facts.charges[index as usize];
        lease.checked_out = true;
        let dead = charge.dead.map(|(_, at)| at);
        let refunded = charge.refunded.map(|(_, at)| at);
        let short = charge
            .captures
            .iter()
            .find(|(_, _, amount)| u64::from(*amount) != price)
            .map(|(_, at, _)| *at);
        for at in [dead, refunded, short].into_iter().flatten() {
            lease.failed = lease.failed.min(at.minus(facts.sale.clock_error));
        }
    }
    let sightings = facts.sightings_of_hold(lease.hold);
    let refunds: Vec<Nanos> = facts
        .charges_of_hold(lease.hold)
        .iter()
        .filter_map(|&c| facts.charges[c as usize].refunded)
        .map(|r| r.1)
        .collect();
    lease.confirmed = confirm(facts.history, &facts.sightings, sightings, &refunds);
    let kept = facts.sale.confirm == ConfirmPolicy::Strict
        && facts.sale.late_capture == LateCapture::Refund;
    lease.continuous = kept
        && lease.confirmed.is_some()
        && lease.given_back.is_none()
        && lease.failed == Nanos::NEVER;
}

/// Until when it possibly occupies its units.
fn settle(facts: &Facts<'_>, times: &SaleTimes, lease: &mut Lease, ops: &[At]) {
    let sale = facts.sale;
    let expired = lease.expired_by(sale);
    let confirmed = lease.confirmed.is_some();
    let over = |state: State| {
        if lease.checked_out { is_over(state) } else { is_over(state) && state != State::Expired }
    };
    let after = lease.confirmed.map_or(Nanos::ZERO, |(_, until, _)| until);
    let reads =
        facts.sightings_of_hold(lease.hold).iter().map(|&index| &facts.sightings[index as usize]);
    let seen_over = reads
        .filter(|sighting| over(sighting.state))
        .map(|sighting| facts.op(sighting.at))
        .filter(|op| op.start >= after)
        .map(|op| op.end.plus(sale.grace).plus(sale.release_lag))
        .min()
        .unwrap_or(Nanos::NEVER);
    lease.possible_end = if confirmed {
        seen_over
    } else if lease.checked_out {
        seen_over.min(settled_by_drain(facts, times, lease, expired)).max(lease.acknowledged)
    } else {
        let released = ops.iter().map(|&at| facts.op(at)).filter(|op| {
            op.kind() == CallKind::Release
                && op.outcome().is_ok()
                && op.answer.status != 202
                && op.end <= lease.expires
        });
        let back = released.map(|op| op.end.plus(sale.release_lag).plus(sale.clock_error)).min();
        expired.min(back.unwrap_or(Nanos::NEVER)).min(seen_over)
    };
}

/// Money news may be lost until the target asks for them, so a payment's end at the provider bounds nothing while faults
/// are on. When the first drain begins they have been healed for longer than ttl + grace.
fn settled_by_drain(facts: &Facts<'_>, times: &SaleTimes, lease: &Lease, expired: Nanos) -> Nanos {
    let Some(drain) = times.drain_first else { return Nanos::NEVER };
    let charges =
        || facts.charges_of_hold(lease.hold).iter().map(|&index| &facts.charges[index as usize]);
    if charges().next().is_none() {
        let unseen = facts.sightings_of_hold(lease.hold).is_empty()
            && facts.orders_of_hold(lease.hold).is_empty();
        return if unseen { expired.max(drain) } else { Nanos::NEVER };
    }
    let mut last = Nanos::ZERO;
    for charge in charges() {
        let end = if charge.captures.is_empty() { charge.dead } else { charge.refunded };
        match end {
            Some((_, at)) => last = last.max(at),
            None => return Nanos::NEVER,
        }
    }
    last.plus(facts.sale.grace).plus(facts.sale.release_lag).max(drain)
}
