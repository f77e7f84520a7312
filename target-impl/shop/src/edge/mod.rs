//! The edge of the shop: what stands between the crowd and the gateway.
//!
//! [`Edge`] holds the waiting rooms, the keys and the guards, implements [`Gatekeeper`](crate::gatekeeper::Gatekeeper)
//! and listens to the gateway for events; [`router`] is what it answers over HTTP: the landing page, the puzzle, the
//! waiting room and the public keys.

mod captcha;
mod gate;
mod keys;
mod landing;
mod puzzle;
mod room;
mod routes;
mod service;
mod ticket;
mod token;
mod velocity;

pub use captcha::{CaptchaError, CaptchaVerifier, HttpCaptcha};
pub use keys::KeyRing;
pub(crate) use routes::document;
pub use routes::router;
pub use service::{Edge, EdgeError, EdgeMetrics, StockSource};
