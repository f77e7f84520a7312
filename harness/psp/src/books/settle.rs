//! The end of a confirmation: money taken, or a failure for good.

use super::Books;
use super::emit::Timing;
use crate::intent::{Ending, Status};
use onsale_history::ChargeStage;

impl Books {
    /// Ends a confirmation, unless it was cancelled meanwhile.
    pub(crate) fn settle(&mut self, id: &str, confirmation: u64, timing: Timing) {
        let Some(intent) = self.intents.get_mut(id) else { return };
        let Some(settling) =
            intent.settling.take_if(|settling| settling.confirmation == confirmation)
        else {
            return;
        };
        match settling.ending {
            Ending::Capture => self.capture(id, timing),
            Ending::Fail => self.fail(id, timing),
        }
    }

    fn capture(&mut self, id: &str, timing: Timing) {
        let now = self.now();
        let place = self.intents.get_index_of(id).expect("the caller found it");
        let wrong = place % 3 == 2 && self.knobs.wrong_amount > 0;
        let intent = &mut self.intents[id];
        self.tally.captured_after_cancel += u64::from(intent.status == Status::Cancelled);
        intent.status = Status::Succeeded;
        intent.cancelled_unix = None;
        intent.cancellation_reason = None;
        intent.captured_at = Some(now);
        intent.received = if wrong { wrong_amount(intent.amount) } else { intent.amount };
        let (object, received) = (intent.json(), intent.received);
        if wrong {
            self.knobs.wrong_amount -= 1;
            self.tally.wrong_amounts += 1;
        }
        self.mark_charge(id, received, ChargeStage::Captured);
        self.emit(id, "payment_intent.succeeded", object, received, timing);
    }

    fn fail(&mut self, id: &str, timing: Timing) {
        self.tally.failed += 1;
        let unix = self.unix();
        let intent = &mut self.intents[id];
        intent.status = Status::RequiresPaymentMethod;
        intent.declined = true;
        let (declined, amount) = (intent.json(), intent.amount);
        intent.status = Status::Cancelled;
        intent.cancelled_unix = Some(unix);
        intent.cancellation_reason = Some("automatic".into());
        let cancelled = intent.json();
        self.mark_charge(id, amount, ChargeStage::Failed);
        self.emit(id, "payment_intent.payment_failed", declined, amount, timing);
        self.emit(id, "payment_intent.canceled", cancelled, amount, Timing::Usual);
    }
}

/// Half, and never the same.
const fn wrong_amount(amount: u32) -> u32 {
    if amount == 1 { 2 } else { amount / 2 }
}
