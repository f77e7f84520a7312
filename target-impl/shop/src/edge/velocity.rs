//! Who is too fast: many accounts on one device, many holds of one account.

use crate::config::Limits;
use crate::problem::Refusal;
use onsale_contract::problem::{ErrorCode, Problem};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

/// Devices and accounts that are remembered at most; beyond that, all are forgotten and counted anew.
const REMEMBERED_MAX: usize = 1_000_000;

/// Counts accounts a device and holds an account.
pub(crate) struct Velocity {
    accounts_per_device: usize,
    rate_per_s: f64,
    burst: f64,
    devices: Mutex<BTreeMap<String, BTreeSet<String>>>,
    accounts: Mutex<BTreeMap<String, Bucket>>,
}

struct Bucket {
    left: f64,
    at: Duration,
}

impl Velocity {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            accounts_per_device: limits.accounts_per_device,
            rate_per_s: limits.holds_per_account_per_s,
            burst: f64::from(limits.holds_per_account_burst),
            devices: Mutex::default(),
            accounts: Mutex::default(),
        }
    }

    /// May this account use this device too? No device, no question.
    pub(crate) fn device(&self, device: &str, account: &str) -> Result<(), Refusal> {
        if device.is_empty() {
            return Ok(());
        }
        let mut devices = self.devices.lock().expect("nobody panics with the devices in hand");
        if devices.len() >= REMEMBERED_MAX {
            devices.clear();
        }
        if !devices.contains_key(device) {
            devices.insert(device.to_owned(), BTreeSet::new());
        }
        let accounts = devices.get_mut(device).expect("it was just put there");
        if accounts.contains(account) {
            return Ok(());
        }
        if accounts.len() >= self.accounts_per_device {
            return Err(refused("too many accounts use this device"));
        }
        accounts.insert(account.to_owned());
        Ok(())
    }

    /// May this account ask for a hold now?
    pub(crate) fn account(&self, account: &str, now: Duration) -> Result<(), Refusal> {
        let mut accounts = self.accounts.lock().expect("nobody panics with the accounts in hand");
        if accounts.len() >= REMEMBERED_MAX {
            accounts.clear();
        }
        if !accounts.contains_key(account) {
            accounts.insert(account.to_owned(), Bucket { left: self.burst, at: now });
        }
        let bucket = accounts.get_mut(account).expect("it was just put there");
        let since = now.saturating_sub(bucket.at).as_secs_f64();
        bucket.left = (bucket.left + since * self.rate_per_s).min(self.burst);
        bucket.at = now;
        if bucket.left < 1.0 {
            return Err(refused("this account asks for too many holds"));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

fn refused(why: &str) -> Refusal {
    Problem::new(ErrorCode::Velocity).detail(why).retry_after(1).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn velocity() -> Velocity {
        Velocity::new(&Limits {
            accounts_per_device: 2,
            holds_per_account_per_s: 10.0,
            holds_per_account_burst: 3,
            ..Limits::default()
        })
    }

    #[test]
    fn a_device_carries_so_many_accounts_and_no_more() {
        let velocity = velocity();
        for (device, account, passes) in [
            ("d1", "a", true),
            ("d1", "b", true),
            ("d1", "c", false),
            ("d1", "a", true),
            ("d2", "c", true),
            ("", "c", true),
        ] {
            assert_eq!(velocity.device(device, account).is_ok(), passes, "{device} {account}");
        }
    }

    #[test]
    fn an_account_has_a_burst_and_then_its_rate() {
        let velocity = velocity();
        let at = Duration::from_millis;
        let passed = |ms| velocity.account("a", at(ms)).is_ok();
        assert_eq!(
            [0, 0, 0, 0, 99, 100, 100, 200].map(passed),
            [true, true, true, false, false, true, false, true]
        );
        assert!(velocity.account("b", at(0)).is_ok(), "accounts do not share");
    }
}
