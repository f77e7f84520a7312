//! Who shops: each persona is a file with its name, its help page and the program of a shopper.
//!
//! A program is a pure function of the sale and of chance: no I/O, no clock, no other randomness. What happens when the
//! target refuses, is late or silent is the same for all and lives in the session.

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

use crate::deal::{Act, Deal};

/// A way of shopping.
pub struct Persona {
    /// Its one name.
    pub name: &'static str,
    /// Its help page.
    pub help: &'static str,
    /// Cards and devices are shared by so many shoppers in a row.
    pub(crate) farm: u32,
    /// What a shopper of this kind is going to do.
    pub(crate) program: fn(&Deal, &mut fastrand::Rng) -> Vec<Act>,
}

/// Every persona.
pub static PERSONAS: &[&Persona] = &[
    &human::HUMAN,
    &refresher::REFRESHER,
    &sniper::SNIPER,
    &scalper::SCALPER,
    &hoarder::HOARDER,
    &double_clicker::DOUBLE_CLICKER,
    &retrier::RETRIER,
    &late_payer::LATE_PAYER,
    &forger::FORGER,
    &replayer::REPLAYER,
];

/// By its name.
pub(crate) fn by_name(name: &str) -> Option<&'static Persona> {
    PERSONAS.iter().copied().find(|persona| persona.name == name)
}

/// The usual end: order, payment, and a look at what became of it.
pub(crate) fn buy(chance: &mut fastrand::Rng) -> Vec<Act> {
    use onsale_history::Label;
    vec![
        crate::deal::think(chance, 50, 400),
        Act::Checkout { label: Label::Ordinary, twice: false },
        crate::deal::think(chance, 20, 200),
        Act::Pay { twice: false },
        Act::Watch,
    ]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::PERSONAS;
    use crate::deal::{Act, Deal};
    use onsale_history::SkuId;
    use std::collections::BTreeSet;
    use std::time::Duration;

    pub(crate) fn deal() -> Deal {
        let ids = |range: std::ops::Range<usize>| range.map(SkuId::from_index).collect();
        Deal {
            hot: ids(0..2),
            canaries: ids(2..6),
            seats: ids(6..9),
            limit: 4,
            ttl: Duration::from_secs(4),
            grace: Duration::from_secs(2),
            token_ttl: Duration::from_secs(6),
            attacks_each: 1,
            barrier: true,
        }
    }

    #[test]
    fn names_are_unique_and_explained() {
        let names: BTreeSet<_> = PERSONAS.iter().map(|persona| persona.name).collect();
        assert_eq!(names.len(), PERSONAS.len());
        assert!(PERSONAS.iter().all(|persona| persona.help.trim().len() > 40));
    }

    #[test]
    fn programs_follow_the_seed_and_fit_the_limits() {
        for persona in PERSONAS {
            let mut kinds = BTreeSet::new();
            for seed in 0..300 {
                let program = (persona.program)(&deal(), &mut fastrand::Rng::with_seed(seed));
                assert_eq!(
                    program,
                    (persona.program)(&deal(), &mut fastrand::Rng::with_seed(seed)),
                    "{}",
                    persona.name
                );
                assert!(!program.is_empty() && program.len() < 64, "{}", persona.name);
                kinds.insert(format!("{program:?}"));
                for act in program {
                    if let Act::Hold(basket) = act {
                        let units: i64 = basket.items.iter().map(|(_, quantity)| quantity).sum();
                        assert!((1..=4).contains(&units), "{}: {units} units", persona.name);
                    }
                }
            }
            assert!(kinds.len() > 10, "{}: shoppers differ", persona.name);
        }
    }
}
