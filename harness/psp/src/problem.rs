//! Stripe's errors.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

/// What a call is refused with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    fields: Map<String, Value>,
}

impl Problem {
    fn new(status: StatusCode, kind: &str, message: impl Into<String>) -> Self {
        let mut fields = Map::new();
        fields.insert("type".into(), kind.into());
        fields.insert("message".into(), message.into().into());
        Self { status, fields }
    }
    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(key.into(), value.into());
        self
    }
    /// The body.
    pub(crate) fn body(&self) -> Value {
        json!({ "error": self.fields })
    }

    /// Whether the same call would hear the same again, so that the answer is kept under its key. Calls that were not
    /// understood may be corrected.
    pub(crate) fn is_final(&self) -> bool {
        let code = self.fields.get("code").and_then(Value::as_str);
        matches!(
            code,
            Some(
                "card_declined"
                    | "payment_intent_unexpected_state"
                    | "charge_already_refunded"
                    | "amount_too_large"
            )
        )
    }

    pub(crate) fn unauthorised() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "invalid_request_error", "Invalid API Key provided.")
    }
    pub(crate) fn missing(param: &str) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "invalid_request_error",
            format!("Missing required param: {param}."),
        )
        .with("code", "parameter_missing")
        .with("param", param)
    }
    pub(crate) fn invalid(param: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", message)
            .with("code", "parameter_invalid")
            .with("param", param)
    }
    pub(crate) fn unreadable(what: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", format!("Unreadable {what}."))
    }
    pub(crate) fn no_such(what: &str, id: &str, param: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "invalid_request_error", format!("No such {what}: '{id}'"))
            .with("code", "resource_missing")
            .with("param", param)
    }
    pub(crate) fn unknown_path(path: &str) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "invalid_request_error",
            format!("Unrecognized request URL ({path})."),
        )
    }
    pub(crate) fn unexpected_state(message: impl Into<String>, intent: Value) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", message)
            .with("code", "payment_intent_unexpected_state")
            .with("payment_intent", intent)
    }
    pub(crate) fn declined(charge: &str, intent: Value) -> Self {
        Self::new(StatusCode::PAYMENT_REQUIRED, "card_error", "Your card was declined.")
            .with("code", "card_declined")
            .with("decline_code", "generic_decline")
            .with("charge", charge)
            .with("payment_intent", intent)
    }
    pub(crate) fn refused_refund(code: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", message).with("code", code)
    }
    pub(crate) fn key_too_long(limit: usize) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "invalid_request_error",
            format!("Idempotency keys may have at most {limit} characters."),
        )
    }
    pub(crate) fn key_reused() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "idempotency_error",
            "Keys for idempotent requests can only be used with the same parameters they were first used with.",
        )
    }
    pub(crate) fn key_in_flight() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "idempotency_error",
            "There is currently another in-progress request using this Idempotency-Key.",
        )
        .with("code", "idempotency_key_in_use")
    }
    pub(crate) fn down() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "api_error", "The provider is down.")
    }
    pub(crate) fn unrecorded() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "api_error",
            "The provider cannot record what it does, so it does nothing.",
        )
    }
}
