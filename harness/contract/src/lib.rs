//! What a target promises on the wire: types, error codes, headers, and the OpenAPI document made from them.
//!
//! Identifiers are opaque strings here; a history has dense integers. `onsale-client` is the only translator.

pub mod admin;
pub mod challenge;
pub mod event;
pub mod hold;
pub mod order;
pub mod problem;
pub mod queue;

/// Header that carries the idempotency key; quoted and unquoted values are accepted.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// Header that names the device of the shopper.
pub const DEVICE: &str = "x-device";
/// Header that carries a CAPTCHA answer, when the target asks for one.
pub const CAPTCHA: &str = "x-captcha";
/// Cookie of the waiting room: `<user>:<exp>:<signature>`.
pub const QUEUE_TICKET: &str = "queue_ticket";
/// Header of the payment provider's signature (Stripe's scheme).
pub const STRIPE_SIGNATURE: &str = "stripe-signature";
