//! What goes in and out of a shopper's head: what was seen, and what is asked next.

use onsale_history::{
    CallKind, ChargeId, Class, HoldId, Label, Nanos, OpId, OrderId, Outcome, State,
};

/// Some units of a SKU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// The SKU's index.
    pub sku: u16,
    /// Units; below 1 in attacks.
    pub quantity: i16,
}

/// What a shopper asks for. Hold, order and payment attempt are the shopper's present ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// What.
    pub kind: CallKind,
    /// How it is meant.
    pub label: Label,
    /// The lines of a hold.
    pub items: [Option<Item>; 3],
    /// The number of the idempotency key, among the shopper's.
    pub key: Option<u8>,
    /// The checkout token.
    pub pass: Pass,
    /// The puzzle's solution.
    pub proof: Proof,
    /// The operation it repeats or abuses.
    pub link: Option<OpId>,
    /// Is it sent twice at once?
    pub twice: bool,
    /// Does it wait for others just before the commit point?
    pub barrier: bool,
}

/// Which checkout token to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// The own one.
    Own,
    /// None.
    Absent,
    /// The own one with another signature.
    BadSignature,
    /// The own claims unsigned.
    AlgorithmNone,
    /// Somebody else's.
    Stolen,
}

/// Which solution to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// None.
    Absent,
    /// The own one.
    Own,
    /// A wrong one.
    Forged,
    /// Somebody else's, which was spent.
    Foreign,
}

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// This is asked, at this time.
    Ask(Ask, Nanos),
    /// Nothing until this time; then [`Seen::Woke`].
    Wait(Nanos),
    /// The puzzle that came is solved; then [`Seen::Solved`].
    Solve,
    /// The shopper is gone.
    Leave,
}

/// What a shopper sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The shopper arrives.
    Begin,
    /// The time came.
    Woke,
    /// The puzzle was solved, or could not be.
    Solved(bool),
    /// An answer.
    Answer(Sight),
}

/// What a shopper sees of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// What was asked.
    pub kind: CallKind,
    /// The operation.
    pub op: OpId,
    /// Before it left.
    pub start: Nanos,
    /// After it came.
    pub end: Nanos,
    /// What kind of answer.
    pub class: Class,
    /// What is known.
    pub outcome: Outcome,
    /// The hold.
    pub hold: Option<HoldId>,
    /// The order.
    pub order: Option<OrderId>,
    /// The payment attempt.
    pub charge: Option<ChargeId>,
    /// The state that was read.
    pub state: Option<State>,
}

/// What a shopper can look at besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Now.
    pub now: Nanos,
    /// When the last known hold of the wished canary ends; zero if nobody is known to have it.
    pub canary_ends: Nanos,
    /// Is there somebody else's token to be had?
    pub stolen: bool,
    /// Is there somebody else's spent solution to be had?
    pub spent: bool,
    /// What a drain should take next.
    pub todo: Option<Item>,
}

impl Ask {
    /// Asks for something that needs nothing but its kind.
    pub const fn of(kind: CallKind) -> Self {
        Self {
            kind,
            label: Label::Ordinary,
            items: [None; 3],
            key: None,
            pass: Pass::Own,
            proof: Proof::Absent,
            link: None,
            twice: false,
            barrier: false,
        }
    }
    /// The same, meant otherwise.
    #[must_use]
    pub const fn labelled(mut self, label: Label) -> Self {
        self.label = label;
        self
    }
}
