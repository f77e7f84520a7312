//! The exit codes. CI systems retry by code, so each reading has a code of its own.

use std::fmt;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ExitCode {
    /// Every required rule is proved or held, and thresholds are met.
    Pass = 0,
    /// A rule is violated.
    Violated = 1,
    /// Wrong usage, or a file that does not validate.
    Usage = 2,
    /// Nobody can say.
    Undecided = 3,
    /// Rules hold; a threshold or the baseline was missed.
    Threshold = 4,
    /// The target could not be reached, set up, or does not keep the contract.
    Unreachable = 5,
    /// A history or bundle is damaged.
    Damaged = 6,
    /// A fault could not be undone.
    Unhealed = 7,
    /// A bug in the harness.
    Bug = 70,
    /// Interrupted (SIGINT).
    Interrupted = 130,
    /// Terminated (SIGTERM).
    Terminated = 143,
}

/// Worst first. What ends a run before it has a verdict stands right behind a conviction; an interrupted run is undecided
/// anyway, and says so by its own code, unless it left a fault behind or holds a conviction already.
const PRECEDENCE: [ExitCode; 11] = [
    ExitCode::Violated,
    ExitCode::Bug,
    ExitCode::Usage,
    ExitCode::Unreachable,
    ExitCode::Damaged,
    ExitCode::Unhealed,
    ExitCode::Terminated,
    ExitCode::Interrupted,
    ExitCode::Undecided,
    ExitCode::Threshold,
    ExitCode::Pass,
];

impl ExitCode {
    /// Every code, by number.
    pub const ALL: [Self; 11] = [
        Self::Pass,
        Self::Violated,
        Self::Usage,
        Self::Undecided,
        Self::Threshold,
        Self::Unreachable,
        Self::Damaged,
        Self::Unhealed,
        Self::Bug,
        Self::Interrupted,
        Self::Terminated,
    ];

    /// What the process exits with.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The code of a number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.number() == number)
    }

    /// Its name (kebab-case).
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Violated => "violated",
            Self::Usage => "usage",
            Self::Undecided => "undecided",
            Self::Threshold => "threshold",
            Self::Unreachable => "unreachable",
            Self::Damaged => "damaged",
            Self::Unhealed => "unhealed",
            Self::Bug => "bug",
            Self::Interrupted => "interrupted",
            Self::Terminated => "terminated",
        }
    }

    /// The help page; its first line says it in short.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Pass => {
                "pass: every required rule is proved or held, and every threshold is met\n\n\
                 Nothing to do. A rule that is not required may still be undecided or not exercised: the report says so."
            }
            Self::Violated => {
                "violated: at least one rule is certainly broken\n\n\
                 The report shows the least evidence: who held or paid what, when, and why that is a contradiction.\n\
                 Do not retry: a later run that finds nothing does not undo the evidence of this one."
            }
            Self::Usage => {
                "usage: wrong arguments, or a file that does not validate\n\n\
                 Nothing was run. Every mistake is shown at its line and column; mend them and start again."
            }
            Self::Undecided => {
                "undecided: nobody can say whether the rules hold\n\n\
                 A required rule lacked occasions or evidence, answers were of an unknown kind, the load was not reached, a fault\n\
                 was not felt, or the record could not be written. The report names which rule and why. Retrying once is fair."
            }
            Self::Threshold => {
                "threshold: no rule is broken, but a threshold or the baseline was missed\n\n\
                 Warn or fail by your own policy; the report lists each threshold with its value."
            }
            Self::Unreachable => {
                "unreachable: the target cannot be reached, set up, or does not keep the contract\n\n\
                 Found before the load, so nothing was judged. `onsale probe --target URL` shows each check. Retrying is fair.\n\
                 Answers that become strange *during* a run make it undecided (3) instead."
            }
            Self::Damaged => {
                "damaged: a history or bundle is not what was written\n\n\
                 A block, a checksum, a signature or the re-check failed. What the intact part proves is not reported as a pass."
            }
            Self::Unhealed => {
                "unhealed: a fault could not be undone\n\n\
                 Something may still be broken on the machines: look, and run `onsale heal`."
            }
            Self::Bug => {
                "bug: the harness itself failed\n\n\
                 Please report it with the run's folder."
            }
            Self::Interrupted => {
                "interrupted: stopped by Ctrl-C (SIGINT) before the end\n\n\
                 The report is still written and marked partial. A run that already holds a conviction exits 1."
            }
            Self::Terminated => {
                "terminated: stopped by SIGTERM before the end\n\n\
                 The report is still written and marked partial. A run that already holds a conviction exits 1."
            }
        }
    }
}

impl fmt::Display for ExitCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

/// The code that a command exits with when several apply; [`ExitCode::Pass`] when none does.
pub fn worst(codes: impl IntoIterator<Item = ExitCode>) -> ExitCode {
    let rank = |code: &ExitCode| PRECEDENCE.iter().position(|other| other == code);
    codes.into_iter().min_by_key(rank).unwrap_or(ExitCode::Pass)
}

#[cfg(test)]
mod tests {
    use super::{ExitCode, PRECEDENCE, worst};

    #[test]
    fn the_worst_code_is_the_one_of_the_table() {
        use ExitCode::{
            Damaged, Interrupted, Pass, Terminated, Threshold, Undecided, Unhealed, Violated,
        };
        let table: [(&[ExitCode], u8); 9] = [
            (&[], 0),
            (&[Pass, Threshold], 4),
            (&[Threshold, Undecided], 3),
            (&[Undecided, Unhealed, Threshold], 7),
            (&[Unhealed, Damaged], 6),
            (&[Damaged, Unhealed, Undecided, Threshold, Violated], 1),
            (&[Interrupted, Violated], 1),
            (&[Undecided, Interrupted], 130),
            (&[Terminated, Undecided, Threshold], 143),
        ];
        for (codes, expected) in table {
            assert_eq!(worst(codes.iter().copied()).number(), expected, "{codes:?}");
        }
    }

    #[test]
    fn every_code_has_a_rank_a_word_and_a_short_first_line() {
        for code in ExitCode::ALL {
            assert_eq!(PRECEDENCE.iter().filter(|other| **other == code).count(), 1, "{code:?}");
            assert_eq!(ExitCode::from_number(code.number()), Some(code));
            let first = code.help().lines().next().expect("help is not empty");
            assert!(first.starts_with(code.word()) && first.len() <= 100, "{first}");
        }
        assert_eq!(ExitCode::from_number(8), None);
    }
}
