//! `replayer`: uses what is used.

use super::wish;
use super::{Entry, never};
use crate::act::{Act, HoldHow, JoinHow};
use crate::me::Me;
use crate::world::World;

pub(super) const ENTRY: Entry = Entry {
    name: "replayer",
    help: "Joins with a solution that somebody else spent, asks for units with somebody else's token, keeps its own until \
           it is past its time and uses it then, and joins once more with its own spent solution. All of it must be \
           refused.",
    plan,
    early: never,
};

fn plan(me: &mut Me, _nth: u32, world: &World) {
    wish::hot(me, 1, world);
    me.then(&[Act::Landing, Act::Join(JoinHow::Foreign), Act::Join(JoinHow::Solve)]);
    me.then(&[Act::Hold(HoldHow::Stolen), Act::Turn, Act::Hold(HoldHow::Stolen), Act::TokenEnd]);
    me.then(&[Act::Hold(HoldHow::Expired), Act::Join(JoinHow::Again)]);
}
