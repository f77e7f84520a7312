//! Clicks everything twice: the same hold, the same checkout and the same payment leave on two connections at once.

use super::Persona;
use crate::deal::{Act, Basket, Deal, think};
use onsale_history::Label;

/// The persona.
pub(super) static DOUBLE_CLICKER: Persona = Persona {
    name: "double-clicker",
    help: "Clicks everything twice: the same hold, the same checkout and the same payment leave on two connections at once.",
    farm: 1,
    program,
};

fn program(deal: &Deal, chance: &mut fastrand::Rng) -> Vec<Act> {
    let basket = Basket { twice: true, ..deal.basket(chance) };
    vec![
        Act::Landing,
        Act::Enter { poll_faster: 1 },
        think(chance, 20, 200),
        Act::Hold(basket),
        think(chance, 20, 300),
        Act::Checkout { label: Label::Ordinary, twice: true },
        think(chance, 20, 200),
        Act::Pay { twice: true },
        Act::Watch,
    ]
}
