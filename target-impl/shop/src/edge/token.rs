//! Checkout tokens: JWTs under Ed25519 or HMAC-SHA256, bound to event, account and position.
//!
//! A token follows from the position and the moment of admission, both in the ledger; so asking again, even after a
//! restart, gives the same one.

use super::keys::{Key, KeyRing};
use jsonwebtoken::{Algorithm, Header, Validation};
use onsale_contract::admin::TokenAlgorithm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

/// What a token says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Claims {
    /// The event.
    pub(crate) aud: String,
    /// The account.
    pub(crate) sub: String,
    /// The token's identifier.
    pub(crate) jti: String,
    /// Issued at, seconds since 1970.
    pub(crate) iat: u64,
    /// Not before.
    pub(crate) nbf: u64,
    /// Valid until.
    pub(crate) exp: u64,
    /// The position in the queue.
    pub(crate) queue_position: u64,
}

/// Why a token is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejected {
    /// Not ours, not for this event, or not a token.
    Invalid,
    /// Past its time, or before it.
    Expired,
}

fn algorithm_of(kind: TokenAlgorithm) -> Algorithm {
    match kind {
        TokenAlgorithm::EdDSA => Algorithm::EdDSA,
        TokenAlgorithm::HS256 => Algorithm::HS256,
    }
}

/// Signs the claims with the newest key.
pub(crate) fn sign(key: &Key, kind: TokenAlgorithm, claims: &Claims) -> String {
    let mut header = Header::new(algorithm_of(kind));
    header.kid = Some(key.kid.clone());
    let signing = match kind {
        TokenAlgorithm::EdDSA => &key.eddsa.0,
        TokenAlgorithm::HS256 => &key.hs256.0,
    };
    jsonwebtoken::encode(&header, claims, signing).expect("the key fits the algorithm")
}

/// Verifies tokens; remembers what it verified, because each is shown many times.
#[derive(Default)]
pub(crate) struct Verifier {
    seen: RwLock<BTreeMap<String, Arc<Claims>>>,
}

/// How many verified tokens are remembered.
const SEEN_MAX: usize = 65_536;

impl Verifier {
    /// The claims of a token that we signed for this event under this algorithm and that is in time.
    pub(crate) fn verify(
        &self,
        keys: &KeyRing,
        kind: TokenAlgorithm,
        event: &str,
        token: &str,
        now_ms: u64,
    ) -> Result<Arc<Claims>, (Rejected, Option<Arc<Claims>>)> {
        let known =
            self.seen.read().expect("nobody panics with the memory in hand").get(token).cloned();
        let claims = match known {
            Some(claims) => claims,
            None => {
                self.verify_signature(keys, kind, event, token).ok_or((Rejected::Invalid, None))?
            }
        };
        if claims.aud != event {
            return Err((Rejected::Invalid, None));
        }
        let in_time =
            claims.nbf.saturating_mul(1_000) <= now_ms && now_ms < claims.exp.saturating_mul(1_000);
        if in_time { Ok(claims) } else { Err((Rejected::Expired, Some(claims))) }
    }

    fn verify_signature(
        &self,
        keys: &KeyRing,
        kind: TokenAlgorithm,
        event: &str,
        token: &str,
    ) -> Option<Arc<Claims>> {
        let kid = jsonwebtoken::decode_header(token).ok()?.kid?;
        let key = keys.find(&kid)?;
        // Only the event's own algorithm: neither `none` nor a public key taken for a shared secret.
        let mut validation = Validation::new(algorithm_of(kind));
        validation.set_audience(&[event]);
        validation.set_required_spec_claims(&["exp", "nbf", "aud", "sub"]);
        // The time is judged by the shop's own clock, without leeway.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        let verifying = match kind {
            TokenAlgorithm::EdDSA => &key.eddsa.1,
            TokenAlgorithm::HS256 => &key.hs256.1,
        };
        let claims =
            Arc::new(jsonwebtoken::decode::<Claims>(token, verifying, &validation).ok()?.claims);
        let mut seen = self.seen.write().expect("nobody panics with the memory in hand");
        if seen.len() >= SEEN_MAX {
            seen.clear();
        }
        seen.insert(token.to_owned(), Arc::clone(&claims));
        Some(claims)
    }

    /// Forgets what was verified: after a rotation, keys may be gone.
    pub(crate) fn forget(&self) {
        self.seen.write().expect("nobody panics with the memory in hand").clear();
    }
}

/// What a token says, whoever signed it.
pub(crate) fn read_unverified(token: &str) -> Option<Claims> {
    use base64::Engine;
    let body = token.split('.').nth(1)?;
    let bytes =
        base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(body.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&bytes).ok()
}
