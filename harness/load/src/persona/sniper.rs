//! `sniper`: fires at T0.

use super::wish::{self, ARRIVE};
use super::{Entry, attacks};
use crate::act::{Act, CheckoutHow, HoldHow, JoinHow, PayHow};
use crate::me::Me;
use crate::world::World;

pub(super) const ENTRY: Entry = Entry {
    name: "sniper",
    help: "Asks for units before the doors open, then around the queue in the very moment they do; both must be refused. \
           Then it queues like everybody else and buys without a thought.",
    plan,
    early: attacks,
};

fn plan(me: &mut Me, _nth: u32, world: &World) {
    wish::hot(me, 2, world);
    me.standby = 2;
    let at = i16::try_from(me.chance.u16(1..15)).unwrap_or(1);
    // Joining first gives it a ticket: what is refused then is the missing token.
    me.then(&[
        Act::Landing,
        Act::Join(JoinHow::Solve),
        Act::Hold(HoldHow::Early),
        Act::Opening(at),
    ]);
    me.then(&[Act::Hold(HoldHow::NoToken)]);
    me.then(&ARRIVE[2..]);
    me.then(&[
        Act::Hold(HoldHow::Plain),
        Act::Checkout(CheckoutHow::Plain),
        Act::Pay(PayHow::Plain),
    ]);
    me.then(&[Act::Follow]);
}
