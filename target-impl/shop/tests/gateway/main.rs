//! The gateway over HTTP, with a provider that the tests own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

mod crash;
mod defects;
mod holds;
mod orders;
mod provider;
mod redis_only;
mod webhooks;
mod world;
