//! What shoppers were shown of holds and orders: every state that a read answered.

use super::At;
use onsale_history::{CallKind, History, HoldId, Line, OrderId, Side, SkuId, State};

/// One state that one read showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The read.
    pub at: At,
    /// Of which order.
    pub order: Option<OrderId>,
    /// Of which hold.
    pub hold: Option<HoldId>,
    /// What it was.
    pub state: State,
    /// What it is for, where the read said so.
    pub item: Option<(SkuId, u32)>,
}

/// Every sighting, in the order of the reads' starts.
pub(super) fn sightings(history: &History) -> Vec<Sighting> {
    let mut all = Vec::new();
    for (at, op) in (0..).zip(&history.operations) {
        if !op.outcome().is_ok() {
            continue;
        }
        match op.kind() {
            CallKind::ReadHold => all.extend(op.answer.state.map(|state| Sighting {
                at,
                order: op.answer.order,
                hold: op.hold(),
                state,
                item: None,
            })),
            CallKind::ReadOrder => all.extend(op.answer.state.map(|state| Sighting {
                at,
                order: op.order(),
                hold: op.hold(),
                state,
                item: None,
            })),
            CallKind::ListOrders => {
                all.extend(history.lines_of(op, Side::Answer).filter_map(|line| match *line {
                    Line::Order { order, hold, sku, quantity, state } => Some(Sighting {
                        at,
                        order: Some(order),
                        hold,
                        state,
                        item: Some((sku, quantity)),
                    }),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    all
}
