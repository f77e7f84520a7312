//! Confirming a payment.

use super::Books;
use super::emit::Timing;
use crate::event::Action;
use crate::fate::Draw;
use crate::form::Form;
use crate::intent::{Ending, Intent, Settling, Status};
use crate::problem::Problem;
use onsale_history::ChargeStage;
use serde_json::Value;
use std::time::Duration;

/// What a confirmation leads to.
enum Turn {
    Decline,
    Action,
    Process(Ending),
}

impl Books {
    /// `POST /v1/payment_intents/{id}/confirm`.
    pub(crate) fn confirm(&mut self, id: &str, form: &Form) -> Result<Value, Problem> {
        let intent = self.intent(id)?;
        refuse_wrong_state(intent)?;
        if let Some(method) = form.get("payment_method") {
            intent.payment_method = Some(method.to_owned());
        }
        if intent.payment_method.is_none() {
            intent.payment_method = intent.meta("instrument").map(str::to_owned);
        }
        if intent.payment_method.is_none() {
            let message =
                "You cannot confirm this PaymentIntent because it's missing a payment method.";
            return Err(Problem::unexpected_state(message, intent.json()));
        }
        match self.turn(id) {
            Turn::Decline => Err(self.decline(id)),
            Turn::Action => {
                self.tally.actions += 1;
                let intent = self.intent(id)?;
                intent.status = Status::RequiresAction;
                Ok(intent.json())
            }
            Turn::Process(ending) => {
                self.process(id, ending);
                Ok(self.intents[id].json())
            }
        }
    }

    /// Decides by fate, by the knobs, and by Stripe's test cards.
    fn turn(&mut self, id: &str) -> Turn {
        let knobs = &self.knobs;
        let intent = &mut self.intents[id];
        let acted = intent.status == Status::RequiresAction;
        let attempt = intent.confirmations;
        intent.confirmations += 1;
        let card = intent.payment_method.as_deref().unwrap_or_default();
        let asks = intent.fate.hits(Draw::Action, 0, knobs.requires_action) && attempt == 0;
        if intent.fate.hits(Draw::Fail, 0, knobs.fail) {
            Turn::Process(Ending::Fail)
        } else if card.ends_with("chargeDeclined")
            || intent.fate.hits(Draw::Decline, attempt, knobs.decline)
        {
            Turn::Decline
        } else if !acted && (asks || card.ends_with("authenticationRequired")) {
            Turn::Action
        } else {
            Turn::Process(Ending::Capture)
        }
    }

    fn decline(&mut self, id: &str) -> Problem {
        self.tally.declined += 1;
        let intent = &mut self.intents[id];
        intent.status = Status::RequiresPaymentMethod;
        intent.payment_method = None;
        intent.declined = true;
        let (object, charge, amount) = (intent.json(), intent.charge(), intent.amount);
        self.mark_charge(id, amount, ChargeStage::Declined);
        self.emit(id, "payment_intent.payment_failed", object.clone(), amount, Timing::Usual);
        Problem::declined(&charge, object)
    }

    /// Begins to process; ends at once when there is no latency, or when the news is to be early.
    fn process(&mut self, id: &str, ending: Ending) {
        let after = self.latency(id);
        let hooked = self.webhook_url.is_some();
        let intent = &mut self.intents[id];
        intent.status = Status::Processing;
        intent.declined = false;
        let confirmation = intent.confirmations;
        intent.settling = Some(Settling { confirmation, ending });
        let early = hooked && intent.fate.hits(Draw::Early, confirmation, self.knobs.early);
        if early {
            self.settle(id, confirmation, Timing::Early);
        } else if after.is_zero() {
            self.settle(id, confirmation, Timing::Usual);
        } else {
            self.actions.push(Action::Settle { intent: id.to_owned(), confirmation, after });
        }
    }

    fn latency(&mut self, id: &str) -> Duration {
        let intent = &self.intents[id];
        let attempt = intent.confirmations;
        if intent.fate.hits(Draw::Slow, attempt, self.knobs.slow_share) {
            self.tally.slow += 1;
            return self.knobs.slow;
        }
        let (least, most) = self.knobs.latency;
        least + most.saturating_sub(least).mul_f64(intent.fate.unit(Draw::Latency, attempt))
    }
}

fn refuse_wrong_state(intent: &Intent) -> Result<(), Problem> {
    let why = match intent.status {
        Status::RequiresPaymentMethod | Status::RequiresConfirmation | Status::RequiresAction => {
            return Ok(());
        }
        Status::Succeeded => "it has already succeeded after being previously confirmed",
        Status::Processing => "it is being processed after being previously confirmed",
        Status::Cancelled => "it has a status of canceled",
    };
    let message = format!("You cannot confirm this PaymentIntent because {why}.");
    Err(Problem::unexpected_state(message, intent.json()))
}
