//! Decides by exhaustion whether a small history of one SKU has any legal explanation.

use onsale_history::{CallKind, Class, History, HoldId, Nanos, Outcome, SkuId};
use std::collections::{BTreeMap, HashSet};

/// What a claim says happened at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Units were set aside for a hold.
    Grant {
        /// Which hold.
        hold: usize,
        /// How many units.
        quantity: u32,
    },
    /// The hold was given back.
    Release {
        /// Which hold.
        hold: usize,
    },
    /// The hold was sold: it is never given back.
    Confirm {
        /// Which hold.
        hold: usize,
    },
    /// So many units could not be had.
    Refusal {
        /// How many units.
        quantity: u32,
    },
    /// So many units were free.
    Available {
        /// How many units.
        units: u32,
    },
    /// So many units more came on sale.
    Wave {
        /// How many units.
        units: u32,
    },
}

/// Something that happened at one instant of a closed interval, or perhaps never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Not before.
    pub start: u64,
    /// Not after; `u64::MAX` when nobody knows.
    pub end: u64,
    /// It happened for certain.
    pub must: bool,
    /// What happened.
    pub promise: Promise,
}

/// All claims of one SKU.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// Units on sale from the start.
    pub capacity: u32,
    /// Shortest and longest life of a hold; `None` when holds do not expire.
    pub lease: Option<(u64, u64)>,
    /// At most 64.
    pub claims: Vec<Claim>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    now: u64,
    done: u64,
    capacity: u32,
    taken: u32,
    /// Live leases: (hold, units, granted at).
    live: Vec<(usize, u32, u64)>,
}

impl Oracle {
    /// The claims of a history about one SKU in milliseconds. Refusals are left out unless asked for, since some rules do
    /// not look at them; holds expire unless the ttl is endless.
    pub fn of(history: &History, sku: SkuId, refusals: bool) -> Self {
        let millis = |at: Nanos| if at == Nanos::NEVER { u64::MAX } else { at.0 / 1_000_000 };
        let sale = &history.header.sale;
        let facts = &sale.skus[sku.index()];
        let mut oracle =
            Self { capacity: facts.released(Nanos::ZERO), lease: None, claims: vec![] };
        if sale.ttl != Nanos::NEVER {
            let shortest = millis(sale.ttl.minus(sale.earliness));
            oracle.lease = Some((shortest, millis(sale.ttl.plus(sale.grace))));
        }
        let mut before = oracle.capacity;
        for wave in facts.waves.iter().filter(|wave| wave.at > Nanos::ZERO) {
            let (at, units) = (millis(wave.at), wave.units.saturating_sub(before));
            before += units;
            oracle.claims.push(Claim {
                start: at,
                end: at,
                must: true,
                promise: Promise::Wave { units },
            });
        }
        let mut holds = BTreeMap::<HoldId, usize>::new();
        for (index, op) in history.operations.iter().enumerate() {
            let promise = match (op.kind(), op.outcome()) {
                (CallKind::Hold, _) if op.call.sku != Some(sku) => continue,
                (CallKind::Hold, Outcome::Ok | Outcome::Indeterminate(_)) => {
                    op.answer.hold.map(|hold| holds.insert(hold, index));
                    Promise::Grant { hold: index, quantity: op.call.quantity }
                }
                (CallKind::Hold, Outcome::Failed(Class::SoldOut)) if refusals => {
                    Promise::Refusal { quantity: op.call.quantity }
                }
                (CallKind::Release, Outcome::Ok | Outcome::Indeterminate(_)) => {
                    let Some(&hold) = op.call.hold.and_then(|hold| holds.get(&hold)) else {
                        continue;
                    };
                    Promise::Release { hold }
                }
                _ => continue,
            };
            let (start, end, must) = (millis(op.start), millis(op.end), op.outcome().is_ok());
            let must = must || matches!(promise, Promise::Refusal { .. });
            oracle.claims.push(Claim { start, end, must, promise });
        }
        oracle
    }

    /// Is there one instant for each claim, and a choice of the uncertain ones, so that the stock explains them all?
    pub fn is_legal(&self) -> bool {
        assert!(self.claims.len() <= 64, "the oracle is for small histories");
        let first = self.claims.iter().map(|claim| claim.start).min().unwrap_or(0);
        let start = State { now: first, done: 0, capacity: self.capacity, taken: 0, live: vec![] };
        let mut seen = HashSet::new();
        let mut stack = vec![start];
        while let Some(state) = stack.pop() {
            if self.explains_all(&state) {
                return true;
            }
            for next in self.successors(&state) {
                if !seen.contains(&next) {
                    seen.insert(next.clone());
                    stack.push(next);
                }
            }
        }
        false
    }

