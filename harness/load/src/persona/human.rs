//! Looks at the page, waits in the queue, thinks, buys; some give the hold back, some walk away, some cancel.

use super::{Persona, buy};
use crate::deal::{Act, Basket, Deal, think};
use onsale_history::Label;

/// The persona.
pub(super) static HUMAN: Persona = Persona {
    name: "human",
    help: "Looks at the page, waits in the queue, thinks, buys; some give the hold back, some walk away, some cancel.",
    farm: 1,
    program,
};

fn program(deal: &Deal, chance: &mut fastrand::Rng) -> Vec<Act> {
    let mut acts = vec![Act::Landing, think(chance, 50, 500), Act::Enter { poll_faster: 1 }];
    if chance.u32(..5) == 0 {
        acts.push(Act::Stock);
    }
    acts.push(think(chance, 30, 300));
    acts.push(Act::Hold(Basket { patience: chance.u32(..2), ..deal.basket(chance) }));
    match chance.u32(..100) {
        0..8 => acts.extend([think(chance, 200, 900), Act::Release]),
        8..15 => acts.extend([think(chance, 100, 500), Act::ReadHold]),
        15..19 => acts.extend([
            think(chance, 50, 300),
            Act::Checkout { label: Label::Ordinary, twice: false },
            think(chance, 50, 300),
            Act::Cancel,
            Act::Watch,
        ]),
        19..25 => acts.extend([
            think(chance, 50, 300),
            Act::Checkout { label: Label::Ordinary, twice: false },
            Act::Pay { twice: false },
            Act::Cancel,
            Act::Watch,
        ]),
        _ => acts.extend(buy(chance)),
    }
    acts
}
