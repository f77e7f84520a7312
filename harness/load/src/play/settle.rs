//! What an answer means for the present act.

use super::Turn;
use crate::act::{Act, CheckoutHow, HoldHow, JoinHow};
use crate::ask::{Ask, Item, Proof, Sight, View};
use crate::me::Me;
use crate::world::World;
use onsale_history::{CallKind, Class, Label, Nanos, Outcome, State};

/// Tries of a step that goes wrong for no fault of the shopper.
const TRIES_MAX: u8 = 12;
/// Reads of an order until the shopper trusts in the mail.
const READS_MAX: u8 = 24;
/// Cards that are tried again after a decline.
const DECLINES_MAX: u8 = 3;
/// A token states its end in whole seconds.
const TOKEN_MARGIN: Nanos = Nanos::from_millis(1200);

/// The puzzle came back.
pub(super) fn solved(me: &mut Me, solved: bool, view: &View) -> Turn {
    if !solved {
        return retry(me, view.now, 50);
    }
    Turn::Ask(Ask { proof: Proof::Own, ..Ask::of(CallKind::Join) }, view.now)
}

/// An answer came.
pub(super) fn settle(me: &mut Me, sight: &Sight, world: &World) -> Turn {
    match me.act() {
        Act::Join(how) => join(me, how, sight),
        Act::Turn => turn(me, sight, world),
        Act::Hold(how) => hold(me, how, sight, world),
        Act::Chase(_) => chase(me, sight),
        Act::Release => {
            me.release_op = Some(sight.op);
            if sight.outcome.is_ok() { Turn::Onward } else { Turn::Quit }
        }
        Act::Cancel => {
            me.release_op = Some(sight.op);
            Turn::Onward
        }
        Act::Checkout(how) => checkout(me, how, sight),
        Act::Pay(_) => pay(me, sight),
        Act::Follow => follow(me, sight),
        Act::Drain => drain(me, sight),
        _ => Turn::Onward,
    }
}

fn retry(me: &mut Me, now: Nanos, ms: u64) -> Turn {
    me.tries += 1;
    if me.tries > TRIES_MAX {
        return Turn::Quit;
    }
    let jitter = me.ms(0..ms);
    Turn::Again(now.plus(Nanos::from_millis(ms)).plus(jitter))
}

fn join(me: &mut Me, how: JoinHow, sight: &Sight) -> Turn {
    if sight.kind == CallKind::Challenge {
        return match (sight.outcome.is_ok(), how) {
            (false, _) => retry(me, sight.end, 200),
            (true, JoinHow::Forged) => {
                let forged = Ask::of(CallKind::Join).labelled(Label::ForgedPuzzle);
                Turn::Ask(Ask { proof: Proof::Forged, ..forged }, sight.end)
            }
            (true, _) => Turn::Solve,
        };
    }
    if how != JoinHow::Solve || sight.outcome.is_ok() {
        return Turn::Onward;
    }
    match sight.class {
        Class::NotFound | Class::Invalid | Class::Conflict => Turn::Quit,
        _ => retry(me, sight.end, 200),
    }
}

fn turn(me: &mut Me, sight: &Sight, world: &World) -> Turn {
    match sight.outcome {
        Outcome::Ok => {
            me.token_ends = sight.end.plus(world.token_ttl).plus(TOKEN_MARGIN);
            Turn::Onward
        }
        Outcome::Failed(Class::Queued | Class::NotOpen | Class::Busy | Class::Unreachable)
        | Outcome::Indeterminate(_) => {
            if me.patience == 0 {
                return Turn::Quit;
            }
            me.patience -= 1;
            Turn::Again(sight.end.plus(world.poll_every))
        }
        Outcome::Failed(Class::Expired | Class::Denied | Class::NotFound) => Turn::Rejoin,
        Outcome::Failed(_) => Turn::Quit,
    }
}

fn granted(me: &mut Me, sight: &Sight) {
    me.hold = sight.hold;
    me.hold_op = Some(sight.op);
    me.held = (sight.start, sight.end);
}

