//! The OpenAPI document of all routes, made from the handlers. It is committed as `target-impl/openapi.json`.

use utoipa::openapi::{InfoBuilder, OpenApi};

/// What the shop promises over HTTP.
pub fn document() -> OpenApi {
    let mut document = crate::edge::document();
    document.info = InfoBuilder::new()
        .title("Onsale reference shop")
        .version("1")
        .description(Some("A flash sale: waiting room, holds, orders and payments."))
        .build();
    document
}
