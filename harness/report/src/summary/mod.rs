//! What every report renders. Each part is a file: its type, and how it is computed.

mod anomalies;
mod banner;
mod build;
mod errors;
mod faults;
mod latency;
mod leases;
mod load;
mod money;
mod queue;
mod rules;
mod span;
mod stock;
mod tiles;
mod validity;

pub use anomalies::{AnomalyCard, WitnessEdge, WitnessMark, WitnessOperation};
pub use banner::Banner;
pub use build::{RunRow, SCHEMA_VERSION, Summary, TimelineMark};
pub use errors::ErrorRow;
pub use faults::FaultRow;
pub use latency::{Latency, LatencyBucket, Percentiles, StepLatency};
pub use leases::{Lateness, LatenessBin};
pub use load::{LoadBucket, Traffic};
pub use money::{DeliveryRow, Money};
pub use queue::{Queue, QueuePoint};
pub use rules::{BoundsRow, RuleRow};
pub use stock::{StockBucket, StockSeries};
pub use tiles::{Tile, Tone};
pub use validity::Fact;
