//! A shopper's head: from what was seen to what is asked next. Pure: no I/O, no clock, no chance but its own.

mod perform;
mod settle;

use crate::act::{Act, JoinHow};
use crate::ask::{Ask, Next, Seen, View};
use crate::me::Me;
use crate::world::World;
use onsale_history::Nanos;

/// Times that a shopper joins again after its turn or token was lost.
const REJOINS_MAX: u8 = 4;

/// What an answer, or the time, means for the plan.
enum Turn {
    /// The present act is done.
    Onward,
    /// The present act is tried again at this time.
    Again(Nanos),
    /// This is asked, at this time; the act goes on.
    Ask(Ask, Nanos),
    /// The puzzle is solved; the act goes on.
    Solve,
    /// The turn or the token is lost: back to the waiting room.
    Rejoin,
    /// That's that.
    Quit,
}

/// What happens next.
pub fn next(me: &mut Me, seen: Seen, view: &View, world: &World) -> Next {
    let turn = match seen {
        Seen::Begin | Seen::Woke => perform::perform(me, view, world),
        Seen::Solved(solved) => settle::solved(me, solved, view),
        Seen::Answer(sight) => settle::settle(me, &sight, world),
    };
    follow(me, turn, view, world)
}

fn follow(me: &mut Me, first: Turn, view: &View, world: &World) -> Next {
    let mut turn = first;
    loop {
        match turn {
            Turn::Ask(ask, at) => return Next::Ask(ask, at),
            Turn::Solve => return Next::Solve,
            Turn::Quit => return Next::Leave,
            Turn::Again(at) if at > view.now => return Next::Wait(at),
            Turn::Again(_) => {}
            Turn::Onward => me.go(me.at + 1),
            Turn::Rejoin => {
                let door = me.acts().iter().position(|act| *act == Act::Join(JoinHow::Solve));
                let Some(door) = door.and_then(|at| u8::try_from(at).ok()) else {
                    return Next::Leave;
                };
                if me.rejoins >= REJOINS_MAX || door >= me.at {
                    return Next::Leave;
                }
                me.rejoins += 1;
                me.go(door);
            }
        }
        turn = perform::perform(me, view, world);
    }
}
