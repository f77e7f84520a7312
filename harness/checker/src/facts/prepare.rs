//! [`Facts`]: one pass to count, one to fill, and what follows from them.

use super::envelope::{envelopes, ghosts};
use super::order::{confirm_all, orders};
use super::{Charge, Envelope, Ghost, Groups, Lease, Order, Sighting, charge, lease, sighting};
use onsale_history::{
    CallKind, History, HoldId, KeyId, Label, MarkKind, Names, Nanos, OpId, Operation, OrderId,
    PhaseName, SaleFacts, SkuId,
};

/// An operation, by its place in [`History::operations`]; places are in the order of the starts.
pub type At = u32;

/// A history with its joins.
#[derive(Debug)]
pub struct Facts<'a> {
    /// What is judged.
    pub history: &'a History,
    /// For the sentences.
    pub names: &'a Names,
    /// The sale's facts.
    pub sale: &'a SaleFacts,
    /// Every state that a read showed, in the order of the reads' starts.
    pub sightings: Vec<Sighting>,
    /// Indexed by charge.
    pub charges: Vec<Charge>,
    /// Indexed by order.
    pub orders: Vec<Order>,
    /// Every acknowledged hold, by hold.
    pub leases: Vec<Lease>,
    /// Indexed by SKU.
    pub envelopes: Vec<Envelope>,
    pub(crate) ghosts: Vec<Ghost>,
    pub(crate) times: SaleTimes,
    pub(crate) ledger: std::sync::OnceLock<crate::evidence::Ledger>,
    places: Vec<At>,
    by_hold: Groups,
    by_order: Groups,
    by_key: Groups,
    by_sku: Groups,
    hold_orders: Groups,
    hold_charges: Groups,
    hold_sightings: Groups,
    order_sightings: Groups,
    lease_of: Vec<u32>,
}

/// When the phases that matter to bounds began.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SaleTimes {
    pub(crate) quiesce: Option<Nanos>,
    pub(crate) drain_first: Option<Nanos>,
    pub(crate) final_reads: Option<Nanos>,
}

impl<'a> Facts<'a> {
    /// Joins a history.
    pub fn new(history: &'a History, names: &'a Names) -> Self {
        let sightings = sighting::sightings(history);
        let charges = charge::charges(history);
        let mut orders = orders(history, &sightings, &charges);
        let order_sightings = Groups::new(|| {
            (0..)
                .zip(&sightings)
                .filter_map(|(index, seen)| seen.order.map(|order| (order.index(), index)))
        });
        let order_refunds = Groups::new(|| {
            charges
                .iter()
                .filter_map(|charge| Some((charge.order?.index(), mark_index(charge.refunded?.0))))
        });
        confirm_all(history, &sightings, &order_sightings, &order_refunds, &mut orders);
        let mut facts = Self {
            history,
            names,
            sale: &history.header.sale,
            times: times(history),
            ledger: std::sync::OnceLock::new(),
            places: places(history),
            by_hold: by_ids(history, |op| {
                [op.answer.hold.map(HoldId::index), op.call.hold.map(HoldId::index)]
            }),
            by_order: by_ids(history, |op| {
                [op.answer.order.map(OrderId::index), op.call.order.map(OrderId::index)]
            }),
            by_key: by_ids(history, |op| {
                [op.call.key.filter(|_| is_try(op)).map(KeyId::index), None]
            }),
            by_sku: by_sku(history),
            hold_orders: Groups::new(|| {
                (0..)
                    .zip(&orders)
                    .filter_map(|(index, order)| order.hold.map(|hold| (hold.index(), index)))
            }),
            hold_charges: hold_charges(history, &charges, &orders),
            hold_sightings: hold_sightings(&sightings, &orders),
            order_sightings,
            sightings,
            charges,
            orders,
            leases: vec![],
            envelopes: vec![],
            ghosts: vec![],
            lease_of: vec![],
        };
        facts.fill();
        facts
    }

    fn fill(&mut self) {
        let times = self.times;
        let holds = (0..self.by_hold.len()).map(HoldId::from_index);
        let leases: Vec<Lease> =
            holds.filter_map(|hold| lease::lease(self, &times, hold)).collect();
        self.ghosts = ghosts(self, &times);
        self.envelopes = envelopes(self, &leases, &self.ghosts);
        self.lease_of = vec![u32::MAX; self.by_hold.len()];
        for (index, lease) in (0..).zip(&leases) {
            self.lease_of[lease.hold.index()] = index;
        }
        self.leases = leases;
    }

