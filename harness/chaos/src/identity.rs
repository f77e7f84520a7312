//! Who a process is: numbers are given again, start times are not.

use crate::Error;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// A process, for certain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Identity {
    /// Its number; also that of its group.
    pub pid: i32,
    /// Clock ticks from the host's start to the process's.
    pub started: u64,
    /// Its command line, words joined by spaces.
    pub command: String,
}

impl Identity {
    /// Reads who a running process is.
    pub fn of(pid: i32) -> Result<Self, Error> {
        let identify = |source| Error::Identify { pid, source };
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).map_err(identify)?;
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).map_err(identify)?;
        let started = started(&stat).ok_or_else(|| {
            identify(std::io::Error::new(std::io::ErrorKind::InvalidData, "no start time"))
        })?;
        let words: Vec<_> = command
            .split(|&byte| byte == 0)
            .filter(|word| !word.is_empty())
            .map(String::from_utf8_lossy)
            .collect();
        Ok(Self { pid, started, command: words.join(" ") })
    }

    /// Whether that very process is still there.
    pub fn is_alive(&self) -> bool {
        Self::of(self.pid).is_ok_and(|now| now == *self)
    }

    /// Whether it is stopped by a signal.
    pub fn is_stopped(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        self.is_alive() && after_name(&stat).and_then(|mut fields| fields.next()) == Some("T")
    }

    /// Sends a signal to its group, if it is still the one.
    pub(crate) fn signal(&self, signal: Signal) -> Result<(), Error> {
        if !self.is_alive() {
            return Err(Error::Stranger { pid: self.pid });
        }
        nix::sys::signal::killpg(Pid::from_raw(self.pid), signal).map_err(|source| Error::Signal {
            signal: signal.as_str(),
            pid: self.pid,
            source,
        })
    }
}

/// The fields of `/proc/<pid>/stat` after the name, which may itself contain blanks and brackets.
fn after_name(stat: &str) -> Option<std::str::SplitAsciiWhitespace<'_>> {
    Some(stat.rsplit_once(')')?.1.split_ascii_whitespace())
}

/// Field 22: the third one after the name is number 3.
fn started(stat: &str) -> Option<u64> {
    after_name(stat)?.nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_found_behind_any_name() {
        let rest = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20 21";
        for name in ["shop", "a b", "x) S 1 (y"] {
            assert_eq!(started(&format!("77 ({name}) {rest}")), Some(4242), "{name}");
        }
    }

    #[test]
    fn another_start_time_or_command_is_a_stranger() {
        let me = Identity::of(std::process::id().cast_signed()).unwrap();
        assert!(me.is_alive());
        let strangers = [
            Identity { started: me.started + 1, ..me.clone() },
            Identity { command: "sleep 1".into(), ..me.clone() },
        ];
        for stranger in strangers {
            assert!(!stranger.is_alive());
            assert!(matches!(stranger.signal(Signal::SIGCONT), Err(Error::Stranger { .. })));
        }
    }
}
