//! Joins that several rules read: the provider's ledger with what shoppers were shown, the waiting room, attacks.

mod attacks;
mod ledger;
mod room;

pub(crate) use attacks::{Attack, attacks, judge_attacks};
pub(crate) use ledger::{Charge, Ledger, Order, Sent, Shown};
pub(crate) use room::{Spell, spells};

use crate::Facts;
use onsale_history::ChargeId;

impl Facts<'_> {
    /// A payment's name.
    pub(crate) fn charge_name(&self, charge: ChargeId) -> String {
        self.names.name(charge).map_or_else(|| charge.to_string(), |name| name.to_string())
    }
    /// The provider's ledger, joined on first use.
    pub(crate) fn ledger(&self) -> &Ledger {
        self.ledger.get_or_init(|| Ledger::of(self.history))
    }
}
