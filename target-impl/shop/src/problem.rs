//! Refusals as `application/problem+json`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use onsale_contract::problem::{ErrorCode, Problem};

/// A refusal, ready to be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub Box<Problem>);

impl From<ErrorCode> for Refusal {
    fn from(code: ErrorCode) -> Self {
        Self(Box::new(Problem::new(code)))
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self(Box::new(problem))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).expect("codes have valid statuses");
        let body = serde_json::to_vec(&self.0).expect("a problem is plain data");
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.0.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
