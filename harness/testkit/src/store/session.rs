//! What shoppers do: a random walk over what a shopper can do next.

use super::world::{Event, Request, World};
use onsale_history::{
    BuyerId, CallKind, ChargeId, Class, Completion, HoldId, InstrumentId, Invocation, Label, OpId,
    OrderId, Outcome, ProcessId, SkuId,
};

/// What one shopper knows so far.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "four independent things that a shopper knows")]
pub(super) struct Session {
    buyer: BuyerId,
    process: ProcessId,
    steps: u64,
    joined: bool,
    admitted: bool,
    hold: Option<HoldId>,
    held_at: u64,
    released: bool,
    order: Option<OrderId>,
    charge: Option<ChargeId>,
    paid: bool,
    /// The last hold that was asked for, with its operation.
    asked: Option<(OpId, Invocation)>,
    /// How long the shopper does nothing before the next step.
    idle: u64,
    /// The last answer never came.
    unanswered: Option<usize>,
}

impl Session {
    /// A shopper who knows nothing.
    pub(super) fn new(index: usize, steps: u64) -> Self {
        Self {
            buyer: BuyerId::from_index(index),
            process: ProcessId::from_index(index),
            steps,
            joined: false,
            admitted: false,
            hold: None,
            held_at: 0,
            released: false,
            order: None,
            charge: None,
            paid: false,
            asked: None,
            idle: 0,
            unanswered: None,
        }
    }
    fn call(&self, kind: CallKind) -> Invocation {
        Invocation {
            hold: self.hold,
            order: self.order,
            ..Invocation::of(kind, self.process, self.buyer)
        }
    }
    fn forget(&mut self) {
        (self.hold, self.order, self.charge) = (None, None, None);
        (self.released, self.paid) = (false, false);
    }
}

impl World {
    /// The next thing that a shopper does.
    pub(super) fn step(&mut self, session: usize) {
        if self.sessions[session].steps == 0 {
            self.active -= 1;
            return;
        }
        self.sessions[session].steps -= 1;
        let call = match self.sessions[session].unanswered.take() {
            Some(request) if self.chance(60) => self.again(request),
            _ => self.next_call(session),
        };
        if let Some(call) = call {
            let request = self.send(Some(session), call);
            if call.kind == CallKind::Hold && call.label == Label::Ordinary {
                self.sessions[session].asked = Some((self.requests[request].op, call));
                self.double_click(request, call);
            }
        } else {
            let idle = std::mem::take(&mut self.sessions[session].idle);
            self.after(1 + idle, Event::Step(session));
        }
    }
    /// The same request once more, as one who got no answer does.
    pub(super) fn again(&self, request: usize) -> Option<Invocation> {
        let Request { op, call, .. } = self.requests[request];
        let repeatable = matches!(
            call.kind,
            CallKind::Hold
                | CallKind::Release
                | CallKind::Checkout
                | CallKind::Cancel
                | CallKind::Pay
        );
        let ours =
            matches!(call.label, Label::Ordinary | Label::Chase | Label::Resolve | Label::Early);
        let link = if call.label == Label::Resolve { call.link } else { Some(op) };
        (repeatable && ours).then_some(Invocation { label: Label::Resolve, link, ..call })
    }
    /// A double click repeats the key; a second tab has an own one.
    fn double_click(&mut self, request: usize, call: Invocation) {
        let link = Some(self.requests[request].op);
        let process = ProcessId::from_index(10_000 + self.requests.len());
        match self.rng.u8(0..10) {
            0 => {
                self.send(None, Invocation { label: Label::Replay, link, process, ..call });
            }
            1 => {
                let key = Some(self.fresh_key());
                self.send(None, Invocation { key, process, ..call });
            }
            _ => {}
        }
    }

