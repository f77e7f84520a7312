//! `double-clicker`: everything twice, at once.

use super::wish::{self, ARRIVE};
use super::{Entry, attacks};
use crate::act::{Act, CheckoutHow, HoldHow, PayHow};
use crate::me::Me;
use crate::world::World;

pub(super) const ENTRY: Entry = Entry {
    name: "double-clicker",
    help: "Sends its hold twice at the same time with the same key, and its checkout too: one hold, one order, one charge \
           must come of it.",
    plan,
    early: attacks,
};

fn plan(me: &mut Me, nth: u32, world: &World) {
    wish::hot(me, if nth % 4 == 3 { 2 } else { 1 }, world);
    me.standby = 2;
    me.then(&ARRIVE);
    me.then(&[Act::Hold(HoldHow::Twice), Act::Think(20), Act::Checkout(CheckoutHow::Twice)]);
    me.then(&[Act::Pay(PayHow::Plain), Act::Follow]);
}
