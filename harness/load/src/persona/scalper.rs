//! `scalper`: a farm of accounts.

use super::wish::{self, ARRIVE};
use super::{Entry, attacks};
use crate::act::{Act, CheckoutHow, HoldHow, PayHow};
use crate::me::Me;
use crate::world::World;

/// Accounts that share a card and a device.
const FARM: u32 = 4;
/// Numbers of the farms' cards begin here, beyond the shoppers'.
const FARM_CARDS: u32 = 1_000_000_000;

pub(super) const ENTRY: Entry = Entry {
    name: "scalper",
    help: "Many accounts, few cards, one device: takes what the limit allows and then asks for more, on the same account \
           and on the same card. What is over the limit must be refused.",
    plan,
    early: attacks,
};

fn plan(me: &mut Me, nth: u32, world: &World) {
    let half = i16::try_from(world.account_limit / 2).unwrap_or(2);
    // The first ones leave stock for the other attacks.
    let quantity = if nth < world.attacks { half } else { half * 2 };
    wish::hot(me, quantity, world);
    me.standby = 2;
    me.card = FARM_CARDS + nth / FARM;
    me.device = Some(nth / (FARM * 4));
    let buy = [Act::Checkout(CheckoutHow::Plain), Act::Pay(PayHow::Plain), Act::Follow];
    me.then(&ARRIVE);
    if nth % 2 == 1 {
        me.then(&[Act::Hold(HoldHow::OverLimit)]);
    }
    me.then(&[Act::Hold(HoldHow::Plain), Act::Hold(HoldHow::OverLimit)]);
    me.then(&buy);
    me.then(&[Act::Hold(HoldHow::OverLimit)]);
}
