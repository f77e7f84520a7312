//! The stock as the landing page and the waiting room see it: from memory, never from the ledger.

use onsale_contract::event::StockState;

/// The stock of an event, as remembered. Cheap; a few milliseconds old at most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StockView {
    /// One entry a SKU, in the order of the configuration.
    pub skus: Vec<SkuStock>,
}

/// The stock of one SKU, as remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkuStock {
    /// Identifier.
    pub sku: String,
    /// Units in all.
    pub stock: u32,
    /// Units released so far.
    pub released: u32,
    /// Units that can be held now.
    pub free: u32,
    /// Units sold.
    pub confirmed: u32,
}

impl SkuStock {
    /// What everybody is shown, of an open sale.
    pub fn state(&self) -> StockState {
        state_of(self.stock, self.free, self.confirmed)
    }
}

impl StockView {
    /// What everybody is shown of the event as a whole, of an open sale.
    pub fn state(&self) -> StockState {
        let sum = |units: fn(&SkuStock) -> u32| self.skus.iter().map(units).sum();
        state_of(sum(|sku| sku.stock), sum(|sku| sku.free), sum(|sku| sku.confirmed))
    }

    /// Units that can be held now, over all SKUs.
    pub fn free(&self) -> u32 {
        self.skus.iter().map(|sku| sku.free).sum()
    }
}

fn state_of(stock: u32, free: u32, confirmed: u32) -> StockState {
    match free {
        0 if confirmed >= stock => StockState::SoldOut,
        0 => StockState::Standby,
        few if few <= stock / 10 => StockState::FewLeft,
        _ => StockState::InStock,
    }
}
