//! A waiting room: one an event.
//!
//! [`Room`] is what requests see: who waits where, from memory, by atomic reads. Each room's conductor is its only
//! writer: it takes in joins, draws the lottery, drops who left and admits at the event's pace; each of its rounds is one
//! transaction of the ledger ([`store`]), and only after its commit is anybody told.

mod conductor;
mod lottery;
mod member;
mod pace;
mod store;
mod view;

pub(crate) use conductor::{Conductor, Join, Tools};
pub(crate) use member::State;
pub(crate) use store::{Loaded, Store};
pub(crate) use view::Room;
