//! Refunds.

use super::Books;
use super::create::{amount, metadata};
use super::emit::Timing;
use crate::fate::Draw;
use crate::form::Form;
use crate::problem::Problem;
use crate::refund::Refund;
use onsale_history::{MarkKind, RefundStage};
use serde_json::Value;

impl Books {
    /// `POST /v1/refunds`. Also gives the payment's id. A refund that fails is answered as `failed`; the next may pass.
    pub(crate) fn give_back(&mut self, form: &Form) -> Result<(String, Value), Problem> {
        let id = self.refunded_intent(form)?;
        let asked = amount(form)?;
        let (unix, now) = (self.unix(), self.now());
        let share = self.knobs.refund_fails;
        let intent = &mut self.intents[&id];
        let charge = intent.charge();
        if intent.received == 0 {
            let message =
                format!("This PaymentIntent ({id}) does not have a successful charge to refund.");
            return Err(Problem::refused_refund("payment_intent_unexpected_state", message));
        }
        if intent.refundable() == 0 {
            let (message, amount) = (
                format!("Charge {charge} has already been refunded."),
                asked.unwrap_or(intent.received),
            );
            self.mark_refused(&id, amount);
            return Err(Problem::refused_refund("charge_already_refunded", message));
        }
        let amount = asked.unwrap_or_else(|| intent.refundable());
        if amount > intent.refundable() {
            let left = intent.refundable();
            let message = format!(
                "Refund amount ({amount}) is greater than unrefunded amount on charge ({left})."
            );
            self.mark_refused(&id, amount);
            return Err(Problem::refused_refund("amount_too_large", message));
        }
        let first = intent.refunds == 0;
        let succeeded = !(first && intent.fate.hits(Draw::RefundFails, 0, share));
        let refund = Refund {
            id: format!("re_{}_{}", &id[3..], intent.refunds),
            intent: id.clone(),
            charge,
            amount,
            currency: intent.currency.clone(),
            succeeded,
            reason: form.get("reason").map(str::to_owned),
            metadata: metadata(form),
            created_unix: unix,
            created_at: now,
        };
        intent.refunds += 1;
        intent.refunded += if succeeded { amount } else { 0 };
        let object = refund.json();
        self.enter(refund);
        Ok((id, object))
    }

    /// The payment that a refund names by itself or by its charge.
    fn refunded_intent(&self, form: &Form) -> Result<String, Problem> {
        let (param, id) = match (form.get("payment_intent"), form.get("charge")) {
            (Some(intent), _) => ("payment_intent", intent.to_owned()),
            (None, Some(charge)) => ("charge", charge.replacen("ch_", "pi_", 1)),
            (None, None) => return Err(Problem::missing("payment_intent")),
        };
        if self.intents.contains_key(&id) {
            Ok(id)
        } else {
            Err(Problem::no_such(param, &id, param))
        }
    }

    /// Marks that more was asked back than is left. No money moves, but that it was asked for is evidence: a provider that
    /// pays out by another road than the card would have paid twice.
    fn mark_refused(&mut self, intent: &str, amount: u32) {
        let names = self.names();
        let refund = names.id(&format!("re_{}_refused", &intent[3..]));
        let charge = names.id(intent);
        for stage in [RefundStage::Created, RefundStage::Failed] {
            self.mark(MarkKind::Refund { refund, charge, amount, stage });
        }
    }

    /// Enters a refund, marks its stages and tells the target.
    fn enter(&mut self, refund: Refund) {
        let names = self.names();
        let (mark, charge) = (names.id(&refund.id), names.id(&refund.intent));
        let amount = refund.amount;
        let end = if refund.succeeded { RefundStage::Succeeded } else { RefundStage::Failed };
        for stage in [RefundStage::Created, end] {
            self.mark(MarkKind::Refund { refund: mark, charge, amount, stage });
        }
        let id = refund.intent.clone();
        let (kind, object) = if refund.succeeded {
            ("charge.refunded", self.intents[&id].charge_json())
        } else {
            self.tally.refunds_failed += 1;
            ("refund.failed", refund.json())
        };
        self.refunds.insert(refund.id.clone(), refund);
        self.emit(&id, kind, object, amount, Timing::Usual);
    }
}
