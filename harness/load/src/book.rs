//! What is still open when a shopper leaves: units held, orders made, operations that nobody knows the end of.

use onsale_client::{Buyer, Call};
use onsale_history::{HoldId, OpId, OrderId};

/// A buyer who has something to be asked about later.
pub(crate) struct Kept {
    pub(crate) shopper: u32,
    pub(crate) buyer: Buyer,
    pub(crate) open: Open,
}

/// What is open.
#[derive(Default)]
pub(crate) struct Open {
    pub(crate) holds: Vec<HoldId>,
    pub(crate) orders: Vec<OrderId>,
    pub(crate) unknown: Vec<Unknown>,
}

/// An operation whose outcome nobody knows.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    /// As it was sent.
    pub(crate) call: Call,
    /// Its first try, which the others resolve.
    pub(crate) first: OpId,
}

impl Open {
    pub(crate) fn is_empty(&self) -> bool {
        self.holds.is_empty() && self.orders.is_empty() && self.unknown.is_empty()
    }
    pub(crate) fn held(&mut self, hold: Option<HoldId>) {
        self.holds.extend(hold.filter(|hold| !self.holds.contains(hold)));
    }
    pub(crate) fn ordered(&mut self, order: Option<OrderId>) {
        self.orders.extend(order.filter(|order| !self.orders.contains(order)));
    }
}
