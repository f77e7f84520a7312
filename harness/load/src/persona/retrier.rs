//! Repeats requests with their key, after answers too: the same body must give the same hold, another body must be refused.

use super::Persona;
use crate::deal::{Act, Deal, think};
use onsale_history::Label;

/// The persona.
pub(super) static RETRIER: Persona = Persona {
    name: "retrier",
    help: "Repeats requests with their key, after answers too: the same body must give the same hold, another body must be refused.",
    farm: 1,
    program,
};

fn program(deal: &Deal, chance: &mut fastrand::Rng) -> Vec<Act> {
    let mut acts =
        vec![Act::Landing, Act::Enter { poll_faster: 1 }, Act::Hold(deal.basket(chance))];
    acts.extend([
        think(chance, 10, 100),
        Act::HoldAgain(Label::Replay),
        Act::HoldAgain(Label::OtherBody),
    ]);
    acts.extend([
        Act::Checkout { label: Label::Ordinary, twice: false },
        Act::Checkout { label: Label::Replay, twice: false },
    ]);
    acts.extend([
        think(chance, 10, 100),
        Act::Pay { twice: false },
        Act::Watch,
        Act::HoldAgain(Label::Replay),
    ]);
    acts
}
