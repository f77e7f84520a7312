//! What a shopper means to do: a plan is a short list of acts.

/// One intention. What it takes to carry it out is in `play.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Looks at the landing data.
    Landing,
    /// Looks at the stock.
    Stock,
    /// Joins the waiting room.
    Join(JoinHow),
    /// Polls until admitted.
    Turn,
    /// Waits so many milliseconds.
    Think(u16),
    /// Waits until so many milliseconds after the opening (before it, if negative).
    Opening(i16),
    /// Waits until so many milliseconds before the hold's time is over.
    BeforeEnd(u16),
    /// Waits until the hold's time and its grace are certainly over.
    AfterEnd,
    /// Waits until the checkout token is certainly past its time.
    TokenEnd,
    /// Asks for units.
    Hold(HoldHow),
    /// Asks for a canary around the expiry of whoever has it, so many times at most.
    Chase(u8),
    /// Reads the hold.
    ReadHold,
    /// Gives the hold back.
    Release,
    /// Makes an order of the hold.
    Checkout(CheckoutHow),
    /// Pays.
    Pay(PayHow),
    /// Cancels the order.
    Cancel,
    /// Reads the order until it is final.
    Follow,
    /// Takes what is left, whatever it is (drains only).
    Drain,
    /// Goes.
    Leave,
}

/// How to join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinHow {
    /// Solves the puzzle.
    Solve,
    /// Shows no solution; must be refused.
    NoPuzzle,
    /// Shows a wrong solution; must be refused.
    Forged,
    /// Shows a solution that somebody else spent; must be refused.
    Foreign,
    /// Shows the own solution again; must be refused.
    Again,
}

/// How to ask for units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldHow {
    /// As meant.
    Plain,
    /// Together with others, at once.
    Barrier,
    /// The same twice at once, on two lines.
    Twice,
    /// The same once more, with the same key.
    Again,
    /// The same key with another body.
    OtherBody,
    /// More than the limit allows.
    OverLimit,
    /// Zero units.
    Zero,
    /// Minus one unit.
    Negative,
    /// Without a token.
    NoToken,
    /// Before the opening.
    Early,
    /// With a token whose signature is wrong.
    BadSignature,
    /// With a token that names no algorithm.
    AlgorithmNone,
    /// With a token past its time.
    Expired,
    /// With somebody else's token.
    Stolen,
}

/// How to check out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckoutHow {
    /// As meant.
    Plain,
    /// The same twice at once, on two lines.
    Twice,
    /// The same once more, with the same key.
    Again,
    /// After the hold was given back.
    AfterCancel,
    /// After the hold's time.
    AfterExpiry,
}

/// How to pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayHow {
    /// As meant.
    Plain,
    /// After the order was cancelled.
    AfterCancel,
}
