//! What goes into the ledger's transactions and what comes out.

use crate::admission::{Bucket, scripts::Live};
use onsale_contract::hold::{HoldItem, HoldStatus};
use onsale_contract::order::OrderStatus;

/// T1: one hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldCommand {
    /// H(principal, idempotency key).
    pub hold_id: String,
    /// H(path, body).
    pub body_hash: String,
    /// The event.
    pub event: String,
    /// Whose.
    pub account: String,
    /// The card, if it is known already.
    pub instrument: Option<String>,
    /// One line a SKU, sorted by SKU.
    pub lines: Vec<HoldLine>,
    /// The hold was acknowledged before the ledger heard of it (`--admission redis-only`), to end at this instant.
    pub acknowledged_until_ms: Option<u64>,
}

/// Units of one SKU from one bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldLine {
    /// The SKU.
    pub sku: String,
    /// The shard that admitted them.
    pub shard: u32,
    /// How many.
    pub quantity: i64,
    /// The epoch they were admitted under.
    pub epoch: u64,
    /// It was not the shopper's own shard.
    pub fallback: bool,
}

/// T1's verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Granted, now or before.
    Held(Granted),
    /// Refused, now or before, and kept.
    Refused(String),
    /// The key belongs to another body.
    KeyReused,
    /// Not a verdict: admitted under another epoch than this bucket's, which is given.
    Fenced(String, u32, u64),
    /// Not a verdict: admitted under the right epoch, but this bucket has no room. The store is wrong.
    Exhausted(String, u32, u64),
}

/// A granted hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    /// Grows with every grant of the same bucket.
    pub fence: u64,
    /// What the shopper was promised.
    pub until_ms: u64,
    /// When the reaper takes it; a little later.
    pub ends_ms: u64,
    /// It was granted before.
    pub replayed: bool,
    /// Where the units are from.
    pub lines: Vec<(String, u32)>,
}

/// Where a hold is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words are the design's")]
pub enum State {
    Held,
    Paying,
    Confirmed,
    Expired,
    Cancelled,
    Failed,
    Refused,
}

impl State {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Held => "HELD",
            Self::Paying => "PAYING",
            Self::Confirmed => "CONFIRMED",
            Self::Expired => "EXPIRED",
            Self::Cancelled => "CANCELLED",
            Self::Failed => "FAILED",
            Self::Refused => "REFUSED",
        }
    }
    pub(crate) fn of(word: &str) -> Self {
        let all = [
            Self::Held,
            Self::Paying,
            Self::Confirmed,
            Self::Expired,
            Self::Cancelled,
            Self::Failed,
        ];
        all.into_iter().find(|state| state.word() == word).unwrap_or(Self::Refused)
    }
    /// As told; a refused hold is none.
    pub fn status(self) -> Option<HoldStatus> {
        Some(match self {
            Self::Held => HoldStatus::Held,
            Self::Paying => HoldStatus::Paying,
            Self::Confirmed => HoldStatus::Confirmed,
            Self::Expired => HoldStatus::Expired,
            Self::Cancelled => HoldStatus::Cancelled,
            Self::Failed => HoldStatus::Failed,
            Self::Refused => return None,
        })
    }
}

/// T2: a checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayCommand {
    /// The hold.
    pub hold_id: String,
    /// Who asks.
    pub account: String,
    /// The card.
    pub instrument: String,
}

/// T2's verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PayVerdict {
    /// The order, made now or before, and its payment attempt if it still can be paid.
    Order(Box<OrderRecord>, Option<Box<Checkout>>),
    /// There is no such hold.
    Unknown,
    /// It is somebody else's.
    Foreign,
    /// The card has too many units.
    Limit,
    /// The hold is in no state to be paid.
    Conflict(State),
}

/// What the provider is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// The attempt: the provider's idempotency key.
    pub attempt_id: String,
    /// The provider's reference, once it is known.
    pub psp_ref: Option<String>,
    /// Its client secret.
    pub client_secret: Option<String>,
    /// Minor units.
    pub amount: u32,
    /// Lower-case ISO 4217.
    pub currency: String,
    /// The hold.
    pub hold_id: String,
    /// The order.
    pub order_id: String,
    /// The account.
    pub account: String,
    /// The card.
    pub instrument: String,
}