    /// The operation at a place.
    pub fn op(&self, at: At) -> &'a Operation {
        &self.history.operations[at as usize]
    }
    /// The place of an operation.
    pub fn at(&self, id: OpId) -> At {
        self.places[id.index()]
    }
    /// Operations with their places, in the order of their starts.
    pub fn ops(&self) -> impl Iterator<Item = (At, &'a Operation)> {
        (0..).zip(&self.history.operations)
    }
    /// (SKU, units) lines that a hold asks for.
    pub fn items(&self, at: At) -> impl Iterator<Item = (SkuId, u32)> {
        self.history.items_of(self.op(at))
    }
    /// The lease of a hold, if it was acknowledged.
    pub fn lease(&self, hold: HoldId) -> Option<&Lease> {
        let index = *self.lease_of.get(hold.index())?;
        self.leases.get(index as usize)
    }
    /// The index of the lease of a hold in [`Self::leases`].
    pub(crate) fn lease_index(&self, hold: HoldId) -> Option<u32> {
        self.lease_of.get(hold.index()).copied().filter(|&index| index != u32::MAX)
    }
    /// SKUs by their capacity, the smallest first: there a violation has the least evidence.
    pub(crate) fn skus_by_capacity(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.sale.skus.len()).collect();
        order.sort_by_key(|&index| self.sale.skus[index].capacity);
        order
    }
    /// Operations that name a hold, in their call or their answer, in the order of their starts.
    pub fn ops_of_hold(&self, hold: HoldId) -> &[At] {
        self.by_hold.of(hold.index())
    }
    /// Operations that name the order with this index (lists left out), in the order of their starts.
    pub fn ops_of_order(&self, order: usize) -> &[At] {
        self.by_order.of(order)
    }
    /// Tries to hold under a key with its own body, in the order of their starts.
    pub fn holds_of_key(&self, key: KeyId) -> &[At] {
        self.by_key.of(key.index())
    }
    /// Tries to hold units of a SKU, in the order of their starts.
    pub fn holds_of_sku(&self, sku: SkuId) -> &[At] {
        self.by_sku.of(sku.index())
    }
    /// Indices of the orders that came from a hold.
    pub fn orders_of_hold(&self, hold: HoldId) -> &[u32] {
        self.hold_orders.of(hold.index())
    }
    /// Indices of the payment attempts for a hold.
    pub fn charges_of_hold(&self, hold: HoldId) -> &[u32] {
        self.hold_charges.of(hold.index())
    }
    /// Indices of the sightings of a hold or of its orders.
    pub fn sightings_of_hold(&self, hold: HoldId) -> &[u32] {
        self.hold_sightings.of(hold.index())
    }
    /// Indices of the sightings of an order.
    pub fn sightings_of_order(&self, order: OrderId) -> &[u32] {
        self.order_sightings.of(order.index())
    }
    /// When a phase began.
    pub fn phase(&self, name: PhaseName) -> Option<Nanos> {
        self.history
            .marks
            .iter()
            .find(|mark| mark.kind == MarkKind::Phase(name))
            .map(|mark| mark.at)
    }
    /// Operations with an effect that nobody knows the outcome of, and that no later answer settled.
    pub fn unresolved_count(&self) -> u64 {
        let mut settled = vec![false; self.places.len()];
        for op in &self.history.operations {
            if let (Some(link), false) = (op.call.link, op.outcome().is_indeterminate())
                && let Some(slot) = settled.get_mut(link.index())
            {
                *slot = true;
            }
        }
        let open = |op: &&Operation| {
            op.outcome().is_indeterminate()
                && !settled[op.id.index()]
                && op.call.label != Label::Resolve
                && matches!(
                    op.kind(),
                    CallKind::Hold
                        | CallKind::Release
                        | CallKind::Checkout
                        | CallKind::Cancel
                        | CallKind::Pay
                )
        };
        self.history.operations.iter().filter(open).count() as u64
    }
}

/// A try to hold under its key's own body.
fn is_try(op: &Operation) -> bool {
    op.kind() == CallKind::Hold && op.call.label != Label::OtherBody
}

fn by_ids(history: &History, ids: impl Fn(&Operation) -> [Option<usize>; 2]) -> Groups {
    Groups::new(|| {
        (0..).zip(&history.operations).flat_map(|(at, op)| {
            let [first, second] = ids(op);
            let second = second.filter(|_| second != first);
            [first, second].into_iter().flatten().map(move |index| (index, at))
        })
    })
}

fn by_sku(history: &History) -> Groups {
    let holds = || (0..).zip(&history.operations).filter(|(_, op)| op.kind() == CallKind::Hold);
    Groups::new(|| {
        holds().flat_map(|(at, op)| history.items_of(op).map(move |(sku, _)| (sku.index(), at)))
    })
}

fn hold_charges(history: &History, charges: &[Charge], orders: &[Order]) -> Groups {
    // An attempt whose metadata name no hold belongs to the checkout that answered it.
    let mut holds: Vec<Option<HoldId>> = charges
        .iter()
        .map(|charge| {
            charge.hold.or_else(|| orders.get(charge.order?.index()).and_then(|order| order.hold))
        })
        .collect();
    for op in &history.operations {
        if let (CallKind::Checkout, Some(charge), Some(hold)) =
            (op.kind(), op.answer.charge, op.hold())
            && let Some(slot) = holds.get_mut(charge.index())
        {
            *slot = slot.or(Some(hold));
        }
    }
    Groups::new(|| {
        (0..).zip(&holds).filter_map(|(index, hold)| hold.map(|hold| (hold.index(), index)))
    })
}

fn hold_sightings(sightings: &[Sighting], orders: &[Order]) -> Groups {
    let hold = |seen: &Sighting| {
        seen.hold.or_else(|| orders.get(seen.order?.index()).and_then(|order| order.hold))
    };
    Groups::new(|| {
        (0..)
            .zip(sightings)
            .filter_map(|(index, seen)| hold(seen).map(|hold| (hold.index(), index)))
    })
}

fn places(history: &History) -> Vec<At> {
    let count = history.operations.iter().map(|op| op.id.index() + 1).max().unwrap_or(0);
    let mut places = vec![At::MAX; count];
    for (at, op) in (0..).zip(&history.operations) {
        places[op.id.index()] = at;
    }
    places
}

fn times(history: &History) -> SaleTimes {
    let mut times = SaleTimes::default();
    for mark in &history.marks {
        let slot = match mark.kind {
            MarkKind::Phase(PhaseName::Quiesce) => &mut times.quiesce,
            MarkKind::Phase(PhaseName::DrainFirst) => &mut times.drain_first,
            MarkKind::Phase(PhaseName::FinalReads) => &mut times.final_reads,
            _ => continue,
        };
        slot.get_or_insert(mark.at);
    }
    times
}

fn mark_index(mark: onsale_history::MarkId) -> u32 {
    mark.raw() - 1
}
