//! `late-payer`: at the last moment, and after it.

use super::Entry;
use super::wish::{self, ARRIVE};
use crate::act::{Act, CheckoutHow, HoldHow, PayHow};
use crate::me::Me;
use crate::world::World;

pub(super) const ENTRY: Entry = Entry {
    name: "late-payer",
    help: "Checks out a moment before its hold's time is over, which must be honoured; or long after, or after giving the \
           hold back, which must be refused; or pays an order that it has cancelled, which must be refused or refunded.",
    plan,
    early,
};

/// Ways to be late.
const WAYS: u32 = 4;

fn early(world: &World) -> u32 {
    // Every way three quarters of the attacks: each takes a unit away.
    world.attacks * WAYS * 3 / 4
}

fn plan(me: &mut Me, nth: u32, world: &World) {
    wish::hot(me, 1, world);
    me.standby = 3;
    me.then(&ARRIVE);
    me.then(&[Act::Hold(HoldHow::Plain)]);
    let pay = [Act::Pay(PayHow::Plain), Act::Follow];
    let margin = me.chance.u16(250..450);
    match nth % WAYS {
        0 => {
            me.then(&[Act::BeforeEnd(margin), Act::Checkout(CheckoutHow::Plain)]);
            me.then(&pay);
        }
        1 => me.then(&[Act::AfterEnd, Act::Checkout(CheckoutHow::AfterExpiry), Act::ReadHold]),
        2 => {
            me.then(&[Act::Think(100), Act::Release, Act::Checkout(CheckoutHow::AfterCancel)]);
        }
        _ => {
            me.then(&[
                Act::Checkout(CheckoutHow::Plain),
                Act::Cancel,
                Act::Pay(PayHow::AfterCancel),
            ]);
            me.then(&[Act::Follow]);
        }
    }
}