/// T3: what became of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The provider's event, if it came by one.
    pub event_id: Option<String>,
    /// Our attempt, if it is named.
    pub attempt_id: Option<String>,
    /// The provider's reference.
    pub psp_ref: String,
    /// What happened.
    pub kind: OutcomeKind,
}

/// What happened to a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// Money came.
    Captured {
        /// Minor units.
        amount: u32,
        /// Lower-case ISO 4217.
        currency: String,
    },
    /// It will never come.
    Cancelled,
    /// Not this time; the buyer may try again.
    Declined,
}

/// T3's verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutcomeVerdict {
    /// This event was taken in before.
    Repeated,
    /// No such attempt; nothing was written.
    Unknown,
    /// Nothing changed.
    Nothing,
    /// The hold is sold.
    Confirmed {
        /// The sold hold, where its units are.
        sold: Removed,
        /// Units were taken again, without the store's knowledge.
        reheld: bool,
    },
    /// The money is to go back; perhaps units do too.
    RefundDue(Option<Removed>),
    /// The payment failed for good; units are free.
    Failed(Removed),
}

/// A hold that left its bucket, or is sold in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The hold.
    pub hold_id: String,
    /// Where its units are or go.
    pub releases: Vec<Release>,
}

/// Units on their way back to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// Which bucket.
    pub bucket: Bucket,
    /// Its epoch when they were let go.
    pub epoch: u64,
    /// Whose they were.
    pub hold_id: String,
    /// How many.
    pub quantity: i64,
}

/// What becomes of a wish to cancel a hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoveVerdict {
    /// Given back now.
    Removed(Removed),
    /// It is in this state already or still.
    State(State),
    /// There is no such hold.
    Unknown,
    /// It is somebody else's.
    Foreign,
}

/// What becomes of a wish to cancel an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marked {
    /// Cancel this at the provider.
    Paying(Checkout),
    /// Nothing to cancel any more.
    Settled(OrderRecord),
    /// There is no such order.
    Unknown,
    /// It is somebody else's.
    Foreign,
}

/// T5: money to give back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    /// The attempt.
    pub attempt_id: String,
    /// The provider's reference.
    pub psp_ref: String,
    /// Which try of a refund.
    pub number: u32,
    /// Minor units that came.
    pub captured: u32,
}

/// T6: an attempt to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What it is about.
    pub checkout: Checkout,
    /// Its time is over: cancel it.
    pub overdue: bool,
}

/// T7: a bucket as the store must know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// Its new epoch.
    pub epoch: u64,
    /// cap − taken.
    pub free: i64,
    /// Who holds the rest.
    pub live: Vec<Live>,
}

/// A bucket in the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketState {
    /// Which.
    pub bucket: Bucket,
    /// Its epoch.
    pub epoch: u64,
    /// cap − taken.
    pub free: i64,
}

/// What configuring an event did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Configured {
    /// Stored; these buckets are new or grew.
    Stored(Vec<Bucket>),
    /// It was so before.
    Unchanged,
    /// Stock or shards cannot be taken back.
    Shrinks(String),
}

/// A hold as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldRecord {
    /// The event.
    pub event: String,
    /// Whose.
    pub account: String,
    /// Where it is.
    pub state: State,
    /// Its lines.
    pub items: Vec<HoldItem>,
    /// What was promised.
    pub until_ms: u64,
    /// The promise is over by the ledger's clock.
    pub over: bool,
}

/// An order as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderRecord {
    /// Its place in the list.
    pub seq: i64,
    /// The order.
    pub order_id: String,
    /// Its hold.
    pub hold_id: String,
    /// Whose.
    pub account: String,
    /// Its state.
    pub status: OrderStatus,
    /// Its lines.
    pub items: Vec<HoldItem>,
    /// Minor units.
    pub amount: u32,
    /// Lower-case ISO 4217.
    pub currency: String,
    /// The provider's reference and the client secret, while it can be paid.
    pub payment: Option<(String, String)>,
}

/// The stock of a SKU by the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkuCount {
    /// The SKU.
    pub sku: String,
    /// Units released.
    pub released: i64,
    /// Units held or being paid.
    pub held: i64,
    /// Units sold.
    pub confirmed: i64,
}
