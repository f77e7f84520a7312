//! Dense identifiers and the unit of time. Zero is kept free, so that `Option<HoldId>` is four bytes.

use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $letter:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The identifier with this index, counted from 0.
            pub fn from_index(index: usize) -> Self {
                let raw = u32::try_from(index + 1).expect("fewer than 2^32 identifiers in a run");
                Self(NonZeroU32::new(raw).expect("index + 1 is not zero"))
            }
            /// The index, counted from 0.
            pub fn index(self) -> usize {
                self.0.get() as usize - 1
            }
            /// The number on disk: index + 1; 0 means absent.
            pub fn raw(self) -> u32 {
                self.0.get()
            }
            /// Reads the number on disk back.
            pub fn from_raw(raw: u32) -> Option<Self> {
                NonZeroU32::new(raw).map(Self)
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($letter, "{}"), self.index())
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    )*};
}

ids! {
    /// One operation: an invocation and, perhaps, its completion.
    OpId "op";
    /// A single-threaded line of operations: one buyer may have several (double clicks).
    ProcessId "p";
    /// One account of the target.
    BuyerId "b";
    /// One stock-keeping unit; a seat is a SKU with stock 1.
    SkuId "s";
    /// A hold, as the target named it.
    HoldId "h";
    /// An order, as the target named it.
    OrderId "o";
    /// An idempotency key.
    KeyId "k";
    /// A payment instrument (a card).
    InstrumentId "i";
    /// A payment attempt at the provider.
    ChargeId "c";
    /// A refund at the provider.
    RefundId "r";
    /// One event that the provider delivers by webhook.
    DeliveryId "d";
    /// A word or a sentence in the dictionary (fault names, targets).
    NoteId "n";
    /// A mark, by its place in the history.
    MarkId "m";
}

/// Nanoseconds since the run's epoch, on the harness's one monotonic clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// The beginning of the run.
    pub const ZERO: Self = Self(0);
    /// Later than everything: the end of an operation that never came back.
    pub const NEVER: Self = Self(u64::MAX);

    /// From milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }
    /// As milliseconds, with the fraction.
    #[expect(clippy::cast_precision_loss, reason = "for display only")]
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
    /// `self + other`, saturating: never + anything is never.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
    /// `self - other`, not below zero; never minus anything is never.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        if self.0 == u64::MAX { self } else { Self(self.0.saturating_sub(other.0)) }
    }
}

impl std::fmt::Display for Nanos {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if *self == Self::NEVER {
            f.write_str("never")
        } else {
            write!(f, "{:.3} s", self.as_millis_f64() / 1e3)
        }
    }
}
impl std::fmt::Debug for Nanos {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
