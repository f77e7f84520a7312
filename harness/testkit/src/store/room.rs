//! The waiting room: positions in the order of arrival, admission in batches.

use super::world::{Event, World};
use crate::Defect;
use onsale_history::{BuyerId, Class, Completion, Label, Outcome, QueueMethod};

/// Where a position stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Waiting,
    Admitted,
    Gone,
}

#[derive(Clone, Copy, Debug)]
struct Position {
    buyer: BuyerId,
    standing: Standing,
    seen: u64,
}

/// All positions, earliest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    positions: Vec<Position>,
}

impl Room {
    fn latest(&self, buyer: BuyerId) -> Option<usize> {
        self.positions.iter().rposition(|position| position.buyer == buyer)
    }
    fn ahead(&self, place: usize) -> usize {
        self.positions[..place]
            .iter()
            .filter(|position| position.standing == Standing::Waiting)
            .count()
    }
    /// The shopper may buy.
    pub(super) fn admitted(&self, buyer: BuyerId) -> bool {
        self.latest(buyer).is_some_and(|place| self.positions[place].standing == Standing::Admitted)
    }
}

fn count(value: usize) -> u32 {
    u32::try_from(value).expect("fewer than 2^32 positions")
}

impl World {
    /// Gives a position, or the one that the shopper has.
    pub(super) fn join(&mut self, request: usize) {
        let call = self.requests[request].call;
        let accepted = match call.label {
            Label::NoPuzzle | Label::ForgedPuzzle => self.has(Defect::PuzzleUnchecked),
            Label::ReusedPuzzle => self.has(Defect::PuzzleReusable),
            _ => true,
        };
        if !accepted {
            return self.refuse(request, Class::Denied);
        }
        let kept = self
            .room
            .latest(call.buyer)
            .filter(|&place| self.room.positions[place].standing != Standing::Gone);
        let place = kept.unwrap_or_else(|| {
            let seen = self.now;
            self.room.positions.push(Position {
                buyer: call.buyer,
                standing: Standing::Waiting,
                seen,
            });
            self.room.positions.len() - 1
        });
        self.reply(
            request,
            Completion { value: count(place) + 1, ..Completion::of(Outcome::Ok) },
            vec![],
        );
    }

    /// Tells how many are ahead, or that it is the shopper's turn.
    pub(super) fn poll(&mut self, request: usize) {
        let buyer = self.requests[request].call.buyer;
        let Some(place) = self.room.latest(buyer) else {
            return self.refuse(request, Class::NotFound);
        };
        let ahead = count(self.room.ahead(place));
        match self.room.positions[place].standing {
            Standing::Gone => self.refuse(request, Class::Expired),
            Standing::Admitted => {
                let answer = Completion { value: count(place) + 1, ..Completion::of(Outcome::Ok) };
                self.reply(request, answer, vec![]);
            }
            Standing::Waiting => {
                self.room.positions[place].seen = self.now;
                let answer = Completion { value: ahead, ..Completion::of(Class::Queued.outcome()) };
                self.reply(request, answer, vec![]);
            }
        }
    }

    /// Lets the next batch in.
    pub(super) fn admit_batch(&mut self) {
        let Some(queue) = self.plan.facts.queue else { return };
        let patience = self.plan.abandon_after;
        for position in &mut self.room.positions {
            if position.standing == Standing::Waiting && position.seen + patience < self.now {
                position.standing = Standing::Gone;
            }
        }
        let crowd = if self.has(Defect::AdmissionBurst) { 8 } else { 1 };
        for _ in 0..queue.burst * crowd {
            let waiting = |place: &usize| self.room.positions[*place].standing == Standing::Waiting;
            let mut places = (0..self.room.positions.len()).filter(waiting).collect::<Vec<_>>();
            if queue.method == QueueMethod::Lottery {
                self.rng.shuffle(&mut places);
            }
            let next = if self.has(Defect::LifoBatch) { places.last() } else { places.first() };
            if let Some(&place) = next {
                self.room.positions[place].standing = Standing::Admitted;
            }
        }
        if self.loading {
            let delay = self.plan.batch_every + self.rng.u64(0..3);
            self.after(delay, Event::Admit);
        }
    }
}
