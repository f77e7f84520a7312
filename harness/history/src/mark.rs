//! What happened beside the operations: faults, the provider's ledger and deliveries, phases of the run.

use crate::call::words;
use crate::{
    BuyerId, ChargeId, DeliveryId, HoldId, InstrumentId, Nanos, NoteId, OrderId, RefundId,
};
use serde::{Deserialize, Serialize};

/// One mark: an instant and what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// When, on the harness's clock.
    pub at: Nanos,
    /// What.
    pub kind: MarkKind,
}

/// What a mark says. Charges, refunds and deliveries are the harness's own ledger (evidence E1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the fields are words of the dictionary")]
pub enum MarkKind {
    /// A phase begins.
    Phase(PhaseName),
    /// A fault, at one of its stages. `target` says on what.
    Fault { name: NoteId, target: Option<NoteId>, stage: FaultStage },
    /// A payment attempt changes. Order, hold and buyer are what the target wrote into the attempt's metadata.
    Charge {
        charge: ChargeId,
        order: Option<OrderId>,
        hold: Option<HoldId>,
        buyer: Option<BuyerId>,
        instrument: Option<InstrumentId>,
        /// Minor units (cents).
        amount: u32,
        stage: ChargeStage,
    },
    /// A refund changes.
    Refund { refund: RefundId, charge: ChargeId, amount: u32, stage: RefundStage },
    /// One attempt to deliver one event to the target's webhook. `status` is the HTTP status of the answer, 0 without one.
    /// `amount` is what the delivered event claims.
    Delivery {
        delivery: DeliveryId,
        charge: Option<ChargeId>,
        kind: DeliveryKind,
        label: DeliveryLabel,
        stage: DeliveryStage,
        status: u16,
        amount: u32,
    },
    /// Something to know when reading the run.
    Note(NoteId),
}

words! {
    /// The phases of a run, in their order.
    PhaseName {
        /// The target is being prepared.
        Setup = 1 "setup",
        /// Shoppers begin to arrive.
        Load = 2 "load",
        /// The last shopper is done; faults heal.
        Heal = 3 "heal",
        /// Indeterminate operations are being resolved.
        Resolve = 4 "resolve",
        /// Nothing is in flight; waiting for the longest ttl + grace.
        Quiesce = 5 "quiesce",
        /// First drain.
        DrainFirst = 6 "drain-1",
        /// Waiting for the first drain's holds to expire.
        QuiesceAgain = 7 "quiesce-2",
        /// Second drain.
        DrainSecond = 8 "drain-2",
        /// Last reads.
        FinalReads = 9 "final-reads",
        /// The record is complete.
        End = 10 "end",
    }
}
words! {
    /// The life of a fault.
    FaultStage {
        /// It was asked for.
        Requested = 1 "requested",
        /// It was felt, by a probe.
        Effective = 2 "effective",
        /// It is over, by a probe.
        Healed = 3 "healed",
        /// It was asked for and not felt: the run is undecided.
        Unfelt = 4 "unfelt",
        /// It could not be undone.
        Unhealed = 5 "unhealed",
    }
}
words! {
    /// The life of a payment attempt.
    ChargeStage {
        /// Created, no money moved.
        Created = 1 "created",
        /// Money taken.
        Captured = 2 "captured",
        /// A decline: the attempt may go on.
        Declined = 3 "declined",
        /// Cancelled: no money will move.
        Cancelled = 4 "cancelled",
        /// Failed for good.
        Failed = 5 "failed",
    }
}
words! {
    /// The life of a refund.
    RefundStage {
        /// Created.
        Created = 1 "created",
        /// Money returned.
        Succeeded = 2 "succeeded",
        /// Failed for good.
        Failed = 3 "failed",
    }
}
words! {
    /// What a delivered event says.
    DeliveryKind {
        /// `payment_intent.succeeded`.
        Succeeded = 1 "succeeded",
        /// `payment_intent.payment_failed`.
        PaymentFailed = 2 "payment-failed",
        /// `payment_intent.canceled`.
        Cancelled = 3 "cancelled",
        /// `charge.refunded` and other refund news.
        Refunded = 4 "refunded",
        /// Anything else.
        Other = 5 "other",
    }
}
words! {
    /// How a delivery was meant.
    DeliveryLabel {
        /// As the provider would.
        Genuine = 1 "genuine",
        /// The same event once more.
        Duplicate = 2 "duplicate",
        /// Held back, perhaps past the hold's time.
        Delayed = 3 "delayed",
        /// After a later event.
        Reordered = 4 "reordered",
        /// Before the create call was answered.
        Early = 5 "early",
        /// Signed by somebody else, for a payment that was never captured.
        Forged = 6 "forged",
        /// A genuine body with a signature too old to accept.
        Stale = 7 "stale",
        /// Rightly signed, with another amount than the order's.
        WrongAmount = 8 "wrong-amount",
    }
}
words! {
    /// The life of one delivery attempt.
    DeliveryStage {
        /// On its way.
        Sent = 1 "sent",
        /// Answered; `status` says how.
        Answered = 2 "answered",
        /// Dropped by a fault, never sent.
        Dropped = 3 "dropped",
        /// Sent, and no answer came.
        Lost = 4 "lost",
    }
}
