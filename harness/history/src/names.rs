//! The dictionary: what the target calls things, and the dense numbers that a history uses instead.

use crate::file::Journal;
use crate::{
    BuyerId, ChargeId, DeliveryId, HoldId, InstrumentId, KeyId, NoteId, OrderId, RefundId, SkuId,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

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

impl Namespace {
    /// Reads the byte on disk back.
    pub(crate) const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            1 => Self::Buyer,
            2 => Self::Sku,
            3 => Self::Hold,
            4 => Self::Order,
            5 => Self::Key,
            6 => Self::Instrument,
            7 => Self::Charge,
            8 => Self::Refund,
            9 => Self::Delivery,
            10 => Self::Note,
            _ => return None,
        })
    }
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
    journal: Option<Arc<Mutex<Written>>>,
}

/// What became of a journal.
enum Written {
    /// Every name is in it.
    Open(Journal),
    /// It is sealed: later names live in memory only, and no record can use them.
    Sealed,
    /// A name could not be written.
    Failed(std::io::ErrorKind),
}

impl Names {
    /// A dictionary that writes every new name down before its identifier is used.
    pub(crate) fn journalled(journal: Journal) -> Self {
        Self { spaces: Arc::default(), journal: Some(Arc::new(Mutex::new(Written::Open(journal)))) }
    }
    /// Why a name could not be written down; identifiers given since then mean nothing to a reader.
    pub(crate) fn intact(&self) -> Result<(), std::io::Error> {
        let Some(journal) = &self.journal else { return Ok(()) };
        match *journal.lock().expect("no writer panics") {
            Written::Failed(kind) => Err(kind.into()),
            Written::Open(_) | Written::Sealed => Ok(()),
        }
    }
    /// Makes the journal durable and ends it.
    pub(crate) fn finish(&self) -> std::io::Result<()> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let mut journal = journal.lock().expect("no writer panics");
        if let Written::Open(open) = &mut *journal {
            open.finish()?;
            *journal = Written::Sealed;
        }
        if let Written::Failed(kind) = *journal { Err(kind.into()) } else { Ok(()) }
    }
    /// Adds a name read back from a journal.
    pub(crate) fn restore(&self, namespace: Namespace, name: &str) {
        self.add(namespace, name);
    }
    fn add(&self, namespace: Namespace, name: &str) -> usize {
        let mut space = self.space(namespace).write().expect("no writer panics");
        if let Some(&place) = space.places.get(name) {
            return place;
        }
        if let Some(journal) = &self.journal {
            let mut journal = journal.lock().expect("no writer panics");
            if let Written::Open(open) = &mut *journal
                && let Err(error) = open.append(namespace, name)
            {
                *journal = Written::Failed(error.kind());
            }
        }
        let name: Arc<str> = name.into();
        let place = space.names.len();
        space.names.push(name.clone());
        space.places.insert(name, place);
        place
    }
    /// The identifier of `name`, new if it was never seen.
    pub fn id<I: Named>(&self, name: &str) -> I {
        if let Some(id) = self.find(name) {
            return id;
        }
        I::at(self.add(I::NAMESPACE, name))
    }
    /// The identifier of `name`, if it was seen.
    pub fn find<I: Named>(&self, name: &str) -> Option<I> {
        self.space(I::NAMESPACE)
            .read()
            .expect("no writer panics")
            .places
            .get(name)
            .map(|&place| I::at(place))
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
