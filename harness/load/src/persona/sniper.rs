//! A script that asks for units before the sale opens and around the queue, and then buys like everybody else.

use super::{Persona, buy};
use crate::deal::{Act, Deal, Intrusion};
use std::time::Duration;

/// The persona.
pub(super) static SNIPER: Persona = Persona {
    name: "sniper",
    help: "A script that asks for units before the sale opens and around the queue, and then buys like everybody else.",
    farm: 1,
    program,
};

fn program(deal: &Deal, chance: &mut fastrand::Rng) -> Vec<Act> {
    let mut acts = vec![];
    for attack in 0..deal.attacks_each {
        let before = Duration::from_millis(150 + 40 * u64::from(attack) + chance.u64(..100));
        acts.extend([Act::UntilOpening { before }, Act::Attack(Intrusion::Early)]);
    }
    acts.push(Act::UntilOpening { before: Duration::ZERO });
    acts.extend((0..deal.attacks_each).map(|_| Act::Attack(Intrusion::NoToken)));
    acts.extend([Act::Enter { poll_faster: 2 }, Act::Hold(deal.basket(chance))]);
    acts.extend(buy(chance));
    acts
}
