//! Checkout tokens that must be refused.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;

/// Claims of a token for those who have none.
const CLAIMS: &str = r#"{"sub":"nobody","aud":"nothing","iat":0,"nbf":0,"exp":4102444800}"#;

/// The same claims with another signature.
pub(crate) fn with_bad_signature(own: Option<&str>) -> String {
    let made_up;
    let own = if let Some(own) = own {
        own
    } else {
        made_up = format!(
            "{}.{}.{}",
            BASE64.encode(r#"{"alg":"EdDSA","typ":"JWT"}"#),
            BASE64.encode(CLAIMS),
            BASE64.encode([0x5A; 64])
        );
        &made_up
    };
    let (signed, signature) = own.rsplit_once('.').unwrap_or((own, ""));
    let mut bytes = BASE64.decode(signature).unwrap_or_default();
    if bytes.is_empty() {
        bytes = vec![0; 64];
    }
    bytes[0] ^= 0x55;
    format!("{signed}.{}", BASE64.encode(bytes))
}

/// The same claims under `alg: none`, unsigned.
pub(crate) fn without_algorithm(own: Option<&str>) -> String {
    let claims = own
        .and_then(|own| own.split('.').nth(1))
        .map_or_else(|| BASE64.encode(CLAIMS), str::to_owned);
    format!("{}.{claims}.", BASE64.encode(r#"{"alg":"none","typ":"JWT"}"#))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tampered_tokens_keep_the_claims_and_lose_the_signature() {
        let own = "aGVhZA.Y2xhaW1z.c2lnbmF0dXJl";
        let bad = with_bad_signature(Some(own));
        assert!(bad.starts_with("aGVhZA.Y2xhaW1z."), "{bad}");
        assert_ne!(bad, own);
        let none = without_algorithm(Some(own));
        assert!(none.ends_with(".Y2xhaW1z."), "{none}");
        assert!(
            BASE64
                .decode(none.split('.').next().unwrap())
                .unwrap()
                .starts_with(b"{\"alg\":\"none\"")
        );
    }
}