    fn next_call(&mut self, session: usize) -> Option<Invocation> {
        let known = self.sessions[session].clone();
        if self.plan.facts.queue.is_some() && !known.admitted {
            return Some(self.call_in_room(&known));
        }
        match (known.hold, known.order) {
            (None, _) => Some(self.call_without_hold(&known)),
            (Some(_), None) => self.call_with_hold(session, &known),
            (Some(_), Some(_)) => self.call_with_order(session, &known),
        }
    }
    fn call_in_room(&mut self, known: &Session) -> Invocation {
        if self.chance(self.plan.attacks) {
            let label =
                [Label::NoPuzzle, Label::ForgedPuzzle, Label::ReusedPuzzle][self.rng.usize(0..3)];
            return Invocation { label, ..known.call(CallKind::Join) };
        }
        if self.chance(self.plan.attacks) {
            return self.new_hold(known, Label::NoToken);
        }
        let again = self.chance(5);
        known.call(if known.joined && !again { CallKind::Poll } else { CallKind::Join })
    }
    fn new_hold(&mut self, known: &Session, label: Label) -> Invocation {
        let limit = u64::from(self.plan.facts.account_limit.unwrap_or(4));
        let quantity = match label {
            Label::OverLimit => limit + 1,
            Label::BadQuantity => 0,
            _ => 1 + self.upto(limit - 1).min(self.upto(1)),
        };
        let sku = self.rng.usize(0..self.skus.len());
        Invocation {
            label,
            sku: Some(SkuId::from_index(sku)),
            quantity: u32::try_from(quantity).expect("a small limit"),
            hold: None,
            order: None,
            key: Some(self.fresh_key()),
            ..known.call(CallKind::Hold)
        }
    }
    fn call_without_hold(&mut self, known: &Session) -> Invocation {
        if self.chance(self.plan.attacks) {
            let labels = [
                Label::ForgedToken,
                Label::ExpiredToken,
                Label::ReplayedToken,
                Label::NoToken,
                Label::BadQuantity,
                Label::OverLimit,
            ];
            let label = labels[self.rng.usize(0..6)];
            return self.new_hold(known, label);
        }
        if self.chance(12) {
            return known.call(CallKind::Stock);
        }
        let early = self.instant() < self.plan.facts.opens;
        let label = if early {
            Label::Early
        } else if self.chance(10) {
            Label::Chase
        } else {
            Label::Ordinary
        };
        self.new_hold(known, label)
    }
    fn call_with_hold(&mut self, session: usize, known: &Session) -> Option<Invocation> {
        let card = Some(InstrumentId::from_index(known.buyer.index() / 2));
        let label = if known.released {
            Label::AfterCancel
        } else if self.now > known.held_at + self.ttl() + self.grace() {
            Label::AfterExpiry
        } else {
            Label::Ordinary
        };
        let checkout = Invocation { instrument: card, label, ..known.call(CallKind::Checkout) };
        match self.rng.u8(0..100) {
            0..45 => Some(checkout),
            45..60 => {
                self.sessions[session].released = true;
                Some(known.call(CallKind::Release))
            }
            60..70 => Some(known.call(CallKind::ReadHold)),
            70..80 => {
                // Waits past the hold's time, and asks all the same.
                self.sessions[session].idle = self.ttl() + self.upto(self.grace() + 4);
                None
            }
            80..86 => Self::repeat(known, Label::Replay),
            86..92 => Self::repeat(known, Label::OtherBody),
            _ => {
                self.sessions[session].forget();
                None
            }
        }
    }
    fn repeat(known: &Session, label: Label) -> Option<Invocation> {
        let (op, call) = known.asked?;
        let more = u32::from(label == Label::OtherBody);
        Some(Invocation { label, link: Some(op), quantity: call.quantity + more, ..call })
    }
    fn call_with_order(&mut self, session: usize, known: &Session) -> Option<Invocation> {
        let card = Some(InstrumentId::from_index(known.buyer.index() / 2));
        let pay =
            Invocation { instrument: card, charge: known.charge, ..known.call(CallKind::Pay) };
        match self.rng.u8(0..100) {
            0..50 if !known.paid => {
                self.sessions[session].paid = true;
                Some(pay)
            }
            50..62 => Some(known.call(CallKind::Cancel)),
            0..78 => Some(known.call(CallKind::ReadOrder)),
            78..86 => Some(Invocation { instrument: card, ..known.call(CallKind::Checkout) }),
            86..92 => Some(pay),
            _ => {
                self.sessions[session].forget();
                None
            }
        }
    }

    /// What a shopper learns from an answer, or from its absence.
    pub(super) fn heard(&mut self, session: usize, request: usize, answer: &Completion) {
        let call = self.requests[request].call;
        let now = self.now;
        let known = &mut self.sessions[session];
        match (call.kind, answer.outcome) {
            (_, Outcome::Indeterminate(_)) => known.unanswered = Some(request),
            (CallKind::Join, Outcome::Ok) => known.joined = true,
            (CallKind::Poll, Outcome::Ok) => known.admitted = true,
            (CallKind::Poll, Outcome::Failed(Class::Expired | Class::NotFound)) => {
                known.joined = false;
            }
            (CallKind::Hold, Outcome::Ok) if known.order.is_none() => {
                known.hold = answer.hold;
                known.held_at = now;
                known.released = false;
            }
            (CallKind::Checkout, Outcome::Ok) => {
                (known.order, known.charge) = (answer.order, answer.charge);
            }
            (CallKind::Pay, Outcome::Failed(Class::Declined)) => known.paid = false,
            _ => {}
        }
        let room = matches!(call.kind, CallKind::Poll);
        let think = self.upto(if room { 30 } else { 10 });
        self.after(think, Event::Step(session));
    }
}
