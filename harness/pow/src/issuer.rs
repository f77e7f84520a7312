//! The server's side: puzzles bound to their terms, and the verification of solutions.

use crate::error::Rejection;
use crate::v1;
use crate::v2;
use crate::wire::hmac_sha256;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Which protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// ALTCHA v1.
    V1,
    /// ALTCHA v2.
    V2,
}

/// What a puzzle is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Names and values; `expires` and `jti` are taken.
    pub data: BTreeMap<String, String>,
    /// Seconds since 1970.
    pub expires_at_s: u64,
}

/// How much work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difficulty {
    /// v2: rounds of hashing a try.
    pub cost: u32,
    /// The solution is below this.
    pub max_number: u32,
}

/// A puzzle of either protocol.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Puzzle {
    /// ALTCHA v1.
    V1(v1::Challenge),
    /// ALTCHA v2.
    V2(v2::Challenge),
}

/// A solution that was accepted. It must be spent once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Of the puzzle, not of the payload: any second solution of the same puzzle has the same.
    pub id: String,
    /// What the puzzle was bound to.
    pub data: BTreeMap<String, String>,
    /// When the id may be forgotten, seconds since 1970.
    pub expires_at_s: u64,
}

/// Makes and verifies puzzles under one secret.
#[derive(Clone)]
pub struct Issuer {
    signature: [u8; 32],
    key_signature: [u8; 32],
    drawing: [u8; 32],
}

impl Issuer {
    /// From a secret; the keys for each purpose are derived from it.
    pub fn new(secret: &[u8]) -> Self {
        let key = |purpose: &str| hmac_sha256(secret, purpose.as_bytes());
        Self {
            signature: key("puzzle signature"),
            key_signature: key("puzzle key"),
            drawing: key("puzzle drawing"),
        }
    }

    /// Makes a puzzle. `unique` must never repeat under this secret; the rest follows from it and the secret.
    pub fn issue(
        &self,
        scheme: Scheme,
        difficulty: Difficulty,
        terms: &Terms,
        unique: &[u8],
    ) -> Puzzle {
        let first = hmac_sha256(&self.drawing, unique);
        let second = hmac_sha256(&self.drawing, &first);
        let drawn = u64::from_be_bytes(second[..8].try_into().expect("eight bytes"));
        let number = u32::try_from(drawn % u64::from(difficulty.max_number.max(1)))
            .expect("it is below a u32");
        match scheme {
            Scheme::V1 => Puzzle::V1(self.issue_v1(difficulty, terms, &first, number)),
            Scheme::V2 => Puzzle::V2(self.issue_v2(difficulty, terms, &first, number)),
        }
    }

    fn issue_v1(
        &self,
        difficulty: Difficulty,
        terms: &Terms,
        random: &[u8; 32],
        number: u32,
    ) -> v1::Challenge {
        let mut data = terms.data.clone();
        data.insert("expires".to_owned(), terms.expires_at_s.to_string());
        data.insert("jti".to_owned(), hex::encode(&random[16..]));
        let salt = v1::salt(&random[..12], &data);
        v1::Challenge::issue(
            &self.signature,
            salt,
            u64::from(number),
            u64::from(difficulty.max_number),
        )
    }

    fn issue_v2(
        &self,
        difficulty: Difficulty,
        terms: &Terms,
        random: &[u8; 32],
        number: u32,
    ) -> v2::Challenge {
        let data = terms
            .data
            .iter()
            .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
            .collect();
        let parameters = v2::Parameters {
            algorithm: crate::wire::SHA_256.to_owned(),
            cost: difficulty.cost.max(1),
            data: Some(data),
            expires_at: i64::try_from(terms.expires_at_s).ok(),
            key_length: v2::KEY_LENGTH,
            key_prefix: String::new(),
            key_signature: None,
            nonce: hex::encode(&random[..16]),
            salt: hex::encode(&random[16..]),
            other: BTreeMap::new(),
        };
        v2::Challenge::issue(self.keys(), parameters, number)
            .expect("its own parameters are well-formed")
    }

    /// Is the payload a solution of a puzzle of ours, in time?
    pub fn verify(&self, payload: &str, now_s: u64) -> Result<Verified, Rejection> {
        if let Ok(solved) = v2::Payload::decode(payload) {
            return self.verify_v2(&solved, now_s);
        }
        let mut data = v1::Payload::decode(payload)?.verify(&self.signature, now_s)?;
        let expires = data
            .remove("expires")
            .and_then(|text| text.parse().ok())
            .ok_or(Rejection::Malformed)?;
        let id = data.remove("jti").ok_or(Rejection::Malformed)?;
        Ok(Verified { id, data, expires_at_s: expires })
    }

    fn verify_v2(&self, solved: &v2::Payload, now_s: u64) -> Result<Verified, Rejection> {
        let parameters = solved.verify(self.keys(), now_s)?;
        let expires = parameters
            .expires_at
            .and_then(|at| u64::try_from(at).ok())
            .ok_or(Rejection::Malformed)?;
        let pairs = parameters.data.iter().flatten();
        let data = pairs
            .map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect::<Option<_>>();
        Ok(Verified {
            id: parameters.nonce.clone(),
            data: data.ok_or(Rejection::Malformed)?,
            expires_at_s: expires,
        })
    }

    fn keys(&self) -> v2::Keys<'_> {
        v2::Keys { signature: &self.signature, key_signature: &self.key_signature }
    }
}

impl std::fmt::Debug for Issuer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Issuer")
    }
}
