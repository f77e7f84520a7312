//! What a shopper makes of an answer.

use super::shopper::{Door, Flow, Held, Scene, Shopper};
use crate::deal::Act;
use onsale_client::{Answer, Call};
use onsale_history::{CallKind, Class, Outcome, State};
use std::time::Duration;

/// A call is repeated so often at most when its outcome is unknown or the target is busy or away.
const TRIES_MAX: u32 = 40;
/// Of those, so many without an answer; the rest is resolved after the load.
const SILENCES_MAX: u32 = 4;
/// Between two tries.
const RETRY: Duration = Duration::from_millis(200);
/// A shopper goes back into the queue so often.
const REENTRIES_MAX: u32 = 4;
/// An order is looked at so often, at this interval.
const WATCHES_MAX: u32 = 40;
const WATCH: Duration = Duration::from_millis(300);
/// After "sold out", the patient ask again in this range.
const PATIENCE_MS: std::ops::Range<u64> = 300..1_500;

impl Shopper {
    /// The answer to what was asked last. `resolve` is told whether the operation must be resolved after the load.
    pub(crate) fn learn(
        &mut self,
        call: &Call,
        answer: &Answer,
        scene: &Scene,
        resolve: &mut bool,
    ) -> Flow {
        let act = self.program[usize::from(self.at)].clone();
        let way_in = matches!(call.kind, CallKind::Challenge | CallKind::Join | CallKind::Poll);
        if let Act::Door(_) = act {
            return self.at_the_door(call, answer, resolve);
        }
        if way_in {
            return self.coming_in(call, answer, scene, &act);
        }
        if let Some(flow) = self.again(call, answer, &act, resolve) {
            return flow;
        }
        match call.kind {
            CallKind::Hold => self.held(call, answer, &act),
            CallKind::Checkout => self.checked_out(call, answer),
            CallKind::Pay => self.paid(answer),
            CallKind::ReadOrder => self.watched(answer),
            _ => self.on(),
        }
    }

    /// Repeats a call whose outcome is unknown, or that a busy or absent target did not take.
    fn again(
        &mut self,
        call: &Call,
        answer: &Answer,
        act: &Act,
        resolve: &mut bool,
    ) -> Option<Flow> {
        let silent = answer.outcome.is_indeterminate();
        let away = matches!(answer.class, Class::Busy | Class::Unreachable | Class::NotOpen);
        let reading = matches!(
            call.kind,
            CallKind::Landing
                | CallKind::Stock
                | CallKind::ListOrders
                | CallKind::ReadHold
                | CallKind::ReadOrder
        );
        let attack = matches!(act, Act::Attack(_));
        if !silent && (!away || attack) {
            return None;
        }
        if silent && !reading {
            // Whatever happens next, the first try stays open until somebody knows.
            *resolve = attack || self.silences + 1 >= SILENCES_MAX;
        }
        self.tries += 1;
        self.silences += u32::from(silent);
        if attack {
            return Some(self.on());
        }
        if self.tries >= TRIES_MAX || self.silences >= SILENCES_MAX {
            return Some(if reading { self.on() } else { self.leave() });
        }
        // What a busy or absent target did not take had no effect: only silence makes a repetition out of the next try.
        if !reading && silent {
            self.repeats.get_or_insert((answer.op, call.key));
        } else if !reading
            && self.repeats.is_none()
            && call.key.is_some()
            && answer.class == Class::Busy
        {
            self.repeats = Some((answer.op, call.key));
        }
        Some(Flow::After(answer.retry_after.unwrap_or(RETRY).clamp(RETRY, RETRY * 10)))
    }

    fn at_the_door(&mut self, call: &Call, answer: &Answer, resolve: &mut bool) -> Flow {
        if call.kind == CallKind::Challenge {
            self.tries += 1;
            self.puzzle = answer.challenge.as_deref().map(onsale_pow::forge);
            if self.puzzle.is_some() {
                return Flow::After(Duration::ZERO);
            }
            return if self.tries < TRIES_MAX { Flow::After(RETRY) } else { self.on() };
        }
        let away = matches!(answer.class, Class::NotOpen | Class::Unreachable | Class::Busy);
        if away && self.tries < TRIES_MAX {
            self.tries += 1;
            return Flow::After(RETRY);
        }
        *resolve = answer.outcome.is_indeterminate();
        self.puzzle = None;
        self.on()
    }

