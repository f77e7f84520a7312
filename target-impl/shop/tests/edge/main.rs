//! The edge: tickets, tokens, puzzles, waiting rooms and the landing page, over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod defects;
mod guards;
mod landing;
mod openapi;
mod puzzles;
mod queue;
mod restart;
mod serve;
mod streams;
mod tickets;
mod tokens;
mod world;
