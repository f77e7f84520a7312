//! Operations and the whole history.

use crate::{
    BuyerId, CallKind, ChargeId, Header, HoldId, InstrumentId, KeyId, Label, Mark, Nanos, OpId,
    OrderId, Outcome, ProcessId, SkuId, State,
};

/// What is written before the first byte leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// What is asked for.
    pub kind: CallKind,
    /// How it is meant.
    pub label: Label,
    /// The line of operations it belongs to.
    pub process: ProcessId,
    /// Who asks.
    pub buyer: BuyerId,
    /// The first line of a hold; further lines follow as [`Line::Item`].
    pub sku: Option<SkuId>,
    /// Units of `sku`. Bad quantities (labelled) are recorded as 0.
    pub quantity: u32,
    /// The hold it is about.
    pub hold: Option<HoldId>,
    /// The order it is about.
    pub order: Option<OrderId>,
    /// The idempotency key it carries.
    pub key: Option<KeyId>,
    /// The card it names.
    pub instrument: Option<InstrumentId>,
    /// The payment attempt it is about.
    pub charge: Option<ChargeId>,
    /// The operation that it resolves, repeats or abuses.
    pub link: Option<OpId>,
    /// How late it left after it was due.
    pub late_us: u32,
}

/// What is written after the last byte was read, or when waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What is known.
    pub outcome: Outcome,
    /// The hold that was granted or read.
    pub hold: Option<HoldId>,
    /// The order that was made or read.
    pub order: Option<OrderId>,
    /// The payment attempt that belongs to the order.
    pub charge: Option<ChargeId>,
    /// The state that was read.
    pub state: Option<State>,
    /// See [`CallKind`]: position, ahead, time to live in ms.
    pub value: u32,
    /// HTTP status, 0 without an answer.
    pub status: u16,
}

/// A further line of a call (side `call`) or of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are words of the dictionary")]
pub enum Line {
    /// One more SKU of a cart.
    Item { sku: SkuId, quantity: u32 },
    /// One order and SKU of a list.
    Order { order: OrderId, hold: Option<HoldId>, sku: SkuId, quantity: u32, state: State },
    /// The stock of one SKU.
    Stock { sku: SkuId, total: u32, available: u32, held: u32, confirmed: u32 },
}

/// Where a line belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// To what was asked.
    Call,
    /// To what was answered.
    Answer,
}

/// A call with its outcome and its interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its number.
    pub id: OpId,
    /// Before the first byte left.
    pub start: Nanos,
    /// After the last byte was read; [`Nanos::NEVER`] when indeterminate.
    pub end: Nanos,
    /// What was asked.
    pub call: Invocation,
    /// What is known. An unpaired invocation is `Indeterminate(Timeout)` with nothing else.
    pub answer: Completion,
    /// Its further lines: a range of [`History::lines`].
    pub lines: (u32, u32),
}

/// A whole run, paired and in order.
#[derive(Clone, Debug)]
pub struct History {
    /// The facts.
    pub header: Header,
    /// Sorted by `start`, then `id`.
    pub operations: Vec<Operation>,
    /// Further lines, grouped by operation.
    pub lines: Vec<(Side, Line)>,
    /// Sorted by `at`; [`crate::MarkId`] is the index.
    pub marks: Vec<Mark>,
    /// The run was sealed: nothing is missing at the end.
    pub sealed: bool,
}

impl Operation {
    /// The kind of call.
    pub const fn kind(&self) -> CallKind {
        self.call.kind
    }
    /// What is known.
    pub const fn outcome(&self) -> Outcome {
        self.answer.outcome
    }
    /// The hold that was granted, read, or named in the call.
    pub fn hold(&self) -> Option<HoldId> {
        self.answer.hold.or(self.call.hold)
    }
    /// The order that was made, read, or named in the call.
    pub fn order(&self) -> Option<OrderId> {
        self.answer.order.or(self.call.order)
    }
    /// It ended before `other` began.
    pub fn precedes(&self, other: &Self) -> bool {
        self.end < other.start
    }
}

impl History {
    /// The further lines of an operation on one side.
    pub fn lines_of(&self, operation: &Operation, side: Side) -> impl Iterator<Item = &Line> {
        let (from, to) = operation.lines;
        self.lines[from as usize..to as usize]
            .iter()
            .filter(move |(at, _)| *at == side)
            .map(|(_, line)| line)
    }
    /// All (SKU, units) lines that a hold asks for, the first one included.
    pub fn items_of(&self, operation: &Operation) -> impl Iterator<Item = (SkuId, u32)> {
        let first = operation.call.sku.map(|sku| (sku, operation.call.quantity));
        first.into_iter().chain(self.lines_of(operation, Side::Call).filter_map(
            |line| match *line {
                Line::Item { sku, quantity } => Some((sku, quantity)),
                _ => None,
            },
        ))
    }
}

impl Completion {
    /// An answer that never came.
    pub const fn open() -> Self {
        Self::of(Outcome::Indeterminate(crate::Class::Timeout))
    }
    /// An answer that says nothing but its outcome.
    pub const fn of(outcome: Outcome) -> Self {
        Self { outcome, hold: None, order: None, charge: None, state: None, value: 0, status: 0 }
    }
}

impl Invocation {
    /// A call that names nothing but its kind and its buyer.
    pub const fn of(kind: CallKind, process: ProcessId, buyer: BuyerId) -> Self {
        Self {
            kind,
            label: Label::Ordinary,
            process,
            buyer,
            sku: None,
            quantity: 0,
            hold: None,
            order: None,
            key: None,
            instrument: None,
            charge: None,
            link: None,
            late_us: 0,
        }
    }
}
