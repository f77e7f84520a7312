//! Errors by RFC 9457 (`application/problem+json`) with stable codes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $word:literal $status:literal $definite:literal $title:literal;)*) => {
        /// Why a request was refused. Each code says whether the request certainly did nothing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        pub enum ErrorCode { $($(#[$doc])* #[serde(rename = $word)] $name,)* }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
            /// The stable word, also the last part of `type`.
            pub const fn word(self) -> &'static str { match self { $(Self::$name => $word,)* } }
            /// HTTP status.
            pub const fn status(self) -> u16 { match self { $(Self::$name => $status,)* } }
            /// The request certainly did nothing.
            pub const fn is_definite(self) -> bool { match self { $(Self::$name => $definite,)* } }
            /// For people.
            pub const fn title(self) -> &'static str { match self { $(Self::$name => $title,)* } }
        }
    };
}

codes! {
    /// No such event.
    EventNotFound "event-not-found" 404 true "There is no such event";
    /// No such SKU.
    SkuNotFound "sku-not-found" 404 true "There is no such item";
    /// No such hold.
    HoldNotFound "hold-not-found" 404 true "There is no such hold";
    /// No such order.
    OrderNotFound "order-not-found" 404 true "There is no such order";
    /// The sale is not open.
    NotOpen "not-open" 425 true "The sale is not open yet";
    /// No stock.
    SoldOut "sold-out" 409 true "Sold out";
    /// More than an account or an instrument may have.
    LimitExceeded "limit-exceeded" 409 true "The limit per account or card is reached";
    /// The account holds units already, and the event allows one hold.
    AlreadyHolding "already-holding" 409 true "You are holding units already";
    /// The same key is being worked on.
    KeyInFlight "key-in-flight" 409 true "This request is being worked on; ask again";
    /// The key was used with another body.
    KeyReused "key-reused" 422 true "This idempotency key was used with another body";
    /// The state does not allow it.
    StateConflict "state-conflict" 409 true "The state does not allow this";
    /// The hold is past its time.
    HoldExpired "hold-expired" 410 true "The hold has expired";
    /// The hold was given back.
    HoldCancelled "hold-cancelled" 409 true "The hold was given back";
    /// The position in the queue was abandoned.
    PositionExpired "position-expired" 410 true "Your place in the queue has expired";
    /// No token.
    TokenMissing "token-missing" 401 true "A checkout token is needed";
    /// The token was not signed by us.
    TokenInvalid "token-invalid" 401 true "The checkout token is not valid";
    /// The token is past its time.
    TokenExpired "token-expired" 401 true "The checkout token has expired";
    /// The token belongs to somebody else.
    TokenForeign "token-foreign" 403 true "The checkout token belongs to somebody else";
    /// No ticket, or one that we did not sign.
    TicketInvalid "ticket-invalid" 401 true "The queue ticket is not valid";
    /// The puzzle was not solved.
    PuzzleInvalid "puzzle-invalid" 403 true "The puzzle is not solved";
    /// The solution was used before.
    PuzzleSpent "puzzle-spent" 403 true "This puzzle was used before";
    /// The CAPTCHA verifier refused.
    CaptchaFailed "captcha-failed" 403 true "The CAPTCHA was not passed";
    /// Too many accounts on one device, or too many requests of one account.
    Velocity "velocity" 429 true "Too many requests from this device or account";
    /// Somebody else's hold or order.
    Forbidden "forbidden" 403 true "This belongs to somebody else";
    /// The waiting room is full.
    QueueFull "queue-full" 503 true "The waiting room is full";
    /// The queue is not open yet.
    QueueNotOpen "queue-not-open" 425 true "The waiting room is not open yet";
    /// Malformed request, quantity below 1, unknown field.
    InvalidRequest "invalid-request" 400 true "The request is not valid";
    /// No idempotency key.
    KeyMissing "key-missing" 400 true "An Idempotency-Key is needed";
    /// The webhook's signature is wrong or too old.
    SignatureInvalid "signature-invalid" 400 true "The signature is not valid";
    /// The webhook is about something that is not known yet: send it again.
    UnknownPayment "unknown-payment" 404 true "This payment is not known yet; send it again";
    /// Admission could not be had in time: nothing was done.
    Overloaded "overloaded" 503 true "Too busy; try again";
    /// Something failed in the middle.
    Internal "internal" 500 false "Something failed; it may or may not have happened";
}

/// The body of an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// `urn:onsale:problem:<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    /// For people.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// The stable code.
    pub code: ErrorCode,
    /// The request certainly did nothing.
    pub definite: bool,
    /// What this request ran into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Seconds to wait, as in `Retry-After`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
}

impl Problem {
    /// The body of a code.
    pub fn new(code: ErrorCode) -> Self {
        Self {
            kind: format!("urn:onsale:problem:{}", code.word()),
            title: code.title().to_owned(),
            status: code.status(),
            code,
            definite: code.is_definite(),
            detail: None,
            retry_after_s: None,
        }
    }
    /// With what this request ran into.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
    /// With a time to wait.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }
}
