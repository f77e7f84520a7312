//! Taking what is left, until every SKU was refused to several users: what cannot be bought is gone.

use crate::act::{Act, JoinHow};
use crate::ask::Item;
use crate::cast::mix;
use crate::me::Me;
use crate::world::World;
use onsale_history::Class;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Users that must be refused one unit of a SKU.
const WITNESSES: usize = 3;

/// What is still to be had, as far as the drain knows.
pub(crate) struct Board {
    wants: Mutex<Wants>,
    limit: u32,
    seed: u64,
}

struct Wants {
    skus: Vec<Want>,
    /// Units that each user has.
    used: BTreeMap<u32, u32>,
}

struct Want {
    sku: u16,
    /// Asked for at once; 1 as soon as more were refused.
    quantity: u32,
    refused: Vec<u32>,
}

impl Board {
    pub(crate) fn new(world: &World, seed: u64) -> Self {
        let limit = world.account_limit.max(1);
        let want = |sku: u16, quantity| Want { sku, quantity, refused: vec![] };
        let hot = world.hot.iter().map(|(sku, _)| want(*sku, limit));
        let small = world.canaries.iter().chain(&world.seats).map(|sku| want(*sku, 1));
        let skus = hot.chain(small).collect();
        Self { wants: Mutex::new(Wants { skus, used: BTreeMap::new() }), limit, seed }
    }

    /// One who takes what is left.
    pub(crate) fn drainer(&self, shopper: u32) -> Me {
        let mut me = Me::new(shopper, mix(self.seed, u64::from(shopper)));
        me.then(&[Act::Join(JoinHow::Solve), Act::Turn, Act::Drain]);
        me
    }

    /// What a user should ask for next; nothing if it may not have more, or nobody needs it.
    pub(crate) fn todo(&self, shopper: u32) -> Option<Item> {
        let wants = self.wants.lock().expect("no worker panics");
        let left = self.limit - wants.used.get(&shopper).copied().unwrap_or(0).min(self.limit);
        if left == 0 {
            return None;
        }
        let open =
            |want: &&Want| want.refused.len() < WITNESSES && !want.refused.contains(&shopper);
        // Users begin at different places, so that not all of them want the same.
        let from = shopper as usize * 7 % wants.skus.len().max(1);
        let want = wants.skus.iter().cycle().skip(from).take(wants.skus.len()).find(open)?;
        let quantity = i16::try_from(want.quantity.min(left)).unwrap_or(1);
        Some(Item { sku: want.sku, quantity })
    }

    /// An answer came.
    pub(crate) fn note(&self, shopper: u32, item: Option<Item>, class: Class) {
        let Some(item) = item else { return };
        let mut wants = self.wants.lock().expect("no worker panics");
        let quantity = u32::try_from(item.quantity).unwrap_or(0);
        match class {
            Class::Ok => *wants.used.entry(shopper).or_default() += quantity,
            Class::Limit => {
                wants.used.insert(shopper, self.limit);
            }
            Class::SoldOut | Class::NotFound => {
                let want = wants.skus.iter_mut().find(|want| want.sku == item.sku);
                match want {
                    Some(want) if quantity > 1 => want.quantity = 1,
                    Some(want) if !want.refused.contains(&shopper) => want.refused.push(shopper),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// SKUs that are drained, of all.
    pub(crate) fn drained(&self) -> (usize, usize) {
        let wants = self.wants.lock().expect("no worker panics");
        let drained = wants.skus.iter().filter(|want| want.refused.len() >= WITNESSES).count();
        (drained, wants.skus.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::tests::world;

    #[test]
    fn a_drain_ends_when_every_sku_was_refused_to_three_users_within_their_limits() {
        let world = world();
        let board = Board::new(&world, 1);
        let mut stock: BTreeMap<u16, i64> = BTreeMap::new();
        stock.extend(world.hot.iter().map(|&(sku, _)| (sku, 9)));
        stock.extend(world.canaries.iter().chain(&world.seats).map(|&sku| (sku, 1)));
        let total: i64 = stock.values().sum();
        let mut taken = 0;
        for shopper in 0..100 {
            let mut mine = 0;
            while let Some(item) = board.todo(shopper) {
                let left = stock.get_mut(&item.sku).unwrap();
                let granted = *left >= i64::from(item.quantity);
                if granted {
                    *left -= i64::from(item.quantity);
                    mine += i64::from(item.quantity);
                }
                board.note(shopper, Some(item), if granted { Class::Ok } else { Class::SoldOut });
            }
            assert!(mine <= i64::from(world.account_limit));
            taken += mine;
        }
        assert_eq!(taken, total);
        let (drained, all) = board.drained();
        assert_eq!(drained, all);
    }
}
