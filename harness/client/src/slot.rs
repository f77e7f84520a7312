//! What varies from call to call, and what it is just now.

use crate::buyer::Buyer;
use crate::call::{Call, Token};
use crate::token;
use onsale_history::{Label, Nanos};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A value that is not known before the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Key,
    Hold,
    Order,
    Charge,
    Instrument,
    Puzzle,
    Token,
    Cursor,
    BuyerIndex,
    Account,
    Device,
    ItemSku,
    ItemQuantity,
    Uuid,
    /// So many milliseconds from now, since 1970.
    Now(i64),
    Captured(usize),
}

impl Slot {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "key" => Self::Key,
            "hold" => Self::Hold,
            "order" => Self::Order,
            "charge" => Self::Charge,
            "instrument" => Self::Instrument,
            "puzzle" => Self::Puzzle,
            "token" => Self::Token,
            "cursor" => Self::Cursor,
            "buyer.id" => Self::BuyerIndex,
            "buyer.account" => Self::Account,
            "buyer.device" => Self::Device,
            "item.sku" => Self::ItemSku,
            "item.quantity" => Self::ItemQuantity,
            "uuid" => Self::Uuid,
            "now" => Self::Now(0),
            _ => Self::Now(offset(name.strip_prefix("now+")?)?),
        })
    }
}

fn offset(text: &str) -> Option<i64> {
    let split = text.find(|c: char| !c.is_ascii_digit())?;
    let number: i64 = text[..split].parse().ok()?;
    let factor = match &text[split..] {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.checked_mul(factor)
}

/// All that slots may ask for, during one call.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) call: &'a Call,
    pub(crate) buyer: &'a Buyer,
    pub(crate) names: &'a onsale_history::Names,
    /// Values captured by earlier steps of this call.
    pub(crate) locals: &'a [Option<Arc<str>>],
    /// The place in the list that a page begins at.
    pub(crate) cursor: Option<&'a str>,
    pub(crate) now: Nanos,
    pub(crate) epoch_unix_ms: u64,
    /// Counts from the seed on; every unique value takes one.
    pub(crate) chance: &'a AtomicU64,
    /// The line of the cart that `item.…` means.
    pub(crate) line: usize,
}

macro_rules! name_or {
    ($scene:expr, $id:expr, $prefix:literal) => {
        $id.map(|id| match $scene.names.name(id) {
            Some(name) => Cow::Owned(name.to_string()),
            None => Cow::Owned(format!(concat!($prefix, "{}"), id.index())),
        })
    };
}

impl<'a> Scene<'a> {
    /// The value of a slot; none if there is none.
    pub(crate) fn value(&self, slot: Slot) -> Option<Cow<'a, str>> {
        let call = self.call;
        match slot {
            Slot::Key => name_or!(self, call.key, "key-"),
            Slot::Hold => name_or!(self, call.hold, "hold-"),
            Slot::Order => name_or!(self, call.order, "order-"),
            Slot::Charge => name_or!(self, call.charge, "charge-"),
            Slot::Instrument => {
                let card = name_or!(self, call.instrument, "card-");
                // Another body under the same key: where there is no quantity to change, the card is changed.
                let other = call.label == Label::OtherBody && call.items.is_empty();
                if other { card.map(|card| Cow::Owned(format!("{card}-other"))) } else { card }
            }
            Slot::Puzzle => call.puzzle.as_deref().map(Cow::Borrowed),
            Slot::Token => self.token(),
            Slot::Cursor => self.cursor.map(Cow::Borrowed),
            Slot::BuyerIndex => Some(Cow::Owned(self.buyer.id.index().to_string())),
            Slot::Account => name_or!(self, Some(self.buyer.id), "buyer-"),
            Slot::Device => Some(match &self.buyer.device {
                Some(device) => Cow::Owned(device.to_string()),
                None => Cow::Owned(format!("device-{}", self.buyer.id.index())),
            }),
            Slot::ItemSku => {
                call.items.get(self.line).and_then(|(sku, _)| name_or!(self, Some(*sku), "sku-"))
            }
            Slot::ItemQuantity => {
                call.items.get(self.line).map(|_| Cow::Owned(quantity(call, self.line).to_string()))
            }
            Slot::Uuid => {
                let seed = self.chance.fetch_add(1, Ordering::Relaxed);
                Some(Cow::Owned(uuid(&mut fastrand::Rng::with_seed(seed))))
            }
            Slot::Now(offset) => {
                let now = self.epoch_unix_ms + self.now.0 / 1_000_000;
                Some(Cow::Owned(now.saturating_add_signed(offset).to_string()))
            }
            Slot::Captured(index) => self
                .locals
                .get(index)
                .and_then(Option::as_ref)
                .map(|value| Cow::Owned(value.to_string()))
                .or_else(|| {
                    self.buyer.value(index, call).map(|value| Cow::Owned(value.to_string()))
                }),
        }
    }

    fn token(&self) -> Option<Cow<'a, str>> {
        let own = || self.buyer.variable("token");
        match &self.call.token {
            Token::Own => own().map(|token| Cow::Owned(token.to_string())),
            Token::Absent => None,
            Token::BadSignature => Some(Cow::Owned(token::with_bad_signature(own().as_deref()))),
            Token::AlgorithmNone => Some(Cow::Owned(token::without_algorithm(own().as_deref()))),
            Token::This(token) => Some(Cow::Owned(token.to_string())),
        }
    }
}

/// Units of a line, as they are sent: the same key with another body asks for one more.
pub(crate) fn quantity(call: &Call, line: usize) -> i64 {
    let more = i64::from(call.label == Label::OtherBody && line == 0);
    call.items.get(line).map_or(0, |(_, quantity)| quantity + more)
}

fn uuid(chance: &mut fastrand::Rng) -> String {
    let raw = (chance.u128(..) & !(0xF000 << 64) & !(0xC << 60)) | (4 << 76) | (8 << 60);
    let hex = format!("{raw:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_says_its_version_and_its_variant() {
        let one = uuid(&mut fastrand::Rng::with_seed(7));
        assert_eq!((one.len(), &one[14..15]), (36, "4"));
        assert!(matches!(&one[19..20], "8" | "9" | "a" | "b"), "{one}");
    }

    #[test]
    fn offsets_of_now_have_a_unit() {
        for (name, slot) in [
            ("now+5m", Some(Slot::Now(300_000))),
            ("now+250ms", Some(Slot::Now(250))),
            ("now+5", None),
            ("new", None),
        ] {
            assert_eq!(Slot::named(name), slot, "{name}");
        }
    }
}
