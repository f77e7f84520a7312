//! `target-kill`.

use crate::{Backend, Error, Fault, Injection, Probe, Process, Soon, Undo};
use std::sync::Arc;
use std::time::Duration;

/// SIGKILL, then down for a while, then the same command again.
pub(super) struct TargetKill;

impl Fault for TargetKill {
    fn name(&self) -> &'static str {
        "target-kill"
    }
    fn help(&self) -> &'static str {
        "The target's process is killed with SIGKILL, stays down for as long as the fault lasts, and is started again with \
         the same command. Felt: no connection. Healed: its ready path answers."
    }
    fn target(&self) -> &'static str {
        "target"
    }
    fn lasts(&self) -> Duration {
        Duration::from_millis(300)
    }
    fn undo(&self, on: &Backend) -> Result<Undo, Error> {
        on.process(self.name()).map(|_| Undo::GoneWithTheRun)
    }
    fn inject<'a>(&'a self, on: &'a Backend) -> Soon<'a, Result<Box<dyn Injection>, Error>> {
        Box::pin(async move {
            let process = on.process(self.name())?;
            process.kill().await?;
            let killed: Box<dyn Injection> = Box::new(Killed { process, undone: false });
            Ok(killed)
        })
    }
}

struct Killed {
    process: Arc<Process>,
    undone: bool,
}

impl Injection for Killed {
    fn is_felt(&mut self) -> Soon<'_, bool> {
        Box::pin(async move { self.process.probe().await == Probe::Refused })
    }
    fn undo(&mut self) -> Result<(), Error> {
        if !self.undone {
            self.process.launch_again()?;
            self.undone = true;
        }
        Ok(())
    }
    fn is_restored(&mut self) -> Soon<'_, bool> {
        Box::pin(async move { self.process.probe().await.is_well() })
    }
}
