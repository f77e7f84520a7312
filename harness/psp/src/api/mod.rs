//! Stripe's HTTP API: routes, authentication, answers.

mod answer;
mod call;
mod routes;

pub(crate) use routes::router;
