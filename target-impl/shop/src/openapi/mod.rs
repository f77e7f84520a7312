//! The OpenAPI document of all routes: the edge's from its handlers, the gateway's from a table of the contract's types.
//! It is committed as `target-impl/openapi.json`.

mod gateway;
mod health;
mod table;

use utoipa::openapi::{InfoBuilder, OpenApi};

/// What the shop promises over HTTP.
pub fn document() -> OpenApi {
    let mut document = crate::edge::document();
    document.merge(gateway::document());
    document.merge(health::document());
    document.info = InfoBuilder::new()
        .title("Onsale reference shop")
        .version("1")
        .description(Some("A flash sale: waiting room, holds, orders and payments."))
        .build();
    document
}