fn hold(me: &mut Me, how: HoldHow, sight: &Sight, world: &World) -> Turn {
    if !matches!(how, HoldHow::Plain | HoldHow::Barrier | HoldHow::Twice) {
        // An attack was made; whatever came of it, the plan goes on.
        return Turn::Onward;
    }
    match sight.outcome {
        Outcome::Ok => {
            granted(me, sight);
            Turn::Onward
        }
        Outcome::Failed(Class::SoldOut) => sold_out(me, sight, world),
        Outcome::Failed(Class::NotOpen) => {
            let jitter = me.ms(0..30);
            retry(me, sight.end.max(world.opens).plus(jitter), 5)
        }
        Outcome::Failed(Class::Denied | Class::Expired) => Turn::Rejoin,
        Outcome::Failed(Class::Busy | Class::Unreachable) => retry(me, sight.end, 200),
        Outcome::Failed(_) | Outcome::Indeterminate(_) => Turn::Quit,
    }
}

/// Less would do; or perhaps somebody gives something back.
fn sold_out(me: &mut Me, sight: &Sight, world: &World) -> Turn {
    if me.items[1].is_some() || me.items[0].is_some_and(|item| item.quantity > 1) {
        let sku = me.items[0].map_or(0, |item| item.sku);
        me.items = [Some(Item { sku, quantity: 1 }), None, None];
        return retry(me, sight.end, 100);
    }
    if me.standby == 0 {
        return Turn::Quit;
    }
    me.standby -= 1;
    if let Some(&(sku, _)) = me.chance.choice(&world.hot) {
        me.items[0] = Some(Item { sku, quantity: 1 });
    }
    me.tries = 0;
    let pause = me.ms(400..1500);
    Turn::Again(sight.end.plus(pause))
}

fn chase(me: &mut Me, sight: &Sight) -> Turn {
    match sight.outcome {
        Outcome::Ok => {
            granted(me, sight);
            Turn::Onward
        }
        Outcome::Failed(Class::SoldOut | Class::Busy | Class::Unreachable | Class::NotOpen) => {
            let pause = me.ms(110..220);
            Turn::Again(sight.end.plus(pause))
        }
        Outcome::Failed(Class::Denied | Class::Expired) => Turn::Rejoin,
        Outcome::Failed(_) | Outcome::Indeterminate(_) => Turn::Quit,
    }
}

fn checkout(me: &mut Me, how: CheckoutHow, sight: &Sight) -> Turn {
    let meant = matches!(how, CheckoutHow::Plain | CheckoutHow::Twice);
    match sight.outcome {
        Outcome::Ok if meant => {
            me.order = sight.order;
            me.order_op = Some(sight.op);
            me.charge = sight.charge.or(me.charge);
            Turn::Onward
        }
        _ if !meant => Turn::Onward,
        Outcome::Failed(Class::Busy | Class::Unreachable) => retry(me, sight.end, 200),
        _ => Turn::Quit,
    }
}

fn pay(me: &mut Me, sight: &Sight) -> Turn {
    match sight.outcome {
        Outcome::Failed(Class::Declined) if me.tries < DECLINES_MAX => retry(me, sight.end, 150),
        Outcome::Failed(Class::Busy | Class::Unreachable) => retry(me, sight.end, 200),
        _ => Turn::Onward,
    }
}

fn follow(me: &mut Me, sight: &Sight) -> Turn {
    let over = sight.state.is_some_and(|state| {
        !matches!(state, State::Held | State::PendingPayment | State::Refunding)
    });
    me.tries += 1;
    if over || me.tries >= READS_MAX {
        return Turn::Onward;
    }
    let pause = me.ms(200..400);
    Turn::Again(sight.end.plus(pause))
}

fn drain(me: &mut Me, sight: &Sight) -> Turn {
    match sight.outcome {
        Outcome::Failed(Class::Limit) => Turn::Quit,
        Outcome::Failed(Class::Denied | Class::Expired) => Turn::Rejoin,
        Outcome::Failed(Class::Busy | Class::Unreachable) | Outcome::Indeterminate(_) => {
            retry(me, sight.end, 200)
        }
        _ => {
            me.tries = 0;
            Turn::Again(sight.end)
        }
    }
}
