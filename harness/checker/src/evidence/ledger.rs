//! The provider's ledger (E1) joined with the orders that shoppers were shown (E0) and the final lists (E2).

use crate::At;
use onsale_history::{
    BuyerId, CallKind, ChargeId, ChargeStage, DeliveryId, DeliveryKind, DeliveryLabel,
    DeliveryStage, History, HoldId, Label, Line, MarkId, MarkKind, Nanos, OrderId, PhaseName,
    RefundId, RefundStage, Side, State,
};
use std::collections::{BTreeMap, BTreeSet};

/// One payment attempt, as the harness's own provider saw it.
#[derive(Clone, Debug)]
pub(crate) struct Charge {
    pub(crate) id: ChargeId,
    pub(crate) order: Option<OrderId>,
    pub(crate) hold: Option<HoldId>,
    pub(crate) buyer: Option<BuyerId>,
    /// What was asked for when the attempt was made.
    pub(crate) amount: u32,
    /// Money taken, in all.
    pub(crate) captured: u64,
    /// When money was first taken.
    pub(crate) capture: Option<(Nanos, MarkId)>,
    /// Money returned: when, how much.
    pub(crate) refunds: Vec<(Nanos, MarkId, u32)>,
    /// A refund was begun for more than was left to return: when, and for how much.
    pub(crate) excess: Vec<(Nanos, MarkId, u32)>,
    /// The last refund is under way, or failed so far: the next may pass.
    pub(crate) refund_open: bool,
    /// Refunds under way, not ended.
    pub(crate) refund_pending: u64,
    /// Deliveries of "succeeded" that were sent and may have had an effect.
    pub(crate) deliveries: Vec<Sent>,
}

impl Charge {
    /// Money returned, in all.
    pub(crate) fn returned(&self) -> u64 {
        self.refunds.iter().map(|refund| u64::from(refund.2)).sum()
    }
    /// Money taken and not returned.
    pub(crate) fn kept(&self) -> u64 {
        self.captured.saturating_sub(self.returned())
    }
    /// The marks that show the money moving.
    pub(crate) fn marks(&self) -> Vec<MarkId> {
        let refunds = self.refunds.iter().map(|refund| refund.1);
        self.capture.map(|capture| capture.1).into_iter().chain(refunds).collect()
    }
}

/// One attempt to deliver "succeeded".
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Nanos,
    pub(crate) mark: MarkId,
    pub(crate) delivery: DeliveryId,
    pub(crate) label: DeliveryLabel,
}

/// An order was shown in a state, to somebody.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    pub(crate) at: At,
    pub(crate) buyer: BuyerId,
    pub(crate) start: Nanos,
    pub(crate) end: Nanos,
    pub(crate) state: State,
}

/// One order, from all that mentions it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// Who was told of it by a checkout.
    pub(crate) makers: BTreeSet<BuyerId>,
    /// Who was shown it in a read or list.
    pub(crate) viewers: BTreeSet<BuyerId>,
    pub(crate) hold: Option<HoldId>,
    pub(crate) charges: BTreeSet<ChargeId>,
    /// Checkouts that answered it, earliest first.
    pub(crate) checkouts: Vec<At>,
    /// Every state it was shown in, earliest first.
    pub(crate) shown: Vec<Shown>,
    /// Its state in its buyer's last final list, and its units.
    pub(crate) last: Option<(Shown, u64)>,
}

/// Everything about money.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) charges: BTreeMap<ChargeId, Charge>,
    pub(crate) orders: BTreeMap<OrderId, Order>,
    /// The last final list of each buyer that was answered.
    pub(crate) lists: BTreeMap<BuyerId, At>,
    /// A final list that nobody answered, for those who have none.
    pub(crate) unread: BTreeMap<BuyerId, At>,
    /// The record is complete to its end.
    pub(crate) complete: bool,
    /// A payment that is captured later than this may still be on its way to its end.
    pub(crate) settled_before: Nanos,
}

