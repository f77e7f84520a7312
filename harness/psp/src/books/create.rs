//! Making and describing a payment.

use super::Books;
use super::emit::Timing;
use crate::event::{Action, Parcel, Wait};
use crate::fate::{Draw, Fate};
use crate::form::Form;
use crate::intent::{Intent, Status};
use crate::problem::Problem;
use onsale_history::{ChargeStage, DeliveryKind, DeliveryLabel};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// A forged or stale webhook follows its payment after so long, when the target is likely to know the order.
const ATTACK_AFTER: Duration = Duration::from_millis(5);

impl Books {
    /// `POST /v1/payment_intents`. Also gives the new payment's id.
    pub(crate) fn create(&mut self, form: &Form) -> Result<(String, Value), Problem> {
        let amount = amount(form)?.ok_or_else(|| Problem::missing("amount"))?;
        let currency =
            form.get("currency").ok_or_else(|| Problem::missing("currency"))?.to_ascii_lowercase();
        if currency.len() != 3 || !currency.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Err(Problem::invalid("currency", format!("Invalid currency: {currency}.")));
        }
        let number = self.intents.len() as u64;
        let fate = Fate::of(self.seed, number);
        let (id, client_secret) = Intent::identity(fate);
        let metadata = metadata(form);
        let payment_method = form
            .get("payment_method")
            .map(str::to_owned)
            .or_else(|| metadata.get("instrument").cloned());
        let intent = Intent {
            id: id.clone(),
            fate,
            client_secret,
            status: if payment_method.is_some() {
                Status::RequiresConfirmation
            } else {
                Status::RequiresPaymentMethod
            },
            amount,
            received: 0,
            refunded: 0,
            currency,
            metadata,
            payment_method,
            description: form.get("description").map(str::to_owned),
            confirmations: 0,
            settling: None,
            events: 0,
            refunds: 0,
            answers: 0,
            declined: false,
            created_unix: self.unix(),
            created_at: self.now(),
            captured_at: None,
            cancelled_unix: None,
            cancellation_reason: None,
        };
        self.intents.insert(id.clone(), intent);
        self.mark_charge(&id, amount, ChargeStage::Created);
        self.greet(&id, fate);
        self.attack(&id, number);
        let answer = if form.get("confirm") == Some("true") {
            self.confirm(&id, form)
        } else {
            Ok(self.intents[&id].json())
        };
        answer.map(|body| (id, body))
    }

    /// An early webhook: the news of the payment overtakes the answer that names it.
    fn greet(&mut self, id: &str, fate: Fate) {
        if self.webhook_url.is_some() && fate.hits(Draw::Early, 0, self.knobs.early) {
            let (object, amount) = (self.intents[id].json(), self.intents[id].amount);
            self.emit(id, "payment_intent.created", object, amount, Timing::Early);
        }
    }

    /// Sends a forged or a stale webhook after a payment that is not captured, while there are some to send.
    fn attack(&mut self, id: &str, number: u64) {
        if self.webhook_url.is_none() {
            return;
        }
        let label = match number % 3 {
            0 if self.knobs.forged > 0 => DeliveryLabel::Forged,
            1 if self.knobs.stale > 0 => DeliveryLabel::Stale,
            _ => return,
        };
        *self.attacks_left(label) -= 1;
        let intent = &self.intents[id];
        let event = format!("evt_{}_{}", label.word(), &id[3..]);
        let mut object = intent.json();
        object["status"] = "succeeded".into();
        object["amount_received"] = intent.amount.into();
        object["latest_charge"] = intent.charge().into();
        let body = json!({
            "id": event,
            "object": "event",
            "api_version": "2024-06-20",
            "created": intent.created_unix,
            "data": { "object": object },
            "livemode": false,
            "pending_webhooks": 1,
            "request": { "id": null, "idempotency_key": null },
            "type": "payment_intent.succeeded",
        });
        let parcel = Parcel {
            event,
            intent: id.to_owned(),
            kind: DeliveryKind::Succeeded,
            amount: intent.amount,
            body: body.to_string().into(),
            label,
            wait: Wait::For(ATTACK_AFTER),
        };
        self.actions.push(Action::Deliver(parcel));
    }

    /// How many attacks of a kind are still to be made.
    pub(crate) fn attacks_left(&mut self, label: DeliveryLabel) -> &mut u32 {
        if label == DeliveryLabel::Forged { &mut self.knobs.forged } else { &mut self.knobs.stale }
    }

    /// `POST /v1/payment_intents/{id}`: metadata and description; the amount while nothing was confirmed.
    pub(crate) fn update(&mut self, id: &str, form: &Form) -> Result<Value, Problem> {
        let amount = amount(form)?;
        let intent = self.intent(id)?;
        if let Some(amount) = amount {
            if intent.confirmations > 0 || intent.status == Status::Cancelled {
                let status = intent.status.word();
                let message = format!(
                    "This PaymentIntent's amount could not be updated because it has a status of {status}."
                );
                return Err(Problem::unexpected_state(message, intent.json()));
            }
            intent.amount = amount;
        }
        if let Some(text) = form.get("description") {
            intent.description = Some(text.to_owned());
        }
        for (key, value) in form.map("metadata") {
            if value.is_empty() {
                intent.metadata.remove(key);
            } else {
                intent.metadata.insert(key.to_owned(), value.to_owned());
            }
        }
        Ok(intent.json())
    }
}

/// The `metadata[…]` of a call.
pub(super) fn metadata(form: &Form) -> BTreeMap<String, String> {
    form.map("metadata")
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// The `amount` of a call, in minor units.
pub(super) fn amount(form: &Form) -> Result<Option<u32>, Problem> {
    let Some(text) = form.get("amount") else { return Ok(None) };
    match text.parse::<u32>() {
        Ok(amount) if amount > 0 => Ok(Some(amount)),
        Ok(_) => Err(Problem::invalid("amount", "This value must be greater than or equal to 1.")),
        Err(_) => Err(Problem::invalid("amount", format!("Invalid integer: {text}"))),
    }
}
