//! Cancelling a payment.

use super::Books;
use super::emit::Timing;
use crate::fate::Draw;
use crate::form::Form;
use crate::intent::{Ending, Status};
use crate::problem::Problem;
use onsale_history::ChargeStage;
use serde_json::Value;

impl Books {
    /// `POST /v1/payment_intents/{id}/cancel`. A payment under way is stopped, unless the fault lets it go on in secret.
    pub(crate) fn cancel(&mut self, id: &str, form: &Form) -> Result<Value, Problem> {
        let unix = self.unix();
        let share = self.knobs.capture_after_cancel;
        let intent = self.intent(id)?;
        if matches!(intent.status, Status::Succeeded | Status::Cancelled) {
            let message = format!(
                "You cannot cancel this PaymentIntent because it has a status of {}. Only a PaymentIntent with one of \
                 the following statuses may be canceled: requires_payment_method, requires_capture, \
                 requires_confirmation, requires_action, processing.",
                intent.status.word()
            );
            return Err(Problem::unexpected_state(message, intent.json()));
        }
        let goes_on = intent.settling.is_some_and(|settling| settling.ending == Ending::Capture)
            && intent.fate.hits(Draw::CaptureAfterCancel, 0, share);
        if !goes_on {
            intent.settling = None;
        }
        intent.status = Status::Cancelled;
        intent.cancelled_unix = Some(unix);
        intent.cancellation_reason = form.get("cancellation_reason").map(str::to_owned);
        let (object, amount) = (intent.json(), intent.amount);
        self.mark_charge(id, amount, ChargeStage::Cancelled);
        self.emit(id, "payment_intent.canceled", object.clone(), amount, Timing::Usual);
        Ok(object)
    }
}
