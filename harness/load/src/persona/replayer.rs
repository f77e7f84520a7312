//! Uses things again that are good once: other shoppers' tokens, its own token after its time, a puzzle's solution.

use super::Persona;
use crate::deal::{Act, Deal, Intrusion};
use onsale_history::Label;
use std::time::Duration;

/// The persona.
pub(super) static REPLAYER: Persona = Persona {
    name: "replayer",
    help: "Uses things again that are good once: other shoppers' tokens, its own token after its time, a puzzle's solution.",
    farm: 1,
    program,
};

fn program(deal: &Deal, chance: &mut fastrand::Rng) -> Vec<Act> {
    let mut acts = vec![Act::Enter { poll_faster: 1 }];
    acts.extend((0..deal.attacks_each).map(|_| Act::Door(Label::ReusedPuzzle)));
    acts.extend((0..deal.attacks_each).map(|_| Act::Attack(Intrusion::Stolen)));
    acts.push(Act::Think(deal.token_ttl + Duration::from_millis(chance.u64(300..900))));
    acts.extend((0..deal.attacks_each).map(|_| Act::Attack(Intrusion::Expired)));
    acts
}
