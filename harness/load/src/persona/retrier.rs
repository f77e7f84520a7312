//! `retrier`: the same key again.

use super::wish::{self, ARRIVE};
use super::{Entry, attacks};
use crate::act::{Act, CheckoutHow, HoldHow, PayHow};
use crate::me::Me;
use crate::world::World;

pub(super) const ENTRY: Entry = Entry {
    name: "retrier",
    help: "Repeats its hold and its checkout with the same key after they succeeded, which must answer the same; and its \
           key with another cart, which must be refused.",
    plan,
    early: attacks,
};

fn plan(me: &mut Me, _nth: u32, world: &World) {
    wish::hot(me, 1, world);
    me.standby = 3;
    let pause = me.chance.u16(1..200);
    me.then(&ARRIVE);
    me.then(&[Act::Hold(HoldHow::Plain), Act::Think(pause), Act::Hold(HoldHow::Again)]);
    me.then(&[Act::Hold(HoldHow::OtherBody), Act::Checkout(CheckoutHow::Plain), Act::Think(pause)]);
    me.then(&[Act::Checkout(CheckoutHow::Again), Act::Pay(PayHow::Plain), Act::Follow]);
}
