//! Orders, joined from checkouts, reads and the provider's metadata.

use super::{At, Charge, Groups, Sighting};
use onsale_history::{BuyerId, CallKind, History, HoldId, Nanos, OrderId, State};

/// One order, as far as anybody saw it.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// The first accepted checkout that answered it.
    pub checkout: Option<At>,
    /// The hold it came from.
    pub hold: Option<HoldId>,
    /// Whose it is.
    pub buyer: Option<BuyerId>,
    /// It was certainly confirmed from here on: the end of the earliest read that said so; never without one.
    pub confirmed_from: Option<Nanos>,
    /// … and certainly until here: for good, unless a later read or a refund says otherwise.
    pub confirmed_until: Nanos,
    /// The reads that say so, the earliest and the latest.
    pub confirmed_by: Option<(At, At)>,
}

/// Indexed by [`OrderId`].
pub(super) fn orders(history: &History, seen: &[Sighting], charges: &[Charge]) -> Vec<Order> {
    let mut all: Vec<Order> = Vec::new();
    for (at, op) in (0..).zip(&history.operations) {
        let (Some(order), true) = (op.answer.order, op.outcome().is_ok()) else { continue };
        let entry = slot(&mut all, order);
        entry.hold = entry.hold.or(op.hold());
        if op.kind() == CallKind::Checkout {
            entry.buyer = entry.buyer.or(Some(op.call.buyer));
            entry.checkout = entry.checkout.or(Some(at));
        }
    }
    for sighting in seen {
        let Some(order) = sighting.order else { continue };
        let entry = slot(&mut all, order);
        entry.hold = entry.hold.or(sighting.hold);
        entry.buyer = entry.buyer.or(Some(history.operations[sighting.at as usize].call.buyer));
    }
    for charge in charges {
        let Some(order) = charge.order else { continue };
        let entry = slot(&mut all, order);
        entry.hold = entry.hold.or(charge.hold);
        entry.buyer = entry.buyer.or(charge.buyer);
    }
    all
}

/// When a thing was certainly confirmed, from its sightings and from refunds of its money.
pub(super) fn confirm(
    history: &History,
    seen: &[Sighting],
    of: &[u32],
    refunds: &[Nanos],
) -> Option<(Nanos, Nanos, (At, At))> {
    let op = |sighting: &Sighting| &history.operations[sighting.at as usize];
    let confirming =
        || of.iter().map(|&index| &seen[index as usize]).filter(|s| s.state == State::Confirmed);
    let first = confirming().min_by_key(|s| op(s).end)?;
    let last = confirming().max_by_key(|s| op(s).start)?;
    let last_start = op(last).start;
    // A read that overlaps the last confirming one may be the later of the two.
    let gone = of
        .iter()
        .map(|&index| &seen[index as usize])
        .any(|s| is_over(s.state) && op(s).end >= last_start);
    let refunded = refunds.iter().any(|&at| at >= last_start);
    let until = if gone || refunded { last_start } else { Nanos::NEVER };
    Some((op(first).end, until, (first.at, last.at)))
}

/// A state in which nothing is set aside any more.
pub(crate) const fn is_over(state: State) -> bool {
    match state {
        State::Held | State::PendingPayment | State::Confirmed => false,
        State::PaymentFailed
        | State::Expired
        | State::Cancelled
        | State::Refunding
        | State::Refunded => true,
    }
}

/// Fills in what is known of confirmations.
pub(super) fn confirm_all(
    history: &History,
    seen: &[Sighting],
    by_order: &Groups,
    refunds: &Groups,
    all: &mut [Order],
) {
    for (index, order) in all.iter_mut().enumerate() {
        let refunds: Vec<Nanos> =
            refunds.of(index).iter().map(|&mark| history.marks[mark as usize].at).collect();
        if let Some((from, until, by)) = confirm(history, seen, by_order.of(index), &refunds) {
            order.confirmed_from = Some(from);
            order.confirmed_until = until;
            order.confirmed_by = Some(by);
        }
    }
}

fn slot(all: &mut Vec<Order>, id: OrderId) -> &mut Order {
    if all.len() <= id.index() {
        all.resize_with(id.index() + 1, Order::default);
    }
    &mut all[id.index()]
}
