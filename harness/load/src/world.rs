//! What every shopper knows of the sale.

use crate::config::SwarmConfig;
use crate::config::nanos;
use onsale_history::{CallKind, Label, Nanos};

/// The facts that plans are made of.
#[derive(Clone, Debug)]
pub struct World {
    /// When the sale opens.
    pub opens: Nanos,
    /// Life of a hold.
    pub ttl: Nanos,
    /// How long after it a unit may stay away.
    pub grace: Nanos,
    /// Between polls.
    pub poll_every: Nanos,
    /// Life of a checkout token.
    pub token_ttl: Nanos,
    /// Is there a waiting room?
    pub queue: bool,
    /// Is there a puzzle in front of it?
    pub puzzle: bool,
    /// Indexes of the hot SKUs and their units.
    pub hot: Vec<(u16, u32)>,
    /// Indexes of the canaries.
    pub canaries: Vec<u16>,
    /// Indexes of the seats.
    pub seats: Vec<u16>,
    /// Units an account may have.
    pub account_limit: u32,
    /// Attacks of each kind at least.
    pub attacks: u32,
    /// Shoppers that a barrier releases at once; 0 for none.
    pub barrier: u32,
    /// What the target can be asked.
    pub offers: Vec<CallKind>,
    /// The label of everything, in a drain.
    pub drain: Option<Label>,
}

impl World {
    pub(crate) fn of(config: &SwarmConfig) -> Self {
        let sale = &config.workload.sale;
        let index = |sku: &onsale_history::SkuId| u16::try_from(sku.index()).unwrap_or(u16::MAX);
        let queue = sale.queue.as_ref();
        Self {
            opens: config.opens,
            ttl: nanos(sale.hold.ttl),
            grace: nanos(sale.hold.grace),
            poll_every: queue.map_or(Nanos::from_millis(500), |queue| nanos(queue.poll_every)),
            token_ttl: queue.map_or(Nanos::from_millis(60_000), |queue| nanos(queue.token_ttl)),
            queue: queue.is_some() && config.client.offers(CallKind::Join),
            puzzle: sale.puzzle.scheme != onsale_plan::PuzzleScheme::None
                && config.client.offers(CallKind::Challenge),
            hot: config.hot.iter().map(index).zip(sale.skus.iter().map(|sku| sku.stock)).collect(),
            canaries: config.canaries.iter().map(index).collect(),
            seats: config.seats.iter().map(index).collect(),
            account_limit: sale.account_limit,
            attacks: config.workload.load.attacks,
            barrier: config.workload.load.barrier,
            offers: CallKind::ALL
                .iter()
                .copied()
                .filter(|&kind| config.client.offers(kind))
                .collect(),
            drain: None,
        }
    }

    /// Can the target be asked this?
    pub fn offers(&self, kind: CallKind) -> bool {
        self.offers.contains(&kind)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A sale that opens after a second, with everything.
    pub(crate) fn world() -> World {
        World {
            opens: Nanos::from_millis(1000),
            ttl: Nanos::from_millis(4000),
            grace: Nanos::from_millis(2000),
            poll_every: Nanos::from_millis(500),
            token_ttl: Nanos::from_millis(6000),
            queue: true,
            puzzle: true,
            hot: vec![(0, 300), (1, 150), (2, 50)],
            canaries: (3..13).collect(),
            seats: (13..18).collect(),
            account_limit: 4,
            attacks: 40,
            barrier: 16,
            offers: CallKind::ALL.to_vec(),
            drain: None,
        }
    }
}
