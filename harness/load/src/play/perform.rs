//! Carrying out the present act: what it waits for, and what it asks.

use super::Turn;
use crate::act::{Act, CheckoutHow, HoldHow, JoinHow, PayHow};
use crate::ask::{Ask, Item, Pass, Proof, View};
use crate::me::Me;
use crate::world::World;
use onsale_history::{CallKind, Label, Nanos};

/// Between two looks for something to steal.
const LOOK_AGAIN: Nanos = Nanos::from_millis(200);
const LOOKS_MAX: u8 = 30;
/// How long before an expiry a chase begins.
const CHASE_BEFORE: Nanos = Nanos::from_millis(300);
/// How long before the opening an early attempt must leave, so that its answer is early too.
const EARLY_BEFORE: Nanos = Nanos::from_millis(250);

/// Begins the present act, or looks at it again.
pub(super) fn perform(me: &mut Me, view: &View, world: &World) -> Turn {
    match me.act() {
        Act::Landing => simple(CallKind::Landing, view, world),
        Act::Stock => simple(CallKind::Stock, view, world),
        Act::Join(how) => join(me, how, view, world),
        Act::Turn if !world.queue => Turn::Onward,
        Act::Turn => Turn::Ask(Ask::of(CallKind::Poll), view.now),
        Act::Think(ms) => think(me, u64::from(ms), view),
        Act::Opening(ms) => until(shifted(world.opens, i64::from(ms)), view),
        Act::BeforeEnd(ms) => {
            until(me.held.0.plus(world.ttl).minus(Nanos::from_millis(u64::from(ms))), view)
        }
        Act::AfterEnd => {
            let margin = Nanos::from_millis(100);
            until(me.held.1.plus(world.ttl).plus(world.grace).plus(margin), view)
        }
        Act::TokenEnd => until(me.token_ends, view),
        Act::Hold(how) => hold(me, how, view, world),
        Act::Chase(times) => chase(me, times, view, world),
        Act::ReadHold if me.hold.is_some() => simple(CallKind::ReadHold, view, world),
        Act::Release if me.hold.is_some() => simple(CallKind::Release, view, world),
        Act::Checkout(how) if me.hold.is_some() => checkout(me, how, view),
        Act::Pay(how) if me.charge.is_some() => pay(me, how, view),
        Act::Cancel if me.order.is_some() => simple(CallKind::Cancel, view, world),
        Act::Follow if me.order.is_some() => simple(CallKind::ReadOrder, view, world),
        // What there is nothing of cannot be gone on with.
        Act::ReadHold | Act::Release | Act::Checkout(_) | Act::Pay(_) => Turn::Quit,
        Act::Cancel | Act::Follow | Act::Leave => Turn::Quit,
        Act::Drain => drain(me, view, world),
    }
}

fn simple(kind: CallKind, view: &View, world: &World) -> Turn {
    if world.offers(kind) { Turn::Ask(Ask::of(kind), view.now) } else { Turn::Onward }
}

fn until(at: Nanos, view: &View) -> Turn {
    if view.now >= at { Turn::Onward } else { Turn::Again(at) }
}

fn shifted(at: Nanos, ms: i64) -> Nanos {
    let by = Nanos::from_millis(ms.unsigned_abs());
    if ms < 0 { at.minus(by) } else { at.plus(by) }
}

fn think(me: &mut Me, ms: u64, view: &View) -> Turn {
    if me.step > 0 {
        return Turn::Onward;
    }
    me.step = 1;
    Turn::Again(view.now.plus(Nanos::from_millis(ms)))
}

fn join(me: &mut Me, how: JoinHow, view: &View, world: &World) -> Turn {
    let attack = |label, proof| Ask { proof, ..Ask::of(CallKind::Join).labelled(label) };
    let challenge = Turn::Ask(Ask::of(CallKind::Challenge), view.now);
    match how {
        _ if !world.queue => Turn::Onward,
        JoinHow::Solve if world.puzzle => challenge,
        JoinHow::Solve => Turn::Ask(Ask::of(CallKind::Join), view.now),
        _ if !world.puzzle => Turn::Onward,
        JoinHow::NoPuzzle => Turn::Ask(attack(Label::NoPuzzle, Proof::Absent), view.now),
        JoinHow::Forged => challenge,
        JoinHow::Again => Turn::Ask(attack(Label::ReusedPuzzle, Proof::Own), view.now),
        JoinHow::Foreign if view.spent => {
            Turn::Ask(attack(Label::ReusedPuzzle, Proof::Foreign), view.now)
        }
        JoinHow::Foreign => look_again(me, view),
    }
}

fn look_again(me: &mut Me, view: &View) -> Turn {
    me.tries += 1;
    if me.tries > LOOKS_MAX { Turn::Onward } else { Turn::Again(view.now.plus(LOOK_AGAIN)) }
}

