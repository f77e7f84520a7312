//! The gateway over HTTP, with a provider that the tests own.

mod crash;
mod defects;
mod holds;
mod orders;
mod provider;
mod redis_only;
mod webhooks;
mod world;
