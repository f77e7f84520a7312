//! Proof of work in the two protocols of ALTCHA with SHA-256: puzzle, solve, verify.
//!
//! [`Issuer`] is the server: it makes puzzles, bound to what the caller names, and verifies solutions; remembering which
//! were spent is the caller's. [`solve_json`] and [`forge`] are the client, from the puzzle as it came over the wire to
//! the payload that goes back. [`v1`] and [`v2`] are the two protocols themselves.
//!
//! Nothing here reads a clock or draws a number: the time and the entropy are passed in.

pub mod v1;
pub mod v2;

mod error;
mod issuer;
mod shopper;
mod wire;

pub use error::{PowError, Rejection};
pub use issuer::{Difficulty, Issuer, Puzzle, Scheme, Terms, Verified};
pub use shopper::{forge, solve_json};
