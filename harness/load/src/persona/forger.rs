//! Forges: puzzle solutions, token signatures, `alg: none`, quantities below 1, and requests without a token.

use super::Persona;
use crate::deal::{Act, Deal, Intrusion, think};
use onsale_history::Label;

/// The persona.
pub(super) static FORGER: Persona = Persona {
    name: "forger",
    help: "Forges: puzzle solutions, token signatures, `alg: none`, quantities below 1, and requests without a token.",
    farm: 1,
    program,
};

fn program(deal: &Deal, chance: &mut fastrand::Rng) -> Vec<Act> {
    let mut acts = vec![];
    for _ in 0..deal.attacks_each {
        acts.extend([Act::Door(Label::NoPuzzle), Act::Door(Label::ForgedPuzzle)]);
    }
    acts.push(Act::Enter { poll_faster: 1 });
    for _ in 0..deal.attacks_each {
        acts.extend([
            Act::Attack(Intrusion::BadSignature),
            Act::Attack(Intrusion::AlgorithmNone),
            // With a ticket of the queue, unlike the sniper's: only the missing token is wrong.
            Act::Attack(Intrusion::NoToken),
            think(chance, 5, 60),
            Act::Attack(Intrusion::Quantity(0)),
            Act::Attack(Intrusion::Quantity(-1)),
        ]);
    }
    acts
}
