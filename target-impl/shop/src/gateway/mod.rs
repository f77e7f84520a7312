//! The flash-sale gateway: holds, orders, payments and the inventory behind them.
//!
//! [`Gateway::start`] opens the ledger, rebuilds the admission store and starts the workers; [`router`] is what it
//! answers over HTTP; [`EventListener`] and [`Gateway::stock`] are what the waiting room and the landing page need.

mod listener;
mod metrics;
mod routes;
mod service;
mod stock;

mod admit;
mod checkout;
mod events;
mod hold;
mod memory;
mod rebuild;
mod sale;
mod settle;
mod workers;

mod admin_routes;
mod order_routes;
mod seed_routes;

pub use listener::EventListener;
pub use metrics::{Counter, Metrics};
pub use routes::router;
pub use service::{Gateway, StartError};
pub use stock::{SkuStock, StockView};
