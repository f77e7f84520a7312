//! `Idempotency-Key`: the first call with a key does something, the others hear what it said.

use crate::problem::Problem;
use axum::http::StatusCode;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Stripe's limit.
pub(crate) const KEY_LENGTH_MAX: usize = 255;

/// An answer that is kept for as long as the provider runs; Stripe keeps it for at least 24 hours.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stored {
    pub(crate) status: StatusCode,
    pub(crate) body: Arc<str>,
}

struct Entry {
    fingerprint: String,
    /// None while the first call is in flight.
    answer: Option<Stored>,
}

/// All keys that were used.
#[derive(Default)]
pub(crate) struct Keys {
    entries: Mutex<HashMap<String, Entry>>,
}

/// How a call with a key goes on.
pub(crate) enum Turn {
    /// It is the first: do it, then [`Claim::store`] the answer.
    First(Claim),
    /// It was done; this was said.
    Again(Stored),
}

/// The right to do what a key stands for. Dropped without an answer, the key is free again.
pub(crate) struct Claim {
    keys: Arc<Keys>,
    key: Option<String>,
}

impl Keys {
    /// Claims a key for a call, known by its fingerprint. Each scope has keys of its own.
    pub(crate) fn claim(
        self: &Arc<Self>,
        scope: &str,
        key: &str,
        fingerprint: String,
    ) -> Result<Turn, Problem> {
        if key.chars().count() > KEY_LENGTH_MAX {
            return Err(Problem::key_too_long(KEY_LENGTH_MAX));
        }
        let key = format!("{scope} {key}");
        let mut entries = self.entries.lock().expect("no holder panics");
        match entries.get(&key) {
            Some(entry) if entry.fingerprint != fingerprint => Err(Problem::key_reused()),
            Some(Entry { answer: Some(answer), .. }) => Ok(Turn::Again(answer.clone())),
            Some(Entry { answer: None, .. }) => Err(Problem::key_in_flight()),
            None => {
                entries.insert(key.clone(), Entry { fingerprint, answer: None });
                Ok(Turn::First(Claim { keys: self.clone(), key: Some(key) }))
            }
        }
    }
}

impl Claim {
    /// Keeps the answer for whoever asks again.
    pub(crate) fn store(mut self, answer: Stored) {
        let key = self.key.take().expect("a claim is used once");
        let mut entries = self.keys.entries.lock().expect("no holder panics");
        entries.get_mut(&key).expect("a claimed key has an entry").answer = Some(answer);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.keys.entries.lock().expect("no holder panics").remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_first_then_in_flight_then_replayed() {
        let keys = Arc::new(Keys::default());
        let claim = |fingerprint: &str| keys.claim("server", "k", fingerprint.into());
        let Ok(Turn::First(first)) = claim("a") else { panic!("the first call is let through") };
        assert_eq!(claim("a").err(), Some(Problem::key_in_flight()));
        assert_eq!(claim("b").err(), Some(Problem::key_reused()));
        drop(first);
        let Ok(Turn::First(first)) = claim("b") else { panic!("a dropped claim frees the key") };
        let answer = Stored { status: StatusCode::OK, body: "{}".into() };
        first.store(answer.clone());
        let Ok(Turn::Again(stored)) = claim("b") else { panic!("the answer is replayed") };
        assert_eq!(stored, answer);
        assert_eq!(claim("a").err(), Some(Problem::key_reused()));
    }

    #[test]
    fn keys_have_at_most_255_characters() {
        let keys = Arc::new(Keys::default());
        assert!(matches!(
            keys.claim("server", &"é".repeat(255), String::new()),
            Ok(Turn::First(_))
        ));
        assert_eq!(
            keys.claim("server", &"k".repeat(256), String::new()).err(),
            Some(Problem::key_too_long(255))
        );
    }
}
