//! What a shopper does next: its program's act, as a call or as a sleep.

use super::shopper::{Door, Scene, Shopper, Want, nanos};
use crate::deal::{Act, Age, Intrusion};
use onsale_client::{Call, Token};
use onsale_history::{CallKind, KeyId, Label, Nanos, ProcessId};
use std::sync::Arc;

impl Shopper {
    /// What to do now.
    pub(crate) fn want(
        &mut self,
        now: Nanos,
        due: Nanos,
        scene: &Scene,
        steal: impl Fn() -> Option<Arc<str>>,
    ) -> Want {
        loop {
            let Some(act) = self.program.get(usize::from(self.at)).cloned() else {
                return Want::Nothing;
            };
            let ready = match self.waits(&act, scene) {
                Some(until) if until > now => return Want::Sleep(until),
                Some(_) => None,
                None => self.call(&act, due, scene, &steal),
            };
            match ready {
                Some(want) => return want,
                None => self.step(),
            }
        }
    }

    /// Acts that only wait: until when.
    fn waits(&mut self, act: &Act, scene: &Scene) -> Option<Nanos> {
        match act {
            Act::UntilOpening { before } => Some(scene.opens.minus(nanos(*before))),
            Act::UntilAge(age) => {
                let held = self.hold.as_ref()?;
                Some(match age {
                    Age::BeforeEnd(before) => {
                        held.start.plus(nanos(scene.deal.ttl)).minus(nanos(*before))
                    }
                    Age::AfterReclaim(after) => {
                        held.end.plus(nanos(scene.deal.ttl + scene.deal.grace + *after))
                    }
                })
            }
            _ => None,
        }
    }

    /// The call of an act; nothing when the act has nothing to act on and is skipped.
    fn call(
        &mut self,
        act: &Act,
        due: Nanos,
        scene: &Scene,
        steal: &impl Fn() -> Option<Arc<str>>,
    ) -> Option<Want> {
        let process = ProcessId::from_index(self.number as usize * 2);
        let of = |kind| Call { instrument: Some(self.instrument), ..Call::of(kind, process, due) };
        let (mut call, mut twice, mut barrier, mut other) =
            (of(CallKind::Landing), false, false, false);
        match act {
            Act::Landing => {}
            Act::Stock => call.kind = CallKind::Stock,
            Act::Think(pause) => {
                self.step();
                return Some(Want::Sleep(due.plus(nanos(*pause))));
            }
            Act::Enter { .. } => return self.enter(call, scene),
            Act::Door(label) => {
                (call.kind, call.label, other) = (CallKind::Join, *label, true);
                match label {
                    Label::ForgedPuzzle if self.puzzle.is_none() => call.kind = CallKind::Challenge,
                    Label::ReusedPuzzle => call.puzzle = Some(self.spent.clone()?),
                    Label::ForgedPuzzle => call.puzzle.clone_from(&self.puzzle),
                    _ => {}
                }
                if call.kind == CallKind::Challenge {
                    call.label = Label::Ordinary;
                }
            }
            Act::Hold(_) | Act::Chase { .. } if self.reenter(scene) => {
                return self.enter(call, scene);
            }
            Act::Hold(basket) => {
                (call.kind, call.label, call.items) =
                    (CallKind::Hold, basket.label, basket.items.clone());
                (twice, barrier) = (basket.twice, basket.barrier);
            }
            Act::Chase { sku, .. } => {
                (call.kind, call.label, call.items) =
                    (CallKind::Hold, Label::Chase, vec![(*sku, 1)]);
            }
            Act::HoldAgain(label) => {
                let held = self.hold.clone()?;
                (call.kind, call.label, call.items) = (CallKind::Hold, *label, held.items);
                (call.key, call.link) = (held.key, Some(held.op));
            }
            Act::Attack(intrusion) => self.intrude(&mut call, *intrusion, scene, steal)?,
            Act::Release => {
                (call.kind, call.hold) = (CallKind::Release, Some(self.hold.as_ref()?.hold));
            }
            Act::ReadHold => {
                (call.kind, call.hold) = (CallKind::ReadHold, Some(self.hold.as_ref()?.hold));
            }
            Act::Checkout { label, twice: both } => {
                (call.kind, call.label, call.hold) =
                    (CallKind::Checkout, *label, Some(self.hold.as_ref()?.hold));
                twice = *both;
                if *label == Label::Replay {
                    let (first, key) = self.checkout?;
                    (call.key, call.link) = (key, Some(first));
                }
            }
            Act::Pay { twice: both } => {
                (call.kind, call.order, call.charge) =
                    (CallKind::Pay, self.order, Some(self.charge?));
                twice = *both;
            }
            Act::Cancel => (call.kind, call.order) = (CallKind::Cancel, Some(self.order?)),
            Act::Watch => (call.kind, call.order) = (CallKind::ReadOrder, Some(self.order?)),
            Act::UntilOpening { .. } | Act::UntilAge(_) => return None,
        }
        self.keyed(&mut call, scene);
        // A repeated call is alone: its twin went the first time.
        twice &= self.repeats.is_none();
        Some(Want::Ask { call: Box::new(call), twice, barrier, other })
    }

