//! The public halves of the keys that sign checkout tokens, and their rotation.

use crate::edge::service::Edge;
use crate::problem::Refusal;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use onsale_contract::problem::{ErrorCode, Problem};
use serde_json::json;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// The keys, newest first. Old ones stay while tokens under them live.
#[utoipa::path(
    get, path = "/.well-known/jwks.json", tag = "keys",
    responses((status = 200, description = "A JSON Web Key Set (RFC 7517, RFC 8037)", body = serde_json::Value))
)]
pub(super) async fn jwks(State(edge): State<Arc<Edge>>) -> Response {
    let key = |key: Arc<crate::edge::keys::Key>| json!({ "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": key.kid, "x": key.public });
    let keys = edge.keys.live().map(key).collect::<Vec<_>>();
    ([(header::CACHE_CONTROL, "public, max-age=60")], Json(json!({ "keys": keys }))).into_response()
}

/// Makes a new key that signs from now on.
#[utoipa::path(
    post, path = "/v1/admin/keys/rotate", tag = "admin",
    params(("authorization" = String, Header)),
    responses((status = 204, description = "A new key signs"), (status = 403, body = Problem))
)]
pub(super) async fn rotate(
    State(edge): State<Arc<Edge>>,
    headers: HeaderMap,
) -> Result<StatusCode, Refusal> {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or("");
    if !bool::from(given.as_bytes().ct_eq(edge.config.admin_key.as_bytes())) {
        return Err(ErrorCode::Forbidden.into());
    }
    edge.rotate_keys().await.map_err(|error| {
        tracing::error!(%error, "failed to rotate the keys");
        Refusal::from(ErrorCode::Internal)
    })?;
    Ok(StatusCode::NO_CONTENT)
}
