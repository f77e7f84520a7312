//! The gateway over HTTP.

use super::Gateway;
use axum::Router;
use std::sync::Arc;

/// Every route of the gateway. The waiting room's routes are not among them.
pub fn router(shop: Arc<Gateway>) -> Router {
    Router::new().with_state(shop)
}
