//! What must be answered without the ledger: repeats, and requests that are being worked on.

use crate::ledger::{Granted, HoldCommand};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is known to be in the ledger: holds with a verdict (only these are looked up there, so the crowd after the last
/// unit is not), and events that were fetched.
pub(super) struct Told(Mutex<HashSet<String>>);

impl Told {
    pub(super) fn new(holds: Vec<String>) -> Self {
        Self(Mutex::new(holds.into_iter().collect()))
    }
    pub(super) fn knows(&self, hold_id: &str) -> bool {
        lock(&self.0).contains(hold_id)
    }
    pub(super) fn learn(&self, hold_id: &str) {
        lock(&self.0).insert(hold_id.to_owned());
    }
}

/// Requests that are being worked on. The marker is a lease: what hangs does not block its key for ever.
#[derive(Default)]
pub(super) struct InFlight(Mutex<BTreeMap<String, Duration>>);

/// A request may be worked on for so long.
const LEASE: Duration = Duration::from_secs(10);

impl InFlight {
    /// Marks a key, unless somebody has.
    pub(super) fn begin(&self, key: &str, now: Duration) -> Option<Lease<'_>> {
        let mut keys = lock(&self.0);
        if keys.get(key).is_some_and(|until| *until > now) {
            return None;
        }
        let until = now + LEASE;
        keys.insert(key.to_owned(), until);
        Some(Lease { keys: &self.0, key: key.to_owned(), until })
    }
}

/// A mark; gone when dropped.
pub(super) struct Lease<'a> {
    keys: &'a Mutex<BTreeMap<String, Duration>>,
    key: String,
    until: Duration,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut keys = lock(self.keys);
        if keys.get(&self.key) == Some(&self.until) {
            keys.remove(&self.key);
        }
    }
}

/// Holds that were acknowledged and are not yet in the ledger (`--admission redis-only`). They die with the process.
#[derive(Default)]
pub(super) struct Acknowledged(Mutex<BTreeMap<String, (HoldCommand, Granted)>>);

impl Acknowledged {
    pub(super) fn insert(&self, command: HoldCommand, granted: Granted) {
        lock(&self.0).insert(command.hold_id.clone(), (command, granted));
    }
    pub(super) fn get(&self, hold_id: &str) -> Option<(HoldCommand, Granted)> {
        lock(&self.0).get(hold_id).cloned()
    }
    pub(super) fn remove(&self, hold_id: &str) {
        lock(&self.0).remove(hold_id);
    }
    /// Units of an account.
    pub(super) fn units(&self, event: &str, account: &str) -> i64 {
        let holds = lock(&self.0);
        let own = holds
            .values()
            .filter(|(command, _)| command.event == event && command.account == account);
        own.flat_map(|(command, _)| &command.lines).map(|line| line.quantity).sum()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
