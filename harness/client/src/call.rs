//! What is asked, and what came back.

use onsale_history::{
    CallKind, ChargeId, Class, HoldId, InstrumentId, KeyId, Label, Line, Nanos, OpId, OrderId,
    Outcome, ProcessId, SkuId, State,
};
use std::sync::Arc;
use std::time::Duration;

/// What a shopper asks for.
#[derive(Clone, Debug)]
pub struct Call {
    /// What.
    pub kind: CallKind,
    /// How it is meant; a label that alters the request (`other-body`, `forged-token`) does it here.
    pub label: Label,
    /// The line of operations it belongs to.
    pub process: ProcessId,
    /// When it should leave; latency counts from here.
    pub due: Nanos,
    /// The lines of a hold. A quantity below 1 is sent as it is and recorded as 0.
    pub items: Vec<(SkuId, i64)>,
    /// The hold it is about.
    pub hold: Option<HoldId>,
    /// The order it is about.
    pub order: Option<OrderId>,
    /// The payment attempt it is about.
    pub charge: Option<ChargeId>,
    /// The idempotency key.
    pub key: Option<KeyId>,
    /// The card.
    pub instrument: Option<InstrumentId>,
    /// The operation that it resolves, repeats or abuses.
    pub link: Option<OpId>,
    /// A puzzle's solution (base64 of ALTCHA's payload).
    pub puzzle: Option<String>,
    /// Which checkout token to show.
    pub token: Token,
}

/// Which checkout token to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// The buyer's own.
    Own,
    /// None.
    Absent,
    /// The buyer's own with another signature.
    BadSignature,
    /// The buyer's own claims under `alg: none`.
    AlgorithmNone,
    /// This one (stolen, or kept past its time).
    This(Arc<str>),
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The operation in the history.
    pub op: OpId,
    /// Before the first byte left.
    pub start: Nanos,
    /// After the last byte was read, or when waiting ended.
    pub end: Nanos,
    /// What kind of answer.
    pub class: Class,
    /// What is known.
    pub outcome: Outcome,
    /// HTTP status, 0 without one.
    pub status: u16,
    /// The hold.
    pub hold: Option<HoldId>,
    /// The order.
    pub order: Option<OrderId>,
    /// The payment attempt.
    pub charge: Option<ChargeId>,
    /// The state that was read.
    pub state: Option<State>,
    /// See [`CallKind`].
    pub value: u32,
    /// Lines of a list.
    pub lines: Vec<Line>,
    /// `Retry-After`.
    pub retry_after: Option<Duration>,
    /// The puzzle, as it came (JSON).
    pub challenge: Option<String>,
}

impl Call {
    /// A call that names nothing but its kind.
    pub fn of(kind: CallKind, process: ProcessId, due: Nanos) -> Self {
        Self {
            kind,
            label: Label::Ordinary,
            process,
            due,
            items: vec![],
            hold: None,
            order: None,
            charge: None,
            key: None,
            instrument: None,
            link: None,
            puzzle: None,
            token: Token::Own,
        }
    }
}
