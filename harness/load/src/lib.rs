//! The swarm: personas, arrivals, session scheduler, goose; records, never judges.
//!
//! A [`Swarm`] plays a workload's shoppers against a target. A shopper is not a connection: it is a small session that lies
//! in a timing wheel until its next step is due. The workers are goose users; each takes the next due step, sends it and
//! lays the session back. Arrivals and due times do not wait for the target (open model), so that a slow target is seen as
//! slow, and latency counts from the instant at which a step was due.

mod arrival;
mod cast;
mod closing;
mod deal;
mod goose;
mod live;
mod persona;
mod pool;
mod puzzle;
mod scheduler;
mod session;
mod stats;
mod step;
mod swarm;
mod wheel;

pub use arrival::arrivals;
pub use live::Live;
pub use persona::{PERSONAS, Persona};
pub use stats::{LoadStats, Second, Spread};
pub use swarm::{LoadError, Swarm, SwarmConfig};
pub use wheel::Wheel;
