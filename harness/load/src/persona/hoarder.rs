//! Takes units and does not pay: some are given back, most are left to expire. Many sit on canary SKUs.

use super::Persona;
use crate::deal::{Act, Age, Basket, Deal, pick, think};
use std::time::Duration;

/// The persona.
pub(super) static HOARDER: Persona = Persona {
    name: "hoarder",
    help: "Takes units and does not pay: some are given back, most are left to expire. Many sit on canary SKUs.",
    farm: 1,
    program,
};

fn program(deal: &Deal, chance: &mut fastrand::Rng) -> Vec<Act> {
    let mut acts = vec![Act::Enter { poll_faster: 1 }];
    if chance.u32(..100) < 60 && !deal.canaries.is_empty() {
        let sku = pick(&deal.canaries, chance);
        acts.push(Act::Hold(Basket { patience: 4, ..Basket::of(vec![(sku, 1)]) }));
    } else {
        let sku = pick(&deal.hot, chance);
        acts.push(Act::Hold(Basket::of(vec![(sku, i64::from(chance.u32(1..=deal.limit)))])));
    }
    match chance.u32(..10) {
        0..3 => acts.extend([think(chance, 200, 1500), Act::Release]),
        3..6 => acts
            .extend([Act::UntilAge(Age::AfterReclaim(Duration::from_millis(50))), Act::ReadHold]),
        _ => {}
    }
    acts
}
