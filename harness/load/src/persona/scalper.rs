//! A farm: 25 accounts on shared devices and few cards. Takes as much as the limits allow, and asks for more.

use super::{Persona, buy};
use crate::deal::{Act, Basket, Deal, Intrusion, pick};

/// The persona.
pub(super) static SCALPER: Persona = Persona {
    name: "scalper",
    help: "A farm: 25 accounts on shared devices and few cards. Takes as much as the limits allow, and asks for more.",
    farm: 25,
    program,
};

fn program(deal: &Deal, chance: &mut fastrand::Rng) -> Vec<Act> {
    let sku = pick(&deal.hot, chance);
    let most = i64::from(deal.limit);
    let first = chance.i64(1..=most);
    let mut acts = vec![Act::Enter { poll_faster: 2 }];
    acts.push(Act::Hold(Basket { patience: 1, ..Basket::of(vec![(sku, first)]) }));
    acts.extend((0..deal.attacks_each).map(|_| Act::Attack(Intrusion::OverLimit)));
    if chance.u32(..4) > 0 {
        acts.extend(buy(chance));
    }
    acts
}
