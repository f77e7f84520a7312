//! `target-pause`.

use crate::{Backend, Error, Fault, Identity, Injection, Probe, Process, Soon, Undo};
use nix::sys::signal::Signal;
use std::sync::Arc;
use std::time::Duration;

/// SIGSTOP, then SIGCONT.
pub(super) struct TargetPause;

impl Fault for TargetPause {
    fn name(&self) -> &'static str {
        "target-pause"
    }
    fn help(&self) -> &'static str {
        "The target's process is stopped with SIGSTOP: connections are accepted by the kernel and nothing answers. Then it \
         goes on, late by as long as the fault lasted. Felt: no answer in time. Healed: its ready path answers."
    }
    fn target(&self) -> &'static str {
        "target"
    }
    fn lasts(&self) -> Duration {
        Duration::from_secs(1)
    }
    fn undo(&self, on: &Backend) -> Result<Undo, Error> {
        on.process(self.name())?.identity().map(Undo::Resume).ok_or(Error::NotRunning)
    }
    fn inject<'a>(&'a self, on: &'a Backend) -> Soon<'a, Result<Box<dyn Injection>, Error>> {
        Box::pin(async move {
            let process = on.process(self.name())?;
            let identity = process.pause()?;
            let paused: Box<dyn Injection> = Box::new(Paused { process, identity });
            Ok(paused)
        })
    }
}

struct Paused {
    process: Arc<Process>,
    identity: Identity,
}

impl Injection for Paused {
    fn is_felt(&mut self) -> Soon<'_, bool> {
        Box::pin(async move {
            self.identity.is_stopped() && self.process.probe().await == Probe::Silent
        })
    }
    fn undo(&mut self) -> Result<(), Error> {
        match self.identity.signal(Signal::SIGCONT) {
            // Killed meanwhile by another fault: there is nobody left to resume.
            Err(Error::Stranger { .. }) => Ok(()),
            other => other,
        }
    }
    fn is_restored(&mut self) -> Soon<'_, bool> {
        Box::pin(async move { self.process.probe().await.is_well() })
    }
}
