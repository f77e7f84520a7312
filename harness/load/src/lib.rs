//! The swarm: who comes to the sale, when, what each of them asks for, and how late it left.
//!
//! A shopper is a small [`Me`] with a plan of [`Act`]s that its [persona](PERSONAS) drew from a seed; sessions wait in a
//! timing wheel, and a few hundred workers (goose users) take what is due. A [`Swarm`] does the phases of a run one after
//! the other. It records everything and judges nothing.

mod act;
mod arrival;
mod ask;
mod attack;
mod book;
mod cast;
mod config;
mod drain;
mod engine;
mod error;
mod gate;
mod last;
mod me;
mod persona;
mod play;
mod puzzles;
mod scheduler;
mod stats;
mod swarm;
mod wheel;
mod worker;
mod world;

pub use act::{Act, CheckoutHow, HoldHow, JoinHow, PayHow};
pub use arrival::arrivals;
pub use ask::{Ask, Item, Next, Pass, Proof, Seen, Sight, View};
pub use cast::Cast;
pub use config::{Live, Phase, Progress, Recorders, Silent, SwarmConfig};
pub use error::LoadError;
pub use me::Me;
pub use persona::{Entry, PERSONAS};
pub use play::next;
pub use stats::{LoadStats, Second};
pub use swarm::Swarm;
pub use wheel::Wheel;
pub use world::World;
