//! Bytes and text that both protocols share.

use crate::error::{PowError, Rejection};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// The only hash spoken here, as both protocols write it.
pub(crate) const SHA_256: &str = "SHA-256";

pub(crate) fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(message);
    mac.finalize().into_bytes().into()
}

/// Compares a hexadecimal text from outside with what it should be, in constant time.
pub(crate) fn hex_equals(text: &str, expected: &[u8]) -> bool {
    hex::decode(text).is_ok_and(|bytes| bytes.ct_eq(expected).into())
}

pub(crate) fn unhex(field: &'static str, text: &str) -> Result<Vec<u8>, PowError> {
    hex::decode(text).map_err(|source| PowError::Hex { field, source })
}

pub(crate) fn to_base64<T: Serialize>(payload: &T) -> String {
    STANDARD.encode(serde_json::to_vec(payload).expect("a payload is plain data"))
}

pub(crate) fn from_base64<T: DeserializeOwned>(text: &str) -> Result<T, Rejection> {
    let bytes = STANDARD.decode(text.trim()).map_err(|_| Rejection::Malformed)?;
    serde_json::from_slice(&bytes).map_err(|_| Rejection::Malformed)
}
