//! From a change to its event, and to what becomes of the event's webhook.

use super::Books;
use crate::Knobs;
use crate::event::{Action, Event, Parcel, Wait, delivery_kind};
use crate::fate::{Draw, Fate};
use onsale_history::{DeliveryLabel, DeliveryStage, MarkKind};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Share of doubled webhooks whose second one is an event of its own, as Stripe warns of.
const TWINS: f64 = 0.25;

/// Whether the news may overtake the answer of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    Usual,
    Early,
}

/// What becomes of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    Drop,
    Send(DeliveryLabel, Wait),
}

impl Books {
    /// Enters an event and plans its delivery.
    pub(super) fn emit(
        &mut self,
        id: &str,
        kind: &'static str,
        object: Value,
        amount: u32,
        timing: Timing,
    ) {
        let intent = &mut self.intents[id];
        let (fate, ordinal) = (intent.fate, intent.events);
        intent.events += 1;
        let wrong = kind == "payment_intent.succeeded" && intent.received != intent.amount;
        let event = Event {
            id: format!("evt_{}_{ordinal}", &id[3..]),
            kind,
            intent: id.to_owned(),
            amount,
            at: self.now(),
            created_unix: self.unix(),
            object: Arc::new(object),
            delivered: false,
            attempts: 0,
        };
        let treatment = if wrong {
            Treatment::Send(DeliveryLabel::WrongAmount, Wait::No)
        } else if timing == Timing::Early {
            Treatment::Send(DeliveryLabel::Early, Wait::No)
        } else {
            treatment(fate, ordinal, &self.knobs)
        };
        self.enter_event(event.clone());
        if self.webhook_url.is_some() {
            self.plan(&event, treatment, fate, ordinal);
        }
    }

    fn enter_event(&mut self, event: Event) {
        let (place, _) = self.events.insert_full(event.id.clone(), event);
        self.undelivered.insert(place);
    }

    fn plan(&mut self, event: &Event, treatment: Treatment, fate: Fate, ordinal: u64) {
        let kind = delivery_kind(event.kind);
        let Treatment::Send(label, wait) = treatment else {
            self.tally.dropped += 1;
            let names = self.names();
            let mark = MarkKind::Delivery {
                delivery: names.id(&event.id),
                charge: Some(names.id(&event.intent)),
                kind,
                label: DeliveryLabel::Genuine,
                stage: DeliveryStage::Dropped,
                status: 0,
                amount: event.amount,
            };
            return self.mark(mark);
        };
        match label {
            DeliveryLabel::Delayed => self.tally.delayed += 1,
            DeliveryLabel::Reordered => self.tally.reordered += 1,
            DeliveryLabel::Early => self.tally.early += 1,
            _ => {}
        }
        let parcel = Parcel {
            event: event.id.clone(),
            intent: event.intent.clone(),
            kind,
            amount: event.amount,
            body: event.json().to_string().into(),
            label,
            wait,
        };
        if fate.hits(Draw::Duplicate, ordinal, self.knobs.duplicate) {
            self.tally.duplicated += 1;
            let wait = second(wait, fate, ordinal);
            let mut copy = Parcel { label: DeliveryLabel::Duplicate, wait, ..parcel.clone() };
            if fate.hits(Draw::Twin, ordinal, TWINS) {
                let twin = Event { id: format!("{}_twin", event.id), ..event.clone() };
                copy.body = twin.json().to_string().into();
                copy.event.clone_from(&twin.id);
                self.enter_event(twin);
            }
            self.actions.push(Action::Deliver(copy));
        }
        self.actions.push(Action::Deliver(parcel));
    }
}

fn treatment(fate: Fate, ordinal: u64, knobs: &Knobs) -> Treatment {
    if fate.hits(Draw::Drop, ordinal, knobs.drop) {
        Treatment::Drop
    } else if fate.hits(Draw::Delay, ordinal, knobs.delay) {
        Treatment::Send(DeliveryLabel::Delayed, Wait::For(knobs.delay_by))
    } else if fate.hits(Draw::Reorder, ordinal, knobs.reorder) {
        Treatment::Send(DeliveryLabel::Reordered, Wait::Overtaken)
    } else {
        Treatment::Send(DeliveryLabel::Genuine, Wait::No)
    }
}

/// When the second copy leaves: half of them at the same instant, the others up to 200 ms later.
fn second(first: Wait, fate: Fate, ordinal: u64) -> Wait {
    let draw = fate.unit(Draw::Together, ordinal);
    if draw < 0.5 {
        return first;
    }
    let later = Duration::from_millis(200).mul_f64(draw);
    match first {
        Wait::For(wait) => Wait::For(wait + later),
        Wait::No | Wait::Overtaken => Wait::For(later),
    }
}
