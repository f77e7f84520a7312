//! The edge: tickets, tokens, puzzles, waiting rooms and the landing page, over HTTP.

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
