//! The edge over HTTP.

mod landing;
mod public_keys;
mod queue;
mod stream;

use super::service::Edge;
use axum::Router;
use std::sync::Arc;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Every route of the edge.
pub fn router(edge: Arc<Edge>) -> Router {
    documented().split_for_parts().0.with_state(edge)
}

/// What the routes of the edge promise.
pub(crate) fn document() -> OpenApi {
    documented().split_for_parts().1
}

fn documented() -> OpenApiRouter<Arc<Edge>> {
    let routes = OpenApiRouter::new()
        .routes(routes!(landing::event))
        .routes(routes!(queue::challenge))
        .routes(routes!(queue::join, queue::position))
        .routes(routes!(stream::websocket))
        .routes(routes!(stream::events))
        .routes(routes!(public_keys::jwks))
        .routes(routes!(public_keys::rotate));
    routes
        .route("/events/{event}", axum::routing::get(landing::shell))
        .route("/static/{version}/{name}", axum::routing::get(landing::asset))
}
