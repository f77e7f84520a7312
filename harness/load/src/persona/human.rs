//! `human`: looks, thinks, buys; sometimes changes its mind.

use super::wish::{self, ARRIVE};
use super::{Entry, never};
use crate::act::{Act, CheckoutHow, HoldHow, PayHow};
use crate::me::Me;
use crate::world::World;

/// Barriers of a run.
const BARRIERS: u32 = 4;

pub(super) const ENTRY: Entry = Entry {
    name: "human",
    help: "Queues, thinks, takes one to four units (some carts have two kinds, some want a seat), pays and waits for \
           the ticket. Some give up in the queue, some let the hold go, some give it back, some cancel the order.",
    plan,
    early: never,
};

fn plan(me: &mut Me, nth: u32, world: &World) {
    let quantity = *me.chance.choice(&[1, 1, 1, 2, 2, 2, 3, 4]).unwrap_or(&1);
    wish::hot(me, quantity, world);
    if me.percent(20) {
        wish::second_line(me, world);
    } else if me.percent(5) {
        let seat = me.chance.u32(..);
        wish::one_of(me, &world.seats, seat);
    }
    if me.percent(5) {
        me.patience = me.chance.u16(1..6);
    }
    me.standby = if me.percent(15) { me.chance.u8(1..6) } else { 0 };
    let how = if nth < world.barrier * BARRIERS { HoldHow::Barrier } else { HoldHow::Plain };
    me.then(&ARRIVE);
    let (before, after) = (me.chance.u16(5..120), me.chance.u16(40..700));
    me.then(&[Act::Think(before), Act::Hold(how), Act::Think(after)]);
    after_hold(me);
}

fn after_hold(me: &mut Me) {
    let buy =
        [Act::Checkout(CheckoutHow::Plain), Act::Think(30), Act::Pay(PayHow::Plain), Act::Follow];
    match me.chance.u8(0..100) {
        0..4 => me.then(&[Act::ReadHold, Act::Leave]),
        4..9 => me.then(&[Act::ReadHold, Act::Release]),
        9..13 => me.then(&[Act::Checkout(CheckoutHow::Plain), Act::Cancel, Act::Follow]),
        13..18 => me.then(&[Act::BeforeEnd(300), buy[0], buy[2], buy[3]]),
        18..35 => {
            me.then(&[Act::ReadHold]);
            me.then(&buy);
        }
        _ => me.then(&buy),
    }
}
