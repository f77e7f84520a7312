//! `refresher`: hammers.

use super::Entry;
use super::wish::{self, ARRIVE};
use crate::act::{Act, CheckoutHow, HoldHow, PayHow};
use crate::me::Me;
use crate::world::World;

/// Tries of a chaser.
const CHASES: u8 = 48;
/// Chasers of each canary.
const CHASERS: u32 = 2;

pub(super) const ENTRY: Entry = Entry {
    name: "refresher",
    help: "Reloads the page and the stock again and again, and polls until the end. Two of them watch each canary and \
           ask for it around every expiry: just before, at once after, until it is to be had.",
    plan,
    early,
};

fn early(world: &World) -> u32 {
    CHASERS * u32::try_from(world.canaries.len()).unwrap_or(0)
}

fn plan(me: &mut Me, nth: u32, world: &World) {
    let buy = [Act::Checkout(CheckoutHow::Plain), Act::Pay(PayHow::Plain), Act::Follow];
    if nth < early(world) {
        wish::one_of(me, &world.canaries, nth);
        me.then(&ARRIVE);
        me.then(&[Act::Chase(CHASES)]);
        // The first one lets it go again, so that the second one sees an expiry too.
        if nth >= early(world) / CHASERS {
            me.then(&buy);
        }
        return;
    }
    wish::hot(me, 1, world);
    me.standby = 4;
    me.then(&[Act::Landing, Act::Stock, Act::Landing, Act::Stock]);
    me.then(&ARRIVE);
    me.then(&[Act::Stock, Act::Landing, Act::Hold(HoldHow::Plain), Act::ReadHold]);
    me.then(&buy);
}
