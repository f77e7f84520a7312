//! The words of a mapping. They are spelled as in a history.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident $word:literal $(or $alias:literal)?,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $($(#[$doc])* #[serde(rename = $word $(, alias = $alias)?)] $variant,)* }

        impl $name {
            /// Every word.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
            /// How it is spelled.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// What a shopper, or who runs the sale, wants.
    OperationName {
        /// Makes the sale.
        Provision "provision",
        /// Takes it away.
        Teardown "teardown",
        /// Reads the landing data.
        Landing "landing",
        /// Asks for a puzzle.
        Challenge "challenge",
        /// Joins the waiting room.
        Join "join",
        /// Asks whether it is its turn.
        Poll "poll",
        /// Sets units aside.
        Hold "hold",
        /// Makes a hold longer.
        Extend "extend",
        /// Gives a hold back.
        Release "release",
        /// Turns a hold into an order.
        Checkout "checkout",
        /// Pays.
        Pay "pay",
        /// Cancels an order.
        Cancel "cancel",
        /// Reads a hold.
        ReadHold "read-hold",
        /// Reads an order.
        ReadOrder "read-order" or "order",
        /// Lists a buyer's orders.
        ListOrders "list-orders",
        /// Reads the stock.
        Stock "stock",
    }
}

words! {
    /// What an answer means.
    ClassWord {
        /// It happened.
        Ok "ok",
        /// Accepted, not finished.
        Pending "pending",
        /// No stock.
        SoldOut "sold-out",
        /// A limit per account or instrument.
        Limit "limit",
        /// Still waiting for admission.
        Queued "queued",
        /// Token, ticket or puzzle refused.
        Denied "denied",
        /// Try later.
        Busy "busy",
        /// The state does not allow it.
        Conflict "conflict",
        /// The payment was declined.
        Declined "declined",
        /// Past its time.
        Expired "expired",
        /// The request is malformed.
        Invalid "invalid",
        /// No such hold or order.
        NotFound "not-found",
        /// The sale is not open yet.
        NotOpen "not-open",
        /// The target failed: nobody knows whether it happened.
        Error "error" or "indeterminate",
    }
}

words! {
    /// The state of a hold or an order.
    StateWord {
        /// Set aside.
        Held "held",
        /// Checked out, not paid.
        PendingPayment "pending-payment",
        /// Paid and sold.
        Confirmed "confirmed",
        /// The payment failed for good.
        PaymentFailed "payment-failed",
        /// Past its time.
        Expired "expired",
        /// Given back by its owner.
        Cancelled "cancelled",
        /// Money on its way back.
        Refunding "refunding",
        /// Money back.
        Refunded "refunded",
    }
}
