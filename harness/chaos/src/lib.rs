//! Faults: inject, record, heal.
//!
//! Three promises hold for every fault:
//! - **It is felt, or it says so.** A probe from the client's path sees the effect before the fault counts; a fault that
//!   nothing felt is marked `unfelt`, and the run proves nothing.
//! - **It heals.** How to undo it is in the [`Journal`] before it is injected; a [`FaultGuard`] heals when dropped; what a
//!   crashed run left is undone by [`heal`].
//! - **It hits the right one.** A process is recognised by its start time and command line before it is harmed.

mod backend;
mod error;
mod fault;
mod faults;
mod identity;
mod journal;
mod keeper;
mod knob;
mod nemesis;
mod probe;
mod process;
mod trigger;

pub use backend::Backend;
pub use error::Error;
pub use fault::{Fault, FaultGuard, Injection, Soon};
pub use faults::{FAULTS, by_name};
pub use identity::Identity;
pub use journal::{Healed, Journal, Undo, heal};
pub use nemesis::{Nemesis, Outcome, Report, StepReport};
pub use probe::{Probe, probe};
pub use process::{Launch, Process};
pub use trigger::Watch;
