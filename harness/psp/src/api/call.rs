//! One call, read off the wire.

use crate::engine::Engine;
use crate::form::Form;
use crate::problem::Problem;
use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Parameters may have so many bytes.
const BODY_SIZE_MAX: usize = 64 * 1024;

/// Who calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// The target's server, with the secret key.
    Server,
    /// A buyer's browser, with a publishable key or none: it must know the client secret.
    Browser,
}

impl Caller {
    /// The scope of its idempotency keys.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Browser => "browser",
        }
    }
}

/// What is asked for.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) caller: Caller,
    pub(crate) path: String,
    pub(crate) form: Form,
    pub(crate) key: Option<String>,
}

impl FromRequest<Arc<Engine>> for Call {
    type Rejection = Response;

    async fn from_request(request: Request, engine: &Arc<Engine>) -> Result<Self, Response> {
        read(request, engine).await.map_err(IntoResponse::into_response)
    }
}

async fn read(request: Request, engine: &Engine) -> Result<Call, Problem> {
    let caller = caller(request.headers(), &engine.secret_key)?;
    let key = request
        .headers()
        .get("idempotency-key")
        .map(|value| {
            std::str::from_utf8(value.as_bytes()).map(|key| key.trim_matches('"').to_owned())
        })
        .transpose()
        .map_err(|_| Problem::unreadable("idempotency key"))?;
    let path = request.uri().path().to_owned();
    let mut form = Form::parse(request.uri().query().unwrap_or_default())
        .ok_or_else(|| Problem::unreadable("query"))?;
    let bytes = to_bytes(request.into_body(), BODY_SIZE_MAX)
        .await
        .map_err(|_| Problem::unreadable("body"))?;
    let body = std::str::from_utf8(&bytes).map_err(|_| Problem::unreadable("body"))?;
    form.extend(Form::parse(body).ok_or_else(|| Problem::unreadable("body"))?);
    Ok(Call { caller, path, form, key })
}

/// `Bearer sk_…`, or basic with the key as the user; a publishable key, or none, makes a browser.
fn caller(headers: &HeaderMap, secret_key: &str) -> Result<Caller, Problem> {
    let Some(value) = headers.get(AUTHORIZATION) else { return Ok(Caller::Browser) };
    let value = value.to_str().map_err(|_| Problem::unauthorised())?;
    let key = match value.split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => key.trim().to_owned(),
        Some((scheme, pair)) if scheme.eq_ignore_ascii_case("basic") => {
            user_of(pair.trim()).ok_or_else(Problem::unauthorised)?
        }
        _ => return Err(Problem::unauthorised()),
    };
    if key == secret_key {
        Ok(Caller::Server)
    } else if key.starts_with("pk_") {
        Ok(Caller::Browser)
    } else {
        Err(Problem::unauthorised())
    }
}

/// The user of a basic authorisation.
fn user_of(pair: &str) -> Option<String> {
    use base64::Engine as _;
    let decoded = base64::engine::general_purpose::STANDARD.decode(pair).ok()?;
    let text = String::from_utf8(decoded).ok()?;
    Some(text.split_once(':').map_or(text.as_str(), |(user, _)| user).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_are_told_apart_by_their_keys() {
        let table: [(Option<&str>, Option<Caller>); 8] = [
            (None, Some(Caller::Browser)),
            (Some("Bearer sk_1"), Some(Caller::Server)),
            (Some("bearer sk_1"), Some(Caller::Server)),
            (Some("Basic c2tfMTo="), Some(Caller::Server)),
            (Some("Bearer pk_anything"), Some(Caller::Browser)),
            (Some("Bearer sk_2"), None),
            (Some("Basic c2tfMjo="), None),
            (Some("sk_1"), None),
        ];
        for (header, expected) in table {
            let mut headers = HeaderMap::new();
            if let Some(header) = header {
                headers.insert(AUTHORIZATION, header.parse().unwrap());
            }
            assert_eq!(caller(&headers, "sk_1").ok(), expected, "{header:?}");
        }
    }
}
