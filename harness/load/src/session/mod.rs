//! One shopper: where in the program, what it has, and what to make of an answer.
//!
//! A session does no I/O and reads no clock: it is told the time and the answer, and says what comes next.

mod learn;
mod shopper;
#[cfg(test)]
mod transcripts;
mod want;

pub(crate) use shopper::{Flow, Scene, Shopper, Twin, Want, nanos, shopper_chance};
