//! Who a process is: numbers are given again, start times are not.

use crate::Error;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// Looks at a new child until its command line is there.
const COMMAND_LOOKS_MAX: u32 = 5_000;
const COMMAND_LOOK_EVERY: std::time::Duration = std::time::Duration::from_micros(200);

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
    /// Reads who a running process is. One that has ended and is only remembered is nobody.
    pub fn of(pid: i32) -> Result<Self, Error> {
        let identify = |source| Error::Identify { pid, source };
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).map_err(identify)?;
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).map_err(identify)?;
        let gone = || identify(std::io::Error::from(std::io::ErrorKind::NotFound));
        if matches!(state(&stat), None | Some("Z" | "X")) {
            return Err(gone());
        }
        let started = started(&stat).ok_or_else(gone)?;
        let words: Vec<_> = command
            .split(|&byte| byte == 0)
            .filter(|word| !word.is_empty())
            .map(String::from_utf8_lossy)
            .collect();
        Ok(Self { pid, started, command: words.join(" ") })
    }

    /// Who a child is that was just started. The kernel shows its command line a moment later; a child that has ended
    /// before that is an identity that nobody has.
    pub(crate) fn of_child(pid: i32) -> Result<Self, Error> {
        for _ in 0..COMMAND_LOOKS_MAX {
            match Self::of(pid) {
                Ok(identity) if identity.command.is_empty() => {
                    std::thread::sleep(COMMAND_LOOK_EVERY);
                }
                Ok(identity) => return Ok(identity),
                Err(_) => return Ok(Self { pid, started: 0, command: String::new() }),
            }
        }
        Err(Error::Identify { pid, source: std::io::Error::from(std::io::ErrorKind::TimedOut) })
    }

    /// Whether that very process is still there.
    pub fn is_alive(&self) -> bool {
        Self::of(self.pid).is_ok_and(|now| now == *self)
    }

    /// Whether it is stopped by a signal.
    pub fn is_stopped(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        self.is_alive() && state(&stat) == Some("T")
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

/// `R`unning, `S`leeping, s`T`opped, `Z`ombie, …
fn state(stat: &str) -> Option<&str> {
    after_name(stat)?.next()
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
