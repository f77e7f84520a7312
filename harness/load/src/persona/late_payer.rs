//! Checks out in the last moment, or after the hold has ended, or after giving it back.

use super::Persona;
use crate::deal::{Act, Age, Basket, Deal, think};
use onsale_history::Label;
use std::time::Duration;

/// The persona.
pub(super) static LATE_PAYER: Persona = Persona {
    name: "late-payer",
    help: "Checks out in the last moment, or after the hold has ended, or after giving it back.",
    farm: 1,
    program,
};

fn program(deal: &Deal, chance: &mut fastrand::Rng) -> Vec<Act> {
    let mut acts = vec![
        Act::Enter { poll_faster: 1 },
        Act::Hold(Basket { patience: 2, ..deal.basket(chance) }),
    ];
    let late =
        |label| [Act::Checkout { label, twice: false }, Act::Pay { twice: false }, Act::Watch];
    match chance.u32(..10) {
        0..3 => {
            let before = Duration::from_millis(chance.u64(200..600)).min(deal.ttl / 2);
            acts.push(Act::UntilAge(Age::BeforeEnd(before)));
            acts.extend(late(Label::Ordinary));
        }
        3..7 => {
            acts.push(Act::UntilAge(Age::AfterReclaim(Duration::from_millis(chance.u64(50..400)))));
            acts.extend(late(Label::AfterExpiry));
        }
        _ => {
            acts.extend([think(chance, 50, 400), Act::Release, think(chance, 1, 200)]);
            acts.extend(late(Label::AfterCancel));
        }
    }
    acts
}