    fn coming_in(&mut self, call: &Call, answer: &Answer, scene: &Scene, act: &Act) -> Flow {
        let faster = if let Act::Enter { poll_faster } = act { (*poll_faster).max(1) } else { 1 };
        let pause = scene.poll_every / faster;
        match (call.kind, answer.class) {
            (CallKind::Challenge, Class::Ok) => {
                self.tries = 0;
                self.door = Door::Joining;
                match &answer.challenge {
                    Some(challenge) => return Flow::Solve(challenge.clone()),
                    None => return Flow::After(Duration::ZERO),
                }
            }
            (CallKind::Join, Class::Ok | Class::Pending) => {
                (self.tries, self.door) = (0, Door::Waiting);
                return Flow::After(pause);
            }
            (CallKind::Poll, Class::Queued) => return Flow::After(pause),
            (CallKind::Poll, Class::Ok) => {
                (self.tries, self.door) = (0, Door::Inside);
                // The act that needed the token goes on; `Enter` itself is done.
                return if matches!(act, Act::Enter { .. }) {
                    self.on()
                } else {
                    Flow::After(Duration::ZERO)
                };
            }
            (CallKind::Poll, Class::Expired | Class::Denied | Class::NotFound) => {
                self.reentries += 1;
                self.door = Door::Outside;
            }
            // A join that was not taken, or that nobody knows of, begins with a new puzzle; a second place is not given.
            (CallKind::Join, _) => self.door = Door::Outside,
            _ => {}
        }
        self.tries += 1;
        if self.tries >= TRIES_MAX || self.reentries > REENTRIES_MAX {
            return self.leave();
        }
        Flow::After(answer.retry_after.unwrap_or(RETRY).clamp(RETRY, RETRY * 10))
    }

    fn held(&mut self, call: &Call, answer: &Answer, act: &Act) -> Flow {
        if matches!(act, Act::Attack(_) | Act::HoldAgain(_)) {
            return self.on();
        }
        match answer.class {
            Class::Ok => {
                let first = self.repeats.map_or(answer.op, |(first, _)| first);
                self.hold = answer.hold.map(|hold| Held {
                    hold,
                    op: first,
                    key: call.key,
                    items: call.items.clone(),
                    start: answer.start,
                    end: answer.end,
                });
                self.on()
            }
            Class::SoldOut | Class::Conflict if self.patience > 0 => {
                self.patience -= 1;
                self.repeats = None;
                let pause = match act {
                    Act::Chase { every, .. } => *every,
                    _ => Duration::from_millis(self.chance.u64(PATIENCE_MS)),
                };
                Flow::After(pause)
            }
            Class::Denied | Class::Expired if self.reentries < REENTRIES_MAX => {
                self.reentries += 1;
                // A try that nobody knows of is repeated with its key once the shopper is in again.
                self.door = Door::Outside;
                Flow::After(RETRY)
            }
            _ => self.leave(),
        }
    }

    fn checked_out(&mut self, call: &Call, answer: &Answer) -> Flow {
        if answer.outcome != Outcome::Ok {
            return self.leave();
        }
        let first = self.repeats.map_or(answer.op, |(first, _)| first);
        self.checkout.get_or_insert((first, call.key));
        self.order = answer.order.or(self.order);
        self.charge = answer.charge.or(self.charge);
        self.on()
    }

    fn paid(&mut self, answer: &Answer) -> Flow {
        self.tries += 1;
        match answer.class {
            Class::Declined | Class::Pending if self.tries < 4 => {
                self.repeats = None;
                Flow::After(RETRY)
            }
            _ => self.on(),
        }
    }

    fn watched(&mut self, answer: &Answer) -> Flow {
        let last = matches!(
            answer.state,
            Some(
                State::Confirmed
                    | State::PaymentFailed
                    | State::Expired
                    | State::Cancelled
                    | State::Refunded
            )
        );
        self.tries += 1;
        if last || self.tries >= WATCHES_MAX { self.on() } else { Flow::After(WATCH) }
    }

    /// The token's owner is a good victim for thieves: an ordinary shopper who is inside.
    pub(crate) fn just_came_in(&self, call: &Call, answer: &Answer) -> bool {
        call.kind == CallKind::Poll && answer.class == Class::Ok && self.persona.name != "replayer"
    }
}
