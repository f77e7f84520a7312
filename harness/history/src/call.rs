//! The vocabulary of calls and answers. Each word is spelled the same in notation, JSON and on disk.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $code:literal $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* #[serde(rename = $word)] $variant = $code,)* }

        impl $name {
            /// Every value, in the order of the codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
            /// The word in notation, JSON and reports.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
            /// The byte on disk.
            pub const fn code(self) -> u8 {
                self as u8
            }
            /// Reads the byte on disk back.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
            /// Reads a word back.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }
    };
}
pub(crate) use words;

words! {
    /// What a shopper asks for.
    CallKind {
        /// Reads the landing data.
        Landing = 1 "landing",
        /// Asks for a proof-of-work puzzle.
        Challenge = 2 "challenge",
        /// Joins the waiting room. Answer: `value` = position, counted from 1.
        Join = 3 "join",
        /// Asks whether it is its turn. `Ok` = admitted (`value` = position), `queued` = not yet (`value` = ahead).
        Poll = 4 "poll",
        /// Sets units aside. Answer: `hold`, `value` = promised time to live in ms.
        Hold = 5 "hold",
        /// Gives a hold back.
        Release = 6 "release",
        /// Turns a hold into an order. Answer: `order`, `charge`.
        Checkout = 7 "checkout",
        /// Confirms the payment at the provider.
        Pay = 8 "pay",
        /// Cancels an order.
        Cancel = 9 "cancel",
        /// Reads one hold. Answer: `state`.
        ReadHold = 10 "read-hold",
        /// Reads one order. Answer: `state`, `hold`.
        ReadOrder = 11 "read-order",
        /// Lists a buyer's orders. Answer: one [`crate::Line::Order`] an order and SKU.
        ListOrders = 12 "list-orders",
        /// Reads the stock. Answer: one [`crate::Line::Stock`] a SKU.
        Stock = 13 "stock",
    }
}

words! {
    /// What kind of answer came, or did not.
    Class {
        /// It happened.
        Ok = 1 "ok",
        /// Accepted, not finished.
        Pending = 2 "pending",
        /// No stock.
        SoldOut = 3 "sold-out",
        /// A limit per account or instrument.
        Limit = 4 "limit",
        /// Still waiting for admission.
        Queued = 5 "queued",
        /// Token, ticket or puzzle refused.
        Denied = 6 "denied",
        /// Try later (429, 503, key in flight).
        Busy = 7 "busy",
        /// The state does not allow it (already holding, already paid).
        Conflict = 8 "conflict",
        /// The payment was declined.
        Declined = 9 "declined",
        /// The hold, position or token is past its time.
        Expired = 10 "expired",
        /// The request is malformed, or its key was used with another body.
        Invalid = 11 "invalid",
        /// No such hold or order.
        NotFound = 12 "not-found",
        /// The sale is not open yet.
        NotOpen = 13 "not-open",
        /// The target says that it failed.
        Error = 14 "error",
        /// No answer in time.
        Timeout = 15 "timeout",
        /// The connection broke after the request may have left.
        Disconnected = 16 "disconnected",
        /// No connection: the request never left.
        Unreachable = 17 "unreachable",
        /// An answer that no rule of the mapping knows.
        Unknown = 18 "unknown",
    }
}

words! {
    /// How an operation was meant, and so which outcomes are allowed.
    Label {
        /// An ordinary request.
        Ordinary = 0 "ordinary",
        /// Resolves an indeterminate operation (`link`) with the same key, or a later read.
        Resolve = 1 "resolve",
        /// The same key and body once more (`link`): must answer the same resource.
        Replay = 2 "replay",
        /// The same key (`link`) with another body: must be refused.
        OtherBody = 3 "other-body",
        /// A checkout token that the target did not sign.
        ForgedToken = 4 "forged-token",
        /// A checkout token past its time.
        ExpiredToken = 5 "expired-token",
        /// Another buyer's checkout token.
        ReplayedToken = 6 "replayed-token",
        /// No checkout token at all: goes around the queue.
        NoToken = 7 "no-token",
        /// Joins with no puzzle solution.
        NoPuzzle = 8 "no-puzzle",
        /// Joins with a solution that is wrong or signed by nobody.
        ForgedPuzzle = 9 "forged-puzzle",
        /// Joins with a solution that was spent already.
        ReusedPuzzle = 10 "reused-puzzle",
        /// Before the sale opens: must be refused.
        Early = 11 "early",
        /// Quantity 0 or less: must be refused.
        BadQuantity = 12 "bad-quantity",
        /// Checks out or pays a hold that the same buyer gave back: must be refused or refunded.
        AfterCancel = 13 "after-cancel",
        /// Checks out a hold after its time: must be refused.
        AfterExpiry = 14 "after-expiry",
        /// More units than the limit allows: must be refused.
        OverLimit = 15 "over-limit",
        /// The first drain after quiescence.
        DrainFirst = 16 "drain-1",
        /// The second drain, one ttl + grace later.
        DrainSecond = 17 "drain-2",
        /// Asks for a unit whose hold is about to expire.
        Chase = 18 "chase",
        /// A last read.
        Final = 19 "final",
    }
}

words! {
    /// The state of a hold or an order, as read.
    State {
        /// Set aside.
        Held = 1 "held",
        /// Checked out, not paid.
        PendingPayment = 2 "pending-payment",
        /// Paid and sold.
        Confirmed = 3 "confirmed",
        /// The payment failed for good.
        PaymentFailed = 4 "payment-failed",
        /// Past its time.
        Expired = 5 "expired",
        /// Given back by its owner.
        Cancelled = 6 "cancelled",
        /// Money on its way back.
        Refunding = 7 "refunding",
        /// Money back.
        Refunded = 8 "refunded",
    }
}

/// What is known of an operation's effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It happened, inside the interval.
    Ok,
    /// It certainly did not happen.
    Failed(Class),
    /// Nobody knows whether it happened, or will.
    Indeterminate(Class),
}

/// What an answer of a class says by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// It happened.
    Happened,
    /// It certainly did nothing.
    DidNothing,
    /// Nobody knows.
    NobodyKnows,
}

impl Class {
    /// What an answer of this class says by itself; a mapping may weaken it, never strengthen it.
    pub const fn certainty(self) -> Certainty {
        match self {
            Self::Ok | Self::Pending => Certainty::Happened,
            Self::Error | Self::Timeout | Self::Disconnected | Self::Unknown => {
                Certainty::NobodyKnows
            }
            _ => Certainty::DidNothing,
        }
    }
    /// The outcome that follows from [`Self::certainty`].
    pub const fn outcome(self) -> Outcome {
        match self.certainty() {
            Certainty::Happened => Outcome::Ok,
            Certainty::DidNothing => Outcome::Failed(self),
            Certainty::NobodyKnows => Outcome::Indeterminate(self),
        }
    }
}

impl Outcome {
    /// The class, with `Ok` for a success.
    pub const fn class(self) -> Class {
        match self {
            Self::Ok => Class::Ok,
            Self::Failed(class) | Self::Indeterminate(class) => class,
        }
    }
    /// It happened.
    pub const fn is_ok(self) -> bool {
        matches!(self, Self::Ok)
    }
    /// Nobody knows.
    pub const fn is_indeterminate(self) -> bool {
        matches!(self, Self::Indeterminate(_))
    }
}