    fn explains_all(&self, state: &State) -> bool {
        self.claims
            .iter()
            .enumerate()
            .all(|(index, claim)| !claim.must || state.done & (1 << index) != 0)
    }
    fn successors(&self, state: &State) -> Vec<State> {
        let mut next = Vec::new();
        for (index, claim) in self.claims.iter().enumerate() {
            let open = state.done & (1 << index) == 0
                && claim.start <= state.now
                && state.now <= claim.end;
            if let Some(mut after) = open.then(|| Self::apply(state, claim.promise)).flatten() {
                after.done |= 1 << index;
                next.push(after);
            }
        }
        if let Some((shortest, _)) = self.lease {
            for (place, &(_, units, granted)) in state.live.iter().enumerate() {
                if granted + shortest <= state.now {
                    let mut after = state.clone();
                    after.taken -= units;
                    after.live.remove(place);
                    next.push(after);
                }
            }
        }
        next.extend(self.later(state));
        next
    }
    /// The next instant at which something can change, unless something had to happen before it.
    fn later(&self, state: &State) -> Option<State> {
        let undone =
            || self.claims.iter().enumerate().filter(|(index, _)| state.done & (1 << index) == 0);
        let steps = undone().map(|(_, claim)| claim.start);
        let at = if self.lease.is_some() {
            let horizon =
                self.claims.iter().filter(|claim| claim.must).map(|claim| claim.end).max()?;
            (state.now < horizon).then_some(state.now + 1)?
        } else {
            steps.filter(|&at| at > state.now).min()?
        };
        let missed = undone().any(|(_, claim)| claim.must && claim.end < at);
        let overdue = self
            .lease
            .is_some_and(|(_, longest)| state.live.iter().any(|lease| lease.2 + longest < at));
        (!missed && !overdue).then(|| State { now: at, ..state.clone() })
    }
    fn apply(state: &State, promise: Promise) -> Option<State> {
        let mut after = state.clone();
        let place = |hold: usize| state.live.iter().position(|lease| lease.0 == hold);
        match promise {
            Promise::Grant { hold, quantity } => {
                after.taken += quantity;
                after.live.push((hold, quantity, state.now));
                after.live.sort_unstable();
                (after.taken <= after.capacity).then_some(after)
            }
            Promise::Release { hold } => {
                let (_, units, _) = after.live.remove(place(hold)?);
                after.taken -= units;
                Some(after)
            }
            Promise::Confirm { hold } => {
                after.live.remove(place(hold)?);
                Some(after)
            }
            Promise::Refusal { quantity } => {
                (state.taken + quantity > state.capacity).then_some(after)
            }
            Promise::Available { units } => {
                (state.capacity.checked_sub(state.taken) == Some(units)).then_some(after)
            }
            Promise::Wave { units } => {
                after.capacity += units;
                Some(after)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(start: u64, end: u64, promise: Promise) -> Claim {
        Claim { start, end, must: end != u64::MAX, promise }
    }
    fn grant(start: u64, end: u64, hold: usize) -> Claim {
        claim(start, end, Promise::Grant { hold, quantity: 1 })
    }
    fn legal(lease: Option<(u64, u64)>, claims: &[Claim]) -> bool {
        Oracle { capacity: 1, lease, claims: claims.to_vec() }.is_legal()
    }

    #[test]
    fn two_grants_of_one_unit_need_a_release_between() {
        assert!(!legal(None, &[grant(0, 2, 0), grant(3, 5, 1)]));
        assert!(legal(
            None,
            &[grant(0, 2, 0), claim(1, 4, Promise::Release { hold: 0 }), grant(3, 5, 1)]
        ));
        assert!(!legal(
            None,
            &[grant(0, 2, 0), claim(6, 8, Promise::Release { hold: 0 }), grant(3, 5, 1)]
        ));
    }

    #[test]
    fn an_unknown_grant_may_explain_a_refusal_and_need_not_have_happened() {
        let refusal = claim(3, 4, Promise::Refusal { quantity: 1 });
        assert!(!legal(None, &[refusal]));
        assert!(legal(None, &[grant(0, u64::MAX, 0), refusal]));
        assert!(legal(None, &[grant(0, u64::MAX, 0), grant(3, 4, 1)]));
    }

    #[test]
    fn a_lease_is_tied_to_its_grant() {
        // The sweep of definite occupancy lets this pass; there is no legal placement all the same.
        assert!(!legal(Some((3, 9)), &[grant(8, 11, 0), grant(9, 9, 1)]));
        assert!(legal(Some((2, 9)), &[grant(8, 11, 0), grant(9, 9, 1)]));
        assert!(!legal(
            Some((3, 9)),
            &[grant(0, 0, 0), claim(10, 11, Promise::Refusal { quantity: 1 })]
        ));
        assert!(legal(
            Some((3, 9)),
            &[grant(0, 1, 0), claim(10, 11, Promise::Refusal { quantity: 1 })]
        ));
    }

    #[test]
    fn a_confirmed_hold_is_never_free_again() {
        let sold = [grant(0, 1, 0), claim(2, 3, Promise::Confirm { hold: 0 })];
        assert!(!legal(Some((3, 9)), &[&sold[..], &[grant(20, 30, 1)]].concat()));
        assert!(legal(Some((3, 9)), &[&sold[..1], &[grant(20, 30, 1)]].concat()));
    }

    #[test]
    fn a_wave_makes_room_from_its_instant_on() {
        let wave = claim(5, 5, Promise::Wave { units: 1 });
        assert!(legal(None, &[grant(0, 1, 0), wave, grant(4, 5, 1)]));
        assert!(!legal(None, &[grant(0, 1, 0), wave, grant(3, 4, 1)]));
    }
}
