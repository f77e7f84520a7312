//! Ways of buying. A persona draws a plan; carrying it out is the same for all. No I/O, no clock, no chance but the
//! shopper's own.

mod double_clicker;
mod forger;
mod hoarder;
mod human;
mod late_payer;
mod refresher;
mod replayer;
mod retrier;
mod scalper;
mod sniper;
mod wish;

use crate::me::Me;
use crate::world::World;

/// A persona in the registry.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does, for people.
    pub help: &'static str,
    /// Draws the plan of the nth shopper of this persona.
    pub(crate) plan: fn(&mut Me, u32, &World),
    /// How many of them must come early, while there is stock.
    pub(crate) early: fn(&World) -> u32,
}

/// Every persona.
pub const PERSONAS: &[Entry] = &[
    human::ENTRY,
    refresher::ENTRY,
    sniper::ENTRY,
    scalper::ENTRY,
    hoarder::ENTRY,
    double_clicker::ENTRY,
    retrier::ENTRY,
    late_payer::ENTRY,
    forger::ENTRY,
    replayer::ENTRY,
];

/// None of them need come early.
fn never(_: &World) -> u32 {
    0
}

/// As many as there are attacks.
fn attacks(world: &World) -> u32 {
    world.attacks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn personas_have_unique_names_and_a_help_text() {
        for (index, entry) in PERSONAS.iter().enumerate() {
            assert!(entry.help.len() > 40, "{}", entry.name);
            assert!(
                PERSONAS[..index].iter().all(|other| other.name != entry.name),
                "{}",
                entry.name
            );
        }
    }
}
