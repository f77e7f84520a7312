//! The record of a run: what was asked, what was answered, what was broken, and what nobody knows.
//!
//! A [`History`] is self-contained: its [`Header`] holds the facts of the sale, so that it can be judged
//! anywhere, by anyone. This crate knows nothing of HTTP, YAML or verdicts.

mod call;
pub mod export;
pub mod file;
mod header;
mod ids;
mod mark;
mod names;
pub mod notation;
mod operation;
mod recorder;

pub use call::{CallKind, Certainty, Class, Label, Outcome, State};
pub use file::{Damage, Health, Recording, open, verify};
pub use header::{
    ConfirmPolicy, Header, LateCapture, QueueFacts, QueueMethod, SaleFacts, SkuFacts, SkuRole,
    SoldOutPolicy, Wave,
};
pub use ids::{
    BuyerId, ChargeId, DeliveryId, HoldId, InstrumentId, KeyId, MarkId, Nanos, NoteId, OpId,
    OrderId, ProcessId, RefundId, SkuId,
};
pub use mark::{
    ChargeStage, DeliveryKind, DeliveryLabel, DeliveryStage, FaultStage, Mark, MarkKind, PhaseName,
    RefundStage,
};
pub use names::{Named, Names, Namespace};
pub use operation::{Completion, History, Invocation, Line, Operation, Side};
pub use recorder::{Clock, MarkSink, Memory, Record, RecordError, Scribe};
