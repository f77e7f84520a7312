//! What shoppers want.

use crate::act::{Act, JoinHow};
use crate::ask::Item;
use crate::me::Me;
use crate::world::World;

/// Through the front door: the landing page, the puzzle, the queue.
pub(super) const ARRIVE: [Act; 3] = [Act::Landing, Act::Join(JoinHow::Solve), Act::Turn];

/// Units of one hot SKU; a bigger one is wished for more often.
pub(super) fn hot(me: &mut Me, quantity: i16, world: &World) {
    let total: u32 = world.hot.iter().map(|(_, stock)| stock).sum();
    let mut pick = me.chance.u32(0..total.max(1));
    let found = world.hot.iter().find(|(_, stock)| {
        let here = pick < *stock;
        pick = pick.wrapping_sub(*stock);
        here
    });
    let sku = found.or(world.hot.first()).map_or(0, |(sku, _)| *sku);
    let limit = i16::try_from(world.account_limit).unwrap_or(i16::MAX).max(1);
    me.items = [Some(Item { sku, quantity: quantity.clamp(1, limit) }), None, None];
}

/// A second line in the cart, if the limit and the hall allow.
pub(super) fn second_line(me: &mut Me, world: &World) {
    let Some(first) = me.items[0] else { return };
    let limit = i16::try_from(world.account_limit).unwrap_or(i16::MAX);
    let others: Vec<u16> =
        world.hot.iter().map(|(sku, _)| *sku).filter(|sku| *sku != first.sku).collect();
    if first.quantity < limit
        && let Some(&sku) = me.chance.choice(&others)
    {
        me.items[1] = Some(Item { sku, quantity: 1 });
    }
}

/// One of these SKUs.
pub(super) fn one_of(me: &mut Me, skus: &[u16], nth: u32) {
    if !skus.is_empty() {
        me.items = [Some(Item { sku: skus[nth as usize % skus.len()], quantity: 1 }), None, None];
    }
}
