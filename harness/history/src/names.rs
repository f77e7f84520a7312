//! The dictionary: what the target calls things, and the dense numbers that a history uses instead.

use crate::{
    BuyerId, ChargeId, DeliveryId, HoldId, InstrumentId, KeyId, NoteId, OrderId, RefundId, SkuId,
};
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// The kinds of names. The code is the byte on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Namespace {
    /// Accounts.
    Buyer = 1,
    /// Stock-keeping units.
    Sku = 2,
    /// Holds.
    Hold = 3,
    /// Orders.
    Order = 4,
    /// Idempotency keys.
    Key = 5,
    /// Payment instruments.
    Instrument = 6,
    /// Payment attempts.
    Charge = 7,
    /// Refunds.
    Refund = 8,
    /// Webhook events.
    Delivery = 9,
    /// Words and sentences.
    Note = 10,
}

/// An identifier that has names.
pub trait Named: Copy {
    /// Where its names live.
    const NAMESPACE: Namespace;
    /// From the place in its namespace.
    fn at(index: usize) -> Self;
    /// The place in its namespace.
    fn place(self) -> usize;
}

macro_rules! named {
    ($($id:ident $space:ident;)*) => {$(
        impl Named for $id {
            const NAMESPACE: Namespace = Namespace::$space;
            fn at(index: usize) -> Self { Self::from_index(index) }
            fn place(self) -> usize { self.index() }
        }
    )*};
}
named! {
    BuyerId Buyer; SkuId Sku; HoldId Hold; OrderId Order; KeyId Key;
    InstrumentId Instrument; ChargeId Charge; RefundId Refund; DeliveryId Delivery; NoteId Note;
}

#[derive(Default)]
struct Space {
    names: Vec<Arc<str>>,
    places: HashMap<Arc<str>, usize>,
}

/// A shared dictionary; cloning shares it.
#[derive(Clone, Default)]
pub struct Names {
    spaces: Arc<[RwLock<Space>; 11]>,
}

impl Names {
    /// The identifier of `name`, new if it was never seen.
    pub fn id<I: Named>(&self, name: &str) -> I {
        if let Some(id) = self.find(name) {
            return id;
        }
        let mut space = self.space(I::NAMESPACE).write().expect("no writer panics");
        if let Some(&place) = space.places.get(name) {
            return I::at(place);
        }
        let name: Arc<str> = name.into();
        let place = space.names.len();
        space.names.push(name.clone());
        space.places.insert(name, place);
        I::at(place)
    }
    /// The identifier of `name`, if it was seen.
    pub fn find<I: Named>(&self, name: &str) -> Option<I> {
        self.space(I::NAMESPACE).read().expect("no writer panics").places.get(name).map(|&place| I::at(place))
    }
    /// What an identifier is called; its short form (`h12`) is for the caller to print when there is none.
    pub fn name<I: Named>(&self, id: I) -> Option<Arc<str>> {
        self.space(I::NAMESPACE).read().expect("no writer panics").names.get(id.place()).cloned()
    }
    /// How many names a kind has.
    pub fn count(&self, namespace: Namespace) -> usize {
        self.space(namespace).read().expect("no writer panics").names.len()
    }
    fn space(&self, namespace: Namespace) -> &RwLock<Space> {
        &self.spaces[namespace as usize]
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Names")
    }
}
