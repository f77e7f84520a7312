//! `hoarder`: holds and abandons.

use super::Entry;
use super::wish::{self, ARRIVE};
use crate::act::{Act, HoldHow};
use crate::me::Me;
use crate::world::World;

pub(super) const ENTRY: Entry = Entry {
    name: "hoarder",
    help: "Takes units away from everybody else and lets them rot until they expire; one in four gives them back in the \
           end. One sits on each canary, so that others can wait for its expiry.",
    plan,
    early,
};

fn early(world: &World) -> u32 {
    u32::try_from(world.canaries.len()).unwrap_or(0)
}

fn plan(me: &mut Me, nth: u32, world: &World) {
    me.then(&ARRIVE);
    if nth < early(world) {
        wish::one_of(me, &world.canaries, nth);
        me.then(&[Act::Hold(HoldHow::Plain), Act::Think(200), Act::ReadHold]);
        return;
    }
    let quantity = *me.chance.choice(&[1, 2, 3, 4]).unwrap_or(&1);
    wish::hot(me, quantity, world);
    me.standby = 1;
    let long = me.chance.u16(300..1500);
    me.then(&[Act::Hold(HoldHow::Plain), Act::Think(long), Act::ReadHold]);
    if nth % 4 == 0 {
        me.then(&[Act::Think(long), Act::Release]);
    }
}