    /// The key of a new request, or the one of the request that is being repeated.
    fn keyed(&mut self, call: &mut Call, scene: &Scene) {
        if let Some((first, key)) = self.repeats {
            // Another body under a known key stays one: with its own body the key would answer for the first request.
            if call.label != Label::OtherBody {
                call.label = Label::Resolve;
            }
            call.link = Some(first);
            call.key = key.or(call.key);
        } else if call.key.is_none()
            && matches!(call.kind, CallKind::Hold | CallKind::Checkout | CallKind::Pay)
        {
            let index = self.number as usize * scene.keys_each
                + (self.keys as usize).min(scene.keys_each - 1);
            self.keys += 1;
            call.key = Some(KeyId::from_index(index));
        }
    }

    fn intrude(
        &self,
        call: &mut Call,
        intrusion: Intrusion,
        scene: &Scene,
        steal: &impl Fn() -> Option<Arc<str>>,
    ) -> Option<()> {
        let sku =
            scene.deal.hot.get(self.number as usize % scene.deal.hot.len().max(1)).copied()?;
        (call.kind, call.items) = (CallKind::Hold, vec![(sku, 1)]);
        (call.label, call.token) = match intrusion {
            Intrusion::BadSignature => (Label::ForgedToken, Token::BadSignature),
            Intrusion::AlgorithmNone => (Label::ForgedToken, Token::AlgorithmNone),
            Intrusion::Expired => (Label::ExpiredToken, Token::Own),
            Intrusion::Stolen => (Label::ReplayedToken, Token::This(steal()?)),
            Intrusion::NoToken => (Label::NoToken, Token::Absent),
            Intrusion::Early => (Label::Early, Token::Absent),
            Intrusion::Quantity(quantity) => {
                call.items = vec![(sku, i64::from(quantity))];
                (Label::BadQuantity, Token::Own)
            }
            Intrusion::OverLimit => {
                self.hold.as_ref()?;
                call.items = vec![(sku, i64::from(scene.deal.limit))];
                (Label::OverLimit, Token::Own)
            }
        };
        Some(())
    }

    /// Back into the queue, because the token is past its time.
    fn reenter(&mut self, scene: &Scene) -> bool {
        scene.queue && self.door != Door::Inside
    }

    fn enter(&mut self, mut call: Call, scene: &Scene) -> Option<Want> {
        if !scene.queue || self.door == Door::Inside {
            return None;
        }
        if self.door == Door::Outside && !scene.puzzle {
            self.door = Door::Joining;
        }
        call.instrument = None;
        match self.door {
            Door::Outside => call.kind = CallKind::Challenge,
            Door::Joining => {
                call.kind = CallKind::Join;
                call.puzzle = self.puzzle.take();
                self.spent.clone_from(&call.puzzle);
            }
            Door::Waiting | Door::Inside => call.kind = CallKind::Poll,
        }
        Some(Want::Ask { call: Box::new(call), twice: false, barrier: false, other: false })
    }
}
