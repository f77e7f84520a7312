//! `forger`: makes its own papers.

use super::wish;
use super::{Entry, never};
use crate::act::{Act, HoldHow, JoinHow};
use crate::me::Me;
use crate::world::World;

pub(super) const ENTRY: Entry = Entry {
    name: "forger",
    help: "Joins without a puzzle and with a wrong solution, asks for units with a token that nobody signed, with one \
           that names no algorithm and with none, and for zero units and minus one. All of it must be refused.",
    plan,
    early: never,
};

fn plan(me: &mut Me, nth: u32, world: &World) {
    wish::hot(me, 1, world);
    me.then(&[Act::Landing, Act::Join(JoinHow::NoPuzzle), Act::Join(JoinHow::Forged)]);
    me.then(&[Act::Join(JoinHow::Solve), Act::Hold(HoldHow::NoToken), Act::Turn]);
    me.then(&[Act::Hold(HoldHow::BadSignature), Act::Hold(HoldHow::AlgorithmNone)]);
    let last = if nth % 2 == 0 { HoldHow::Zero } else { HoldHow::Negative };
    me.then(&[Act::Hold(HoldHow::NoToken), Act::Hold(last)]);
}
