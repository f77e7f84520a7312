//! Carrying events to the target's webhook: attempts, pauses, marks.

use crate::engine::{Busy, Engine};
use crate::event::{Parcel, Wait};
use crate::signature::{TOLERANCE, sign};
use onsale_history::{DeliveryLabel, DeliveryStage, MarkKind};
use std::sync::Arc;
use std::time::Duration;

/// A parcel that nothing overtakes leaves after so long.
const OVERTAKEN_WAIT_MAX: Duration = Duration::from_millis(500);
/// How much older than the tolerance a stale signature is.
const STALE_BY: Duration = Duration::from_mins(1);

/// What is known about an attempt before it begins.
enum Leave {
    /// To this address, with this signature.
    Go { url: Arc<str>, signature: String },
    /// There is no reason to send it any more.
    Stay,
}

/// Delivers a parcel, trying again until it is accepted or there were enough attempts.
pub(crate) async fn deliver(engine: Arc<Engine>, parcel: Parcel, busy: Busy) {
    tokio::select! {
        () = carry(&engine, &parcel) => {}
        () = engine.stopping() => {}
    }
    drop(busy);
}

async fn carry(engine: &Arc<Engine>, parcel: &Parcel) {
    wait(engine, parcel.wait).await;
    for attempt in 1.. {
        let accepted = attempt_once(engine, parcel).await;
        if accepted || is_attack(parcel.label) {
            return;
        }
        let Some(pause) = engine.retry.pause(attempt) else { return };
        tokio::time::sleep(pause).await;
    }
}

async fn wait(engine: &Engine, wait: Wait) {
    match wait {
        Wait::No => {}
        Wait::For(time) => tokio::time::sleep(time).await,
        Wait::Overtaken => {
            let mut left = engine.left.subscribe();
            left.mark_unchanged();
            // Either way it leaves now; that nothing overtook it is no failure.
            let _ = tokio::time::timeout(OVERTAKEN_WAIT_MAX, left.changed()).await;
        }
    }
}

/// One attempt; true when there is nothing left to do.
async fn attempt_once(engine: &Arc<Engine>, parcel: &Parcel) -> bool {
    let permit = engine.permits.acquire().await.expect("the semaphore is never closed");
    let Leave::Go { url, signature } = leave(engine, parcel) else { return true };
    engine.left.send_modify(|left| *left += 1);
    let answer = engine
        .http
        .post(&*url)
        .header("content-type", "application/json; charset=utf-8")
        .header("stripe-signature", signature)
        .body(parcel.body.to_string())
        .send()
        .await;
    drop(permit);
    let status = match answer {
        Ok(answer) => Some(answer.status().as_u16()),
        Err(error) => {
            tracing::debug!(event = parcel.event, %error, "a webhook got no answer");
            None
        }
    };
    arrive(engine, parcel, status)
}

/// Decides under the lock, where no capture can slip in between, whether the parcel leaves, and marks that it does.
fn leave(engine: &Arc<Engine>, parcel: &Parcel) -> Leave {
    let (leave, _) = engine.change(|books| {
        let Some(url) = books.webhook_url.clone() else { return Leave::Stay };
        let unix = books.unix();
        let secret = engine.webhook_secret.as_str();
        let body = parcel.body.as_bytes();
        let signature = match parcel.label {
            DeliveryLabel::Forged | DeliveryLabel::Stale
                if books.intents[&parcel.intent].received > 0 =>
            {
                // Its payment was captured meanwhile: the attack is left for another payment.
                *books.attacks_left(parcel.label) += 1;
                return Leave::Stay;
            }
            DeliveryLabel::Forged => {
                books.tally.forged += 1;
                sign(&format!("{secret}_of_somebody_else"), unix, body)
            }
            DeliveryLabel::Stale => {
                books.tally.stale += 1;
                sign(secret, unix - (TOLERANCE + STALE_BY).as_secs(), body)
            }
            _ => {
                let event = &mut books.events[&parcel.event];
                if event.delivered && event.attempts > 0 && parcel.label != DeliveryLabel::Duplicate
                {
                    return Leave::Stay;
                }
                event.attempts += 1;
                sign(secret, unix, body)
            }
        };
        books.mark_delivery(parcel, DeliveryStage::Sent, 0);
        Leave::Go { url, signature }
    });
    leave
}

/// Notes the answer; true when it was accepted.
fn arrive(engine: &Arc<Engine>, parcel: &Parcel, status: Option<u16>) -> bool {
    let accepted = status.is_some_and(|status| (200..300).contains(&status));
    engine.change(|books| {
        if let (true, Some((place, _, event))) =
            (accepted, books.events.get_full_mut(&parcel.event))
        {
            event.delivered = true;
            books.undelivered.remove(&place);
        }
        match status {
            Some(status) => books.mark_delivery(parcel, DeliveryStage::Answered, status),
            None => books.mark_delivery(parcel, DeliveryStage::Lost, 0),
        }
    });
    accepted
}

const fn is_attack(label: DeliveryLabel) -> bool {
    matches!(label, DeliveryLabel::Forged | DeliveryLabel::Stale)
}

impl crate::books::Books {
    fn mark_delivery(&mut self, parcel: &Parcel, stage: DeliveryStage, status: u16) {
        let names = self.names();
        let kind = MarkKind::Delivery {
            delivery: names.id(&parcel.event),
            charge: Some(names.id(&parcel.intent)),
            kind: parcel.kind,
            label: parcel.label,
            stage,
            status,
            amount: parcel.amount,
        };
        self.mark(kind);
    }
}