impl Ledger {
    /// Joins everything.
    pub(crate) fn of(history: &History) -> Self {
        let mut ledger = Self { complete: history.sealed, ..Self::default() };
        let sale = &history.header.sale;
        let phase = |name| {
            history.marks.iter().find(|mark| mark.kind == MarkKind::Phase(name)).map(|mark| mark.at)
        };
        let end = phase(PhaseName::FinalReads).or_else(|| phase(PhaseName::End));
        let end =
            end.or_else(|| history.operations.last().map(|op| op.start)).unwrap_or(Nanos::ZERO);
        ledger.settled_before = end.minus(sale.ttl.plus(sale.grace).plus(sale.clock_error));
        ledger.read_marks(history);
        ledger.read_operations(history);
        ledger.join();
        ledger
    }

    fn read_marks(&mut self, history: &History) {
        let mut begun = BTreeMap::<RefundId, (ChargeId, u32)>::new();
        for (index, mark) in history.marks.iter().enumerate() {
            let id = MarkId::from_index(index);
            match mark.kind {
                MarkKind::Charge { charge, order, hold, buyer, amount, stage, .. } => {
                    let row = self.charge(charge);
                    row.order = row.order.or(order);
                    row.hold = row.hold.or(hold);
                    row.buyer = row.buyer.or(buyer);
                    match stage {
                        ChargeStage::Created => row.amount = amount,
                        ChargeStage::Captured => {
                            row.captured += u64::from(amount);
                            row.capture = row.capture.or(Some((mark.at, id)));
                        }
                        ChargeStage::Declined | ChargeStage::Cancelled | ChargeStage::Failed => {}
                    }
                }
                MarkKind::Refund { refund, charge, amount, stage } => {
                    let row = self.charge(charge);
                    match stage {
                        RefundStage::Created => {
                            if row.returned() + u64::from(amount) > row.captured {
                                row.excess.push((mark.at, id, amount));
                            } else {
                                row.refund_open = true;
                            }
                            begun.insert(refund, (charge, amount));
                        }
                        RefundStage::Succeeded => {
                            begun.remove(&refund);
                            row.refund_open = false;
                            row.refunds.push((mark.at, id, amount));
                        }
                        RefundStage::Failed => {
                            begun.remove(&refund);
                        }
                    }
                }
                MarkKind::Delivery {
                    delivery,
                    charge: Some(charge),
                    kind: DeliveryKind::Succeeded,
                    label,
                    stage: DeliveryStage::Sent,
                    ..
                } => {
                    self.charge(charge).deliveries.push(Sent {
                        at: mark.at,
                        mark: id,
                        delivery,
                        label,
                    });
                }
                _ => {}
            }
        }
        for (charge, amount) in begun.into_values() {
            self.charge(charge).refund_pending += u64::from(amount);
        }
    }
    fn charge(&mut self, id: ChargeId) -> &mut Charge {
        self.charges.entry(id).or_insert_with(|| Charge {
            id,
            order: None,
            hold: None,
            buyer: None,
            amount: 0,
            captured: 0,
            capture: None,
            refunds: vec![],
            excess: vec![],
            refund_open: false,
            refund_pending: 0,
            deliveries: vec![],
        })
    }

