//! ALTCHA v1: find the number that, appended to the salt, hashes to the challenge.
//!
//! The salt carries the terms as a query string and must end with `&`: without it, digits could move between the last
//! parameter and the number, and one solution would serve for ever (GHSA-6gvq-jcmp-8959).

use crate::error::{PowError, Rejection};
use crate::wire::{SHA_256, from_base64, hex_equals, hmac_sha256, to_base64};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The puzzle, as it goes to the client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// `SHA-256`.
    pub algorithm: String,
    /// `hex(SHA256(salt + number))`.
    pub challenge: String,
    /// The number is at most this.
    pub maxnumber: u64,
    /// Random characters, `?`, the terms.
    pub salt: String,
    /// `hex(HMAC(key, challenge))`.
    pub signature: String,
}

/// The solved puzzle, as it comes back (in base64).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Payload {
    /// `SHA-256`.
    pub algorithm: String,
    /// Of the puzzle.
    pub challenge: String,
    /// The solution.
    pub number: u64,
    /// Of the puzzle.
    pub salt: String,
    /// Of the puzzle.
    pub signature: String,
    /// How long it took, in milliseconds; widgets send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<f64>,
}

impl Challenge {
    /// Makes the puzzle whose solution is `number`. The salt must end with `&`.
    pub fn issue(key: &[u8], salt: String, number: u64, maxnumber: u64) -> Self {
        assert!(salt.ends_with('&'), "a salt without the closing `&` can be spliced");
        let challenge = hex::encode(hash(&salt, number));
        let signature = hex::encode(hmac_sha256(key, challenge.as_bytes()));
        Self { algorithm: SHA_256.to_owned(), challenge, maxnumber, salt, signature }
    }

    /// Tries at most `limit` numbers.
    pub fn solve(&self, limit: u64) -> Result<Option<u64>, PowError> {
        if !self.algorithm.eq_ignore_ascii_case(SHA_256) {
            return Err(PowError::Algorithm(self.algorithm.clone()));
        }
        let wanted = crate::wire::unhex("challenge", &self.challenge)?;
        let prefix = Sha256::new_with_prefix(&self.salt);
        let mut digits = Digits::default();
        let tries = self.maxnumber.saturating_add(1).min(limit);
        for number in 0..tries {
            let mut hasher = prefix.clone();
            hasher.update(digits.as_bytes());
            if hasher.finalize()[..] == wanted[..] {
                return Ok(Some(number));
            }
            digits.increment();
        }
        Ok(None)
    }

    /// The payload of a solution.
    pub fn payload(&self, number: u64) -> Payload {
        Payload {
            algorithm: self.algorithm.clone(),
            challenge: self.challenge.clone(),
            number,
            salt: self.salt.clone(),
            signature: self.signature.clone(),
            took: None,
        }
    }
}

impl Payload {
    /// In base64.
    pub fn encode(&self) -> String {
        to_base64(self)
    }

    /// From base64.
    pub fn decode(text: &str) -> Result<Self, Rejection> {
        from_base64(text)
    }

    /// Is it ours, in time and solved? The terms of the salt, if so.
    pub fn verify(&self, key: &[u8], now_s: u64) -> Result<BTreeMap<String, String>, Rejection> {
        if !self.algorithm.eq_ignore_ascii_case(SHA_256) || !self.salt.ends_with('&') {
            return Err(Rejection::Malformed);
        }
        if !hex_equals(&self.signature, &hmac_sha256(key, self.challenge.as_bytes())) {
            return Err(Rejection::Signature);
        }
        if !hex_equals(&self.challenge, &hash(&self.salt, self.number)) {
            return Err(Rejection::Wrong);
        }
        let terms = read_terms(&self.salt).ok_or(Rejection::Malformed)?;
        let expires = terms
            .get("expires")
            .map(|text| text.parse::<u64>().map_err(|_| Rejection::Malformed))
            .transpose()?;
        if expires.is_some_and(|expires| expires < now_s) {
            return Err(Rejection::Expired);
        }
        Ok(terms)
    }
}

/// A salt: random characters, then the terms, closed by `&`.
pub fn salt(random: &[u8], terms: &BTreeMap<String, String>) -> String {
    let mut salt = hex::encode(random);
    salt.push('?');
    for (name, value) in terms {
        escape(name, &mut salt);
        salt.push('=');
        escape(value, &mut salt);
        salt.push('&');
    }
    salt
}

fn hash(salt: &str, number: u64) -> [u8; 32] {
    Sha256::new_with_prefix(salt).chain_update(number.to_string()).finalize().into()
}

fn read_terms(salt: &str) -> Option<BTreeMap<String, String>> {
    let (_, query) = salt.split_once('?')?;
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            pair.split_once('=').and_then(|(name, value)| Some((unescape(name)?, unescape(value)?)))
        })
        .collect()
}

fn escape(text: &str, into: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            into.push(char::from(byte));
        } else {
            into.push('%');
            into.push_str(&hex::encode_upper([byte]));
        }
    }
}

fn unescape(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            bytes.extend(hex::decode(after.get(..2)?).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

/// A number in decimal that counts without dividing.
struct Digits {
    text: [u8; 20],
    start: usize,
}

impl Default for Digits {
    fn default() -> Self {
        Self { text: [b'0'; 20], start: 19 }
    }
}

impl Digits {
    fn as_bytes(&self) -> &[u8] {
        &self.text[self.start..]
    }

    fn increment(&mut self) {
        for place in (0..self.text.len()).rev() {
            if self.text[place] < b'9' {
                self.text[place] += 1;
                self.start = self.start.min(place);
                return;
            }
            self.text[place] = b'0';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_count_like_numbers() {
        let mut digits = Digits::default();
        for number in 0..12_345_u64 {
            assert_eq!(digits.as_bytes(), number.to_string().as_bytes());
            digits.increment();
        }
    }

    #[test]
    fn terms_survive_the_salt_whatever_they_hold() {
        let terms = BTreeMap::from([
            ("ev".to_owned(), "a&b=c?d%26".to_owned()),
            ("ü".to_owned(), "ß 1".to_owned()),
        ]);
        assert_eq!(read_terms(&salt(&[1, 2, 3], &terms)), Some(terms));
    }
}
