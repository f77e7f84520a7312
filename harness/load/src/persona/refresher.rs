//! Reloads the page and the stock all the time, polls the queue four times as often as asked, and buys. Half of them sit on one canary SKU and ask for it until it comes back.

use super::{Persona, buy};
use crate::deal::{Act, Basket, Deal, pick, think};
use std::time::Duration;

/// The persona.
pub(super) static REFRESHER: Persona = Persona {
    name: "refresher",
    help: "Reloads the page and the stock all the time, polls the queue four times as often as asked, and buys. Half of them sit on one canary SKU and ask for it until it comes back.",
    farm: 1,
    program,
};

fn program(deal: &Deal, chance: &mut fastrand::Rng) -> Vec<Act> {
    let mut acts = vec![Act::Landing, Act::Stock, think(chance, 20, 120), Act::Landing, Act::Stock];
    acts.push(Act::Enter { poll_faster: 4 });
    acts.extend([Act::Stock, think(chance, 10, 60), Act::Stock]);
    if chance.bool() && !deal.canaries.is_empty() {
        let sku = pick(&deal.canaries, chance);
        acts.push(Act::Chase {
            sku,
            every: Duration::from_millis(chance.u64(120..260)),
            times: 60,
        });
        // Half of what is caught is let go again, so that the canary goes on coming back.
        if chance.bool() {
            return acts;
        }
    } else {
        acts.push(Act::Hold(Basket { patience: 3, ..deal.basket(chance) }));
    }
    acts.extend(buy(chance));
    acts
}
