//! How operations and things are called in sentences.

use super::{At, Facts};
use onsale_history::{
    BuyerId, CallKind, HoldId, InstrumentId, KeyId, Nanos, Operation, OrderId, Outcome, SkuId,
};

impl Facts<'_> {
    /// A SKU's name.
    pub fn sku_name(&self, sku: SkuId) -> String {
        self.sale.skus.get(sku.index()).map_or_else(|| sku.to_string(), |facts| facts.name.clone())
    }
    /// A hold's name.
    pub fn hold_name(&self, hold: HoldId) -> String {
        self.names.name(hold).map_or_else(|| hold.to_string(), |name| name.to_string())
    }
    /// An order's name.
    pub fn order_name(&self, order: OrderId) -> String {
        self.names.name(order).map_or_else(|| order.to_string(), |name| name.to_string())
    }
    /// A buyer's name.
    pub fn buyer_name(&self, buyer: BuyerId) -> String {
        self.names.name(buyer).map_or_else(|| buyer.to_string(), |name| name.to_string())
    }
    /// A card's name.
    pub fn instrument_name(&self, card: InstrumentId) -> String {
        self.names.name(card).map_or_else(|| card.to_string(), |name| name.to_string())
    }
    /// A key's name.
    pub fn key_name(&self, key: KeyId) -> String {
        self.names.name(key).map_or_else(|| key.to_string(), |name| name.to_string())
    }
    /// One operation in one line: `b1 hold A -> h3 [2.000 ms, 5.000 ms]`.
    pub fn tell(&self, at: At) -> String {
        let op = self.op(at);
        let asked = self.asked(at, op);
        let answered = self.answered(op);
        format!("{} {asked} -> {answered} {}", self.buyer_name(op.call.buyer), span(op))
    }
    fn asked(&self, at: At, op: &Operation) -> String {
        let kind = op.kind();
        if kind == CallKind::Hold {
            let items: Vec<String> =
                self.items(at).map(|(sku, units)| self.item(sku, units)).collect();
            format!("{kind} {}", items.join(" + "))
        } else {
            let hold = op.call.hold.map(|hold| format!(" {}", self.hold_name(hold)));
            let order = op.call.order.map(|order| format!(" {}", self.order_name(order)));
            format!("{kind}{}{}", hold.unwrap_or_default(), order.unwrap_or_default())
        }
    }
    fn item(&self, sku: SkuId, units: u32) -> String {
        if units == 1 { self.sku_name(sku) } else { format!("{} x{units}", self.sku_name(sku)) }
    }
    fn answered(&self, op: &Operation) -> String {
        let word = match op.outcome() {
            Outcome::Indeterminate(class) => return format!("? ({class})"),
            Outcome::Failed(class) => return class.to_string(),
            Outcome::Ok => "ok",
        };
        if let Some(state) = op.answer.state {
            return state.to_string();
        }
        match (op.answer.order, op.answer.hold) {
            (Some(order), _) => self.order_name(order),
            (None, Some(hold)) => self.hold_name(hold),
            (None, None) => word.to_owned(),
        }
    }
}

fn span(op: &Operation) -> String {
    if op.end == Nanos::NEVER {
        format!("[{}, …)", millis(op.start))
    } else {
        format!("[{}, {}]", millis(op.start), millis(op.end))
    }
}

/// An instant or a span as milliseconds: `8 ms`, `8.250 ms`.
pub(crate) fn millis(at: Nanos) -> String {
    if at == Nanos::NEVER {
        return "the end of time".to_owned();
    }
    if at.0.is_multiple_of(1_000_000) {
        format!("{} ms", at.0 / 1_000_000)
    } else {
        format!("{:.3} ms", at.as_millis_f64())
    }
}
