//! What every fault is.

use crate::{Backend, Error, Journal, Undo};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// What an asynchronous method of a boxed trait gives.
pub type Soon<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A kind of failure.
pub trait Fault: Sync {
    /// Its one name.
    fn name(&self) -> &'static str;
    /// What it does: its help page.
    fn help(&self) -> &'static str;
    /// On what.
    fn target(&self) -> &'static str;
    /// How long it lasts when the plan does not say.
    fn lasts(&self) -> Duration;
    /// Whether it is felt only by what happens to come along (a webhook, a refund), so that its whole time counts.
    fn waits_for_traffic(&self) -> bool {
        false
    }
    /// How to undo it when the run is gone. Called before [`Fault::inject`].
    fn undo(&self, on: &Backend) -> Result<Undo, Error>;
    /// Makes it so.
    fn inject<'a>(&'a self, on: &'a Backend) -> Soon<'a, Result<Box<dyn Injection>, Error>>;
}

/// One failure, now.
pub trait Injection: Send {
    /// Does a client feel it?
    fn is_felt(&mut self) -> Soon<'_, bool>;
    /// Undoes it, without waiting. Done again, it does nothing.
    fn undo(&mut self) -> Result<(), Error>;
    /// Is everything as before, seen by a client?
    fn is_restored(&mut self) -> Soon<'_, bool>;
}

/// A failure that heals when dropped.
#[must_use = "a fault heals when its guard is dropped"]
pub struct FaultGuard {
    injection: Box<dyn Injection>,
    journal: Arc<Journal>,
    entry: u64,
    undone: bool,
}

impl FaultGuard {
    /// Writes down how to undo a fault, then injects it.
    pub async fn inject(fault: &dyn Fault, on: &Backend) -> Result<Self, Error> {
        let entry = on.journal.intend(fault.name(), fault.undo(on)?)?;
        match fault.inject(on).await {
            Ok(injection) => {
                Ok(Self { injection, journal: on.journal.clone(), entry, undone: false })
            }
            Err(error) => {
                on.journal.undone(entry)?;
                Err(error)
            }
        }
    }

    /// Does a client feel it now?
    pub async fn is_felt(&mut self) -> bool {
        self.injection.is_felt().await
    }

    /// Undoes it. Done again, it does nothing.
    pub fn heal(&mut self) -> Result<(), Error> {
        self.injection.undo()?;
        if !self.undone {
            self.undone = true;
            self.journal.undone(self.entry)?;
        }
        Ok(())
    }

    /// Is everything as before, seen by a client?
    pub async fn is_restored(&mut self) -> bool {
        self.injection.is_restored().await
    }
}

impl Drop for FaultGuard {
    fn drop(&mut self) {
        if !self.undone
            && let Err(error) = self.heal()
        {
            tracing::error!(%error, "a fault could not be healed");
        }
    }
}
