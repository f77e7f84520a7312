//! Webhooks by Stripe's scheme: `Stripe-Signature: t=<unix>,v1=<hex>[,v1=…]`.

use super::{Intent, IntentStatus};
use crate::ledger::{Outcome, OutcomeKind};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq};

/// A signature is good for so many seconds.
pub const TOLERANCE_S: u64 = 300;

/// Why a webhook is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// No header, or one without timestamp or signature.
    #[error("the signature header cannot be read")]
    Malformed,
    /// None of the signatures is ours.
    #[error("no signature fits")]
    Forged,
    /// Too old, or from the future.
    #[error("the timestamp is out of tolerance")]
    Stale,
}

/// Checks a signature in constant time over every `v1`, then its age.
pub fn verify(header: &str, body: &[u8], secret: &str, now_s: u64) -> Result<(), Rejection> {
    let parts = || header.split(',').filter_map(|part| part.trim().split_once('='));
    let time = parts()
        .find(|(name, _)| *name == "t")
        .map(|(_, value)| value)
        .ok_or(Rejection::Malformed)?;
    let stamp: u64 = time.parse().map_err(|_| Rejection::Malformed)?;
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(time.as_bytes());
    mac.update(b".");
    mac.update(body);
    let expected = mac.finalize().into_bytes();
    let given = parts()
        .filter(|(name, _)| *name == "v1")
        .map(|(_, value)| hex::decode(value).unwrap_or_default());
    let fits = given.fold(Choice::from(0), |fits, given| fits | given.ct_eq(&expected));
    if !bool::from(fits) {
        return Err(Rejection::Forged);
    }
    if now_s.abs_diff(stamp) > TOLERANCE_S { Err(Rejection::Stale) } else { Ok(()) }
}

/// What an event says of a payment; nothing if it is about something else.
pub fn outcome(event: &Value) -> Option<Outcome> {
    let kind = event.get("type").and_then(Value::as_str)?;
    if !kind.starts_with("payment_intent.") {
        return None;
    }
    let intent = Intent::read(event.pointer("/data/object")?)?;
    let kind = match kind {
        "payment_intent.succeeded" => {
            OutcomeKind::Captured { amount: intent.received, currency: intent.currency }
        }
        "payment_intent.canceled" => OutcomeKind::Cancelled,
        "payment_intent.payment_failed" => OutcomeKind::Declined,
        _ => return None,
    };
    let event_id = event.get("id").and_then(Value::as_str).map(str::to_owned);
    Some(Outcome { event_id, attempt_id: intent.attempt_id, psp_ref: intent.id, kind })
}

/// What a look at a payment says; nothing while it is open.
pub fn outcome_of(intent: &Intent) -> Option<Outcome> {
    let kind = match intent.status {
        IntentStatus::Succeeded => {
            OutcomeKind::Captured { amount: intent.received, currency: intent.currency.clone() }
        }
        IntentStatus::Cancelled => OutcomeKind::Cancelled,
        IntentStatus::Open => return None,
    };
    Some(Outcome {
        event_id: None,
        attempt_id: intent.attempt_id.clone(),
        psp_ref: intent.id.clone(),
        kind,
    })
}

#[cfg(test)]
mod tests {
    use super::{Rejection, verify};
    use hmac::{Hmac, KeyInit, Mac};
    use sha2::Sha256;

    fn sign(secret: &str, time: u64, body: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(format!("{time}.{body}").as_bytes());
        hex::encode(mac.finalize().into_bytes())
    }

    #[test]
    fn a_signature_is_believed_only_if_it_fits_and_is_fresh() {
        let good = sign("new", 1_000, "{}");
        let old = sign("old", 1_000, "{}");
        let cases = [
            (format!("t=1000,v1={good}"), 1_000, Ok(())),
            (format!("t=1000, v1={old},v1={good}"), 1_300, Ok(())),
            (format!("t=1000,v1={good}"), 1_301, Err(Rejection::Stale)),
            (format!("t=1000,v1={good}"), 699, Err(Rejection::Stale)),
            (format!("t=1000,v1={old}"), 1_000, Err(Rejection::Forged)),
            (format!("t=1001,v1={good}"), 1_001, Err(Rejection::Forged)),
            (format!("t=1000,v0={good}"), 1_000, Err(Rejection::Forged)),
            (format!("v1={good}"), 1_000, Err(Rejection::Malformed)),
            (String::new(), 1_000, Err(Rejection::Malformed)),
        ];
        for (header, now, expected) in cases {
            assert_eq!(verify(&header, b"{}", "new", now), expected, "{header} at {now}");
        }
    }
}