    fn read_operations(&mut self, history: &History) {
        for (at, op) in (0..).zip(&history.operations) {
            let buyer = op.call.buyer;
            let last = op.kind() == CallKind::ListOrders && op.call.label == Label::Final;
            if !op.outcome().is_ok() {
                if last && op.outcome().is_indeterminate() {
                    self.unread.insert(buyer, at);
                }
                continue;
            }
            match op.kind() {
                CallKind::Checkout => {
                    if let Some(id) = op.answer.order {
                        let order = self.orders.entry(id).or_default();
                        order.makers.insert(buyer);
                        order.hold = order.hold.or(op.call.hold);
                        order.charges.extend(op.answer.charge);
                        order.checkouts.push(at);
                    }
                }
                CallKind::ReadOrder => {
                    if let (Some(id), Some(state)) = (op.order(), op.answer.state) {
                        let order = self.orders.entry(id).or_default();
                        order.viewers.insert(buyer);
                        order.hold = order.hold.or(op.answer.hold);
                        order.charges.extend(op.answer.charge);
                        order.shown.push(Shown { at, buyer, start: op.start, end: op.end, state });
                    }
                }
                CallKind::ListOrders => {
                    if last {
                        self.lists.insert(buyer, at);
                    }
                    for line in history.lines_of(op, Side::Answer) {
                        if let Line::Order { order: id, hold, state, .. } = *line {
                            let order = self.orders.entry(id).or_default();
                            order.viewers.insert(buyer);
                            order.hold = order.hold.or(hold);
                            let shown = Shown { at, buyer, start: op.start, end: op.end, state };
                            if order.shown.last().is_none_or(|before| before.at != at) {
                                order.shown.push(shown);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        self.unread.retain(|buyer, _| !self.lists.contains_key(buyer));
        for (&buyer, &at) in &self.lists {
            let op = &history.operations[at as usize];
            for line in history.lines_of(op, Side::Answer) {
                if let Line::Order { order, quantity, state, .. } = *line {
                    let shown = Shown { at, buyer, start: op.start, end: op.end, state };
                    let row = self.orders.entry(order).or_default();
                    let before = row
                        .last
                        .filter(|(before, _)| before.at == at)
                        .map_or(0, |(_, units)| units);
                    row.last = Some((shown, before + u64::from(quantity)));
                }
            }
        }
    }

    /// A charge knows its order, and an order its charges, whichever side said so.
    fn join(&mut self) {
        let mut by_charge = BTreeMap::new();
        let mut by_hold = BTreeMap::<HoldId, Vec<OrderId>>::new();
        for (&id, order) in &self.orders {
            by_charge.extend(order.charges.iter().map(|&charge| (charge, id)));
            if let Some(hold) = order.hold {
                by_hold.entry(hold).or_default().push(id);
            }
        }
        for charge in self.charges.values_mut() {
            let only =
                charge.hold.and_then(|hold| by_hold.get(&hold)).filter(|orders| orders.len() == 1);
            let told = by_charge.get(&charge.id).copied();
            charge.order = charge.order.or(told).or_else(|| only.map(|orders| orders[0]));
            if let Some(id) = charge.order {
                let order = self.orders.entry(id).or_default();
                order.charges.insert(charge.id);
                order.hold = order.hold.or(charge.hold);
                charge.hold = charge.hold.or(order.hold);
                let owner = order.makers.iter().chain(&order.viewers).next().copied();
                charge.buyer = charge.buyer.or(owner);
            }
        }
    }

    /// The charges of an order that took money.
    pub(crate) fn captured_for(&self, order: &Order) -> impl Iterator<Item = &Charge> {
        order
            .charges
            .iter()
            .filter_map(|charge| self.charges.get(charge))
            .filter(|charge| charge.captured > 0)
    }
    /// The order was confirmed when its buyer last looked.
    pub(crate) fn confirmed_at_end(&self, order: OrderId) -> Option<Shown> {
        self.orders
            .get(&order)?
            .last
            .map(|(shown, _)| shown)
            .filter(|shown| shown.state == State::Confirmed)
    }
    /// The money was taken so late that the shop may still be about to act.
    pub(crate) fn is_recent(&self, charge: &Charge) -> bool {
        charge.capture.is_some_and(|(at, _)| at > self.settled_before)
    }
    /// Money was taken for something that no order or hold can be found for.
    pub(crate) fn has_stray_capture(&self) -> bool {
        self.charges.values().any(|charge| charge.capture.is_some() && charge.order.is_none())
    }
}
