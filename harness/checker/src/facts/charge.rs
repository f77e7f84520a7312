//! Payment attempts, joined from the provider's marks (evidence E1).

use onsale_history::{
    BuyerId, ChargeId, ChargeStage, History, HoldId, InstrumentId, MarkId, MarkKind, Nanos,
    OrderId, RefundStage,
};

/// One payment attempt at the provider.
#[derive(Clone, Debug, Default)]
pub struct Charge {
    /// Which hold the target wrote into it.
    pub hold: Option<HoldId>,
    /// Which order the target wrote into it.
    pub order: Option<OrderId>,
    /// Which buyer the target wrote into it.
    pub buyer: Option<BuyerId>,
    /// The card.
    pub instrument: Option<InstrumentId>,
    /// Captures: mark, instant, amount.
    pub captures: Vec<(MarkId, Nanos, u32)>,
    /// First instant at which no money was going to move any more: cancelled or failed for good.
    pub dead: Option<(MarkId, Nanos)>,
    /// First refund that was made of it.
    pub refunded: Option<(MarkId, Nanos)>,
}

/// Indexed by [`ChargeId`].
pub(super) fn charges(history: &History) -> Vec<Charge> {
    let mut all: Vec<Charge> = Vec::new();
    for (index, mark) in history.marks.iter().enumerate() {
        let id = MarkId::from_index(index);
        match mark.kind {
            MarkKind::Charge { charge, order, hold, buyer, instrument, amount, stage } => {
                let entry = slot(&mut all, charge);
                entry.order = entry.order.or(order);
                entry.hold = entry.hold.or(hold);
                entry.buyer = entry.buyer.or(buyer);
                entry.instrument = entry.instrument.or(instrument);
                match stage {
                    ChargeStage::Captured => entry.captures.push((id, mark.at, amount)),
                    ChargeStage::Cancelled | ChargeStage::Failed => {
                        entry.dead.get_or_insert((id, mark.at));
                    }
                    ChargeStage::Created | ChargeStage::Declined => {}
                }
            }
            MarkKind::Refund {
                charge,
                stage: RefundStage::Created | RefundStage::Succeeded,
                ..
            } => {
                slot(&mut all, charge).refunded.get_or_insert((id, mark.at));
            }
            _ => {}
        }
    }
    all
}

fn slot(all: &mut Vec<Charge>, id: ChargeId) -> &mut Charge {
    if all.len() <= id.index() {
        all.resize_with(id.index() + 1, Charge::default);
    }
    &mut all[id.index()]
}