fn hold(me: &mut Me, how: HoldHow, view: &View, world: &World) -> Turn {
    match how {
        HoldHow::Early if view.now.plus(EARLY_BEFORE) >= world.opens => return Turn::Onward,
        HoldHow::Stolen if !view.stolen => return look_again(me, view),
        HoldHow::Again | HoldHow::OtherBody if me.hold.is_none() => return Turn::Onward,
        _ => {}
    }
    let plain = Ask { items: me.items, ..Ask::of(CallKind::Hold) };
    let repeats = matches!(how, HoldHow::Again | HoldHow::OtherBody);
    let mut ask = attack(me, how, plain, world);
    if repeats {
        ask.key = Some(me.hold_key);
        ask.link = me.hold_op;
    } else {
        let key = me.new_key();
        ask.key = Some(key);
        if matches!(how, HoldHow::Plain | HoldHow::Barrier | HoldHow::Twice) {
            me.hold_key = key;
        }
    }
    Turn::Ask(ask, view.now)
}

/// What makes a hold an attack.
fn attack(me: &Me, how: HoldHow, plain: Ask, world: &World) -> Ask {
    let first = me.items[0].unwrap_or_default();
    let lines = |quantity| [Some(Item { quantity, ..first }), None, None];
    let limit = i16::try_from(world.account_limit).unwrap_or(i16::MAX - 1);
    let meant = |label| plain.labelled(label);
    match how {
        HoldHow::Plain => plain,
        HoldHow::Barrier => Ask { barrier: true, ..plain },
        HoldHow::Twice => Ask { twice: true, ..plain },
        HoldHow::Again => meant(Label::Replay),
        HoldHow::OtherBody => {
            let other = if first.quantity > 1 { first.quantity - 1 } else { first.quantity + 1 };
            Ask { items: lines(other), ..meant(Label::OtherBody) }
        }
        HoldHow::OverLimit => {
            let held = if me.hold.is_some() { me.units() } else { 0 };
            Ask { items: lines((limit + 1 - held).max(1)), ..meant(Label::OverLimit) }
        }
        HoldHow::Zero => Ask { items: lines(0), ..meant(Label::BadQuantity) },
        HoldHow::Negative => Ask { items: lines(-1), ..meant(Label::BadQuantity) },
        HoldHow::NoToken => Ask { pass: Pass::Absent, ..meant(Label::NoToken) },
        HoldHow::Early => meant(Label::Early),
        HoldHow::BadSignature => Ask { pass: Pass::BadSignature, ..meant(Label::ForgedToken) },
        HoldHow::AlgorithmNone => Ask { pass: Pass::AlgorithmNone, ..meant(Label::ForgedToken) },
        HoldHow::Expired => meant(Label::ExpiredToken),
        HoldHow::Stolen => Ask { pass: Pass::Stolen, ..meant(Label::ReplayedToken) },
    }
}

fn chase(me: &mut Me, times: u8, view: &View, world: &World) -> Turn {
    if me.tries >= times {
        return Turn::Quit;
    }
    let ends = view.canary_ends;
    // Somebody has it, and long to go: be there just before the end.
    let begin = ends.minus(CHASE_BEFORE);
    if ends > Nanos::ZERO && view.now < begin {
        let jitter = me.ms(0..200);
        return Turn::Again(begin.plus(jitter));
    }
    me.tries += 1;
    let key = me.new_key();
    me.hold_key = key;
    let ask = Ask { items: me.items, key: Some(key), ..Ask::of(CallKind::Hold) };
    Turn::Ask(ask.labelled(Label::Chase), view.now.max(world.opens))
}

fn checkout(me: &mut Me, how: CheckoutHow, view: &View) -> Turn {
    let plain = Ask::of(CallKind::Checkout);
    let ask = match how {
        CheckoutHow::Plain => plain,
        CheckoutHow::Twice => Ask { twice: true, ..plain },
        CheckoutHow::Again => Ask { link: me.order_op, ..plain.labelled(Label::Replay) },
        CheckoutHow::AfterCancel => {
            Ask { link: me.release_op, ..plain.labelled(Label::AfterCancel) }
        }
        CheckoutHow::AfterExpiry => Ask { link: me.hold_op, ..plain.labelled(Label::AfterExpiry) },
    };
    if how != CheckoutHow::Again {
        me.checkout_key = me.new_key();
    }
    Turn::Ask(Ask { key: Some(me.checkout_key), ..ask }, view.now)
}

fn pay(me: &mut Me, how: PayHow, view: &View) -> Turn {
    let label = match how {
        PayHow::Plain => Label::Ordinary,
        PayHow::AfterCancel => Label::AfterCancel,
    };
    let link = if how == PayHow::AfterCancel { me.release_op } else { None };
    let key = Some(me.new_key());
    Turn::Ask(Ask { key, link, ..Ask::of(CallKind::Pay).labelled(label) }, view.now)
}

fn drain(me: &mut Me, view: &View, world: &World) -> Turn {
    let (Some(item), Some(label)) = (view.todo, world.drain) else { return Turn::Quit };
    let key = Some(me.new_key());
    let items = [Some(item), None, None];
    Turn::Ask(Ask { items, key, ..Ask::of(CallKind::Hold).labelled(label) }, view.now)
}
