//! Who plays which persona.

use crate::persona::{self, Persona};
use crate::session::shopper_chance;
use onsale_plan::Workload;

/// Who is what: as many of each persona as its weight says, farms in blocks, everybody else shuffled.
pub(crate) fn cast(workload: &Workload, seed: u64) -> Vec<&'static Persona> {
    let load = &workload.load;
    let total: u32 = load.personas.values().sum();
    let shoppers = load.shoppers as usize;
    let mut all: Vec<&'static Persona> = vec![];
    let mut sum = 0;
    for (name, weight) in &load.personas {
        sum += weight;
        let until = shoppers * sum as usize / total.max(1) as usize;
        let persona = persona::by_name(name).expect("the plan knows the personas");
        all.resize(until.max(all.len()), persona);
    }
    let mut chance = shopper_chance(seed, u32::MAX);
    chance.shuffle(&mut all);
    all
}

#[cfg(test)]
mod tests {
    use super::cast;
    use crate::deal::{Act, Deal, Intrusion};
    use crate::persona::PERSONAS;
    use crate::session::shopper_chance;
    use onsale_history::Label;
    use onsale_plan::{Known, Workload};
    use std::collections::BTreeMap;
    use std::path::Path;

    fn quickstart(shoppers: u32) -> Workload {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads/quickstart.yaml");
        let text = std::fs::read_to_string(&file).unwrap();
        // Faults are another crate's names.
        let text = text.split("\nchaos:").next().unwrap();
        let personas: Vec<&str> = PERSONAS.iter().map(|persona| persona.name).collect();
        let known = Known { personas: &personas, faults: &[], rules: &[] };
        let mut workload = Workload::parse(&file, text, &known).unwrap();
        workload.load.shoppers = shoppers;
        workload
    }

    fn label(act: &Act) -> Option<Label> {
        Some(match act {
            Act::Door(label) | Act::HoldAgain(label) | Act::Checkout { label, .. } => *label,
            Act::Attack(intrusion) => match intrusion {
                Intrusion::BadSignature | Intrusion::AlgorithmNone => Label::ForgedToken,
                Intrusion::Expired => Label::ExpiredToken,
                Intrusion::Stolen => Label::ReplayedToken,
                Intrusion::NoToken => Label::NoToken,
                Intrusion::Early => Label::Early,
                Intrusion::Quantity(_) => Label::BadQuantity,
                Intrusion::OverLimit => Label::OverLimit,
            },
            _ => return None,
        })
    }

    /// How often each label is planned by a whole cast.
    fn planned(workload: &Workload, seed: u64) -> BTreeMap<Label, u32> {
        let deal = Deal::of(workload);
        let mut planned = BTreeMap::new();
        for (number, persona) in (0..).zip(cast(workload, seed)) {
            let program = (persona.program)(&deal, &mut shopper_chance(seed, number));
            for label in program.iter().filter_map(label) {
                *planned.entry(label).or_default() += 1;
            }
        }
        planned
    }

    /// What only attackers do.
    const ATTACKS: &[Label] = &[
        Label::NoPuzzle,
        Label::ForgedPuzzle,
        Label::ReusedPuzzle,
        Label::ForgedToken,
        Label::ReplayedToken,
        Label::ExpiredToken,
        Label::NoToken,
        Label::Early,
        Label::BadQuantity,
        Label::OverLimit,
    ];
    /// What happens to honest buyers too, and must be answered right.
    const ABUSES: &[Label] =
        &[Label::Replay, Label::OtherBody, Label::AfterExpiry, Label::AfterCancel];

    #[test]
    fn a_quickstart_plans_enough_attacks_of_every_kind() {
        for seed in 0..5 {
            let planned = planned(&quickstart(5_000), seed);
            for label in ATTACKS.iter().chain(ABUSES) {
                let times = planned.get(label).copied().unwrap_or(0);
                assert!(times >= 30, "seed {seed}: {label} is planned {times} times");
            }
        }
    }

    #[test]
    fn few_shoppers_attack_more_often_each() {
        for shoppers in [300, 600, 1_200] {
            let workload = quickstart(shoppers);
            let planned = planned(&workload, 1);
            for label in ATTACKS {
                let times = planned.get(label).copied().unwrap_or(0);
                let least = workload.load.attacks / 2;
                assert!(times >= least, "{shoppers} shoppers plan {label} {times} times");
            }
        }
    }

    #[test]
    fn every_persona_has_its_share_and_the_seed_says_who() {
        let workload = quickstart(5_000);
        let names =
            |seed| -> Vec<_> { cast(&workload, seed).iter().map(|persona| persona.name).collect() };
        assert_eq!(names(1), names(1));
        assert_ne!(names(1), names(2));
        for (persona, weight) in &workload.load.personas {
            let count = names(1).iter().filter(|name| *name == persona).count();
            // The weights of the quickstart sum to a hundred.
            assert_eq!(count, 50 * *weight as usize, "{persona}");
        }
    }
}
