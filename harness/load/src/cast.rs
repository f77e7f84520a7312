//! Who plays what: a pure function of the workload and the seed.

use crate::LoadError;
use crate::me::Me;
use crate::persona::PERSONAS;
use crate::world::World;
use onsale_plan::Load;

/// Of five of the first places, so many go to those who need stock for what they do.
const PROMOTED_OF_FIVE: usize = 4;

/// The cast of a run.
#[derive(Clone, Debug)]
pub struct Cast {
    roles: Vec<Role>,
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Role {
    persona: u8,
    /// Counts the shoppers with this persona, in the order of arrival.
    nth: u32,
}

/// A seed for one of many uses.
pub(crate) fn mix(seed: u64, index: u64) -> u64 {
    // The finaliser of SplitMix64.
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Cast {
    /// Deals the personas in the workload's shares, shuffled, but brings those forward who need stock for what they
    /// do: when everything is sold nobody can pay late any more.
    pub fn deal(load: &Load, world: &World, seed: u64) -> Result<Self, LoadError> {
        let mut deck = deck(load)?;
        let mut chance = fastrand::Rng::with_seed(mix(seed, u64::MAX));
        chance.shuffle(&mut deck);
        promote(&mut deck, world);
        let mut counts = [0_u32; 256];
        let roles = deck.into_iter().map(|persona| {
            let count = &mut counts[usize::from(persona)];
            *count += 1;
            Role { persona, nth: *count - 1 }
        });
        Ok(Self { roles: roles.collect(), seed })
    }

    /// How many shoppers there are.
    pub fn len(&self) -> usize {
        self.roles.len()
    }

    /// Is nobody coming?
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }

    /// How many shoppers each persona has, in the order of the registry.
    pub fn counts(&self) -> Vec<(&'static str, u32)> {
        let count = |index: usize| {
            self.roles.iter().filter(|role| usize::from(role.persona) == index).map(|_| 1).sum()
        };
        PERSONAS.iter().enumerate().map(|(index, entry)| (entry.name, count(index))).collect()
    }

    /// A shopper with its plan.
    pub fn me(&self, shopper: u32, world: &World) -> Me {
        let role = self.roles[shopper as usize];
        let mut me = Me::new(shopper, mix(self.seed, u64::from(shopper)));
        (PERSONAS[usize::from(role.persona)].plan)(&mut me, role.nth, world);
        me
    }
}

/// One entry a shopper, by largest remainders.
fn deck(load: &Load) -> Result<Vec<u8>, LoadError> {
    let total: u64 = load.personas.values().map(|&weight| u64::from(weight)).sum();
    let shoppers = u64::from(load.shoppers);
    let (mut deck, mut sum) = (Vec::with_capacity(load.shoppers as usize), 0);
    for (name, &weight) in &load.personas {
        let persona = PERSONAS.iter().position(|entry| entry.name == name);
        let persona = persona.ok_or_else(|| LoadError::Persona(name.clone()))?;
        let persona = u8::try_from(persona).expect("there are few personas");
        sum += u64::from(weight);
        let until = (shoppers * sum).checked_div(total).unwrap_or(0);
        deck.resize(usize::try_from(until).unwrap_or(usize::MAX), persona);
    }
    Ok(deck)
}

/// Moves the shoppers that are needed early to the first places, one of five places staying as it is.
fn promote(deck: &mut [u8], world: &World) {
    let mut wanted = [0_u32; 256];
    for (index, entry) in PERSONAS.iter().enumerate() {
        wanted[index] = (entry.early)(world);
    }
    let mut place = 0;
    for at in 0..deck.len() {
        let persona = usize::from(deck[at]);
        if wanted[persona] == 0 {
            continue;
        }
        wanted[persona] -= 1;
        if place % 5 == PROMOTED_OF_FIVE {
            place += 1;
        }
        // Never backwards.
        if place < at {
            deck.swap(place, at);
        }
        place += 1;
    }
}
