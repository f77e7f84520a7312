//! ALTCHA v2: find the counter whose derived key begins with the prefix.
//!
//! Password = nonce ‖ counter (u32, big endian); key = SHA-256 of salt ‖ password, hashed again until `cost` rounds are
//! done. The puzzle is signed over the canonical (sorted) JSON of its parameters, in which `data` binds it to its terms.

use crate::error::{PowError, Rejection};
use crate::wire::{SHA_256, from_base64, hex_equals, hmac_sha256, to_base64, unhex};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use subtle::ConstantTimeEq;

/// Bytes of a derived key.
pub const KEY_LENGTH: u32 = 32;

/// The puzzle, as it goes to the client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Challenge {
    /// What is signed.
    pub parameters: Parameters,
    /// `hex(HMAC(key, canonical JSON of parameters))`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// What is signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Parameters {
    /// `SHA-256`.
    pub algorithm: String,
    /// Rounds of hashing a try.
    pub cost: u32,
    /// What the puzzle is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<BTreeMap<String, Value>>,
    /// Seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// Bytes of a derived key.
    pub key_length: u32,
    /// Hexadecimal; a solution's key begins with it.
    pub key_prefix: String,
    /// `hex(HMAC(second key, derived key))`, so that the server need not derive again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_signature: Option<String>,
    /// Hexadecimal.
    pub nonce: String,
    /// Hexadecimal.
    pub salt: String,
    /// Parameters of other algorithms; kept, because they are signed too.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// The solution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// The counter that was found.
    pub counter: u32,
    /// Its key, hexadecimal.
    #[serde(rename = "derivedKey")]
    pub derived_key: String,
    /// How long it took, in milliseconds; widgets send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

/// The solved puzzle, as it comes back (in base64).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Payload {
    /// The puzzle.
    pub challenge: Challenge,
    /// The solution.
    pub solution: Solution,
}

/// The server's keys: one signs puzzles, one signs the keys that solve them.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    /// Signs puzzles.
    pub signature: &'a [u8],
    /// Signs derived keys.
    pub key_signature: &'a [u8],
}

impl Challenge {
    /// Makes the puzzle that `counter` solves: prefix and signatures are filled in.
    pub fn issue(
        keys: Keys<'_>,
        mut parameters: Parameters,
        counter: u32,
    ) -> Result<Self, PowError> {
        let key = Derivation::of(&parameters)?.key(counter);
        parameters.key_prefix = hex::encode(&key[..key.len() / 2]);
        parameters.key_signature = Some(hex::encode(hmac_sha256(keys.key_signature, &key)));
        let signature = hex::encode(hmac_sha256(keys.signature, canonical(&parameters).as_bytes()));
        Ok(Self { parameters, signature: Some(signature) })
    }

    /// Tries at most `limit` counters.
    pub fn solve(&self, limit: u64) -> Result<Option<Solution>, PowError> {
        let derivation = Derivation::of(&self.parameters)?;
        // Odd digits are allowed: the last one is compared as half a byte.
        let prefix = Prefix::parse(&self.parameters.key_prefix)?;
        let last = u32::try_from(limit).unwrap_or(u32::MAX);
        for counter in 0..last {
            let key = derivation.key(counter);
            if prefix.begins(&key) {
                return Ok(Some(Solution { counter, derived_key: hex::encode(&*key), time: None }));
            }
        }
        Ok(None)
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

    /// Is it ours, in time and solved?
    pub fn verify(&self, keys: Keys<'_>, now_s: u64) -> Result<&Parameters, Rejection> {
        let parameters = &self.challenge.parameters;
        let signature = self.challenge.signature.as_deref().ok_or(Rejection::Signature)?;
        if !hex_equals(signature, &hmac_sha256(keys.signature, canonical(parameters).as_bytes())) {
            return Err(Rejection::Signature);
        }
        let expires = parameters.expires_at.filter(|&at| at != 0);
        if expires.is_some_and(|at| u64::try_from(at).map_or(true, |at| at < now_s)) {
            return Err(Rejection::Expired);
        }
        let key = hex::decode(&self.solution.derived_key).map_err(|_| Rejection::Wrong)?;
        let right = match &parameters.key_signature {
            Some(signature) => hex_equals(signature, &hmac_sha256(keys.key_signature, &key)),
            None => self.derives(&key).map_err(|_| Rejection::Malformed)?,
        };
        if right { Ok(parameters) } else { Err(Rejection::Wrong) }
    }

    fn derives(&self, claimed: &[u8]) -> Result<bool, PowError> {
        let parameters = &self.challenge.parameters;
        let key = Derivation::of(parameters)?.key(self.solution.counter);
        Ok(bool::from(key.ct_eq(claimed)) && Prefix::parse(&parameters.key_prefix)?.begins(&key))
    }
}

/// The JSON that is signed: keys sorted at every level, no spaces.
pub fn canonical(parameters: &Parameters) -> String {
    sorted(serde_json::to_value(parameters).expect("parameters are plain data")).to_string()
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let ordered: BTreeMap<String, Value> =
                map.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            Value::Object(ordered.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        plain => plain,
    }
}

/// Derives keys of one puzzle.
struct Derivation {
    /// The hash of salt ‖ nonce, before the counter.
    prefix: Sha256,
    rounds: u32,
    length: usize,
}

impl Derivation {
    fn of(parameters: &Parameters) -> Result<Self, PowError> {
        if !parameters.algorithm.eq_ignore_ascii_case(SHA_256) {
            return Err(PowError::Algorithm(parameters.algorithm.clone()));
        }
        let salt = unhex("salt", &parameters.salt)?;
        let nonce = unhex("nonce", &parameters.nonce)?;
        let length =
            usize::try_from(parameters.key_length.min(KEY_LENGTH)).expect("a key is short");
        let prefix = Sha256::new_with_prefix(salt).chain_update(nonce);
        Ok(Self { prefix, rounds: parameters.cost.max(1), length })
    }

    fn key(&self, counter: u32) -> Key {
        let mut bytes = self.prefix.clone().chain_update(counter.to_be_bytes()).finalize();
        for _ in 1..self.rounds {
            bytes = Sha256::digest(bytes);
        }
        Key { bytes: bytes.into(), length: self.length }
    }
}

/// A derived key; on the stack, because one is made a try.
struct Key {
    bytes: [u8; 32],
    length: usize,
}

impl std::ops::Deref for Key {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

struct Prefix {
    bytes: Vec<u8>,
    half: Option<u8>,
}

impl Prefix {
    fn parse(text: &str) -> Result<Self, PowError> {
        let even = text.len() / 2 * 2;
        let bytes = unhex("keyPrefix", text.get(..even).unwrap_or(text))?;
        let half = match text.get(even..).filter(|rest| !rest.is_empty()) {
            Some(rest) => Some(unhex("keyPrefix", &format!("0{rest}"))?[0]),
            None => None,
        };
        Ok(Self { bytes, half })
    }

    fn begins(&self, key: &[u8]) -> bool {
        let whole = key.starts_with(&self.bytes);
        whole
            && self
                .half
                .is_none_or(|half| key.get(self.bytes.len()).is_some_and(|byte| byte >> 4 == half))
    }
}
