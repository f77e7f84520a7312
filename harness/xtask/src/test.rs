//! `cargo xtask test`: every test. It needs nothing but cargo; nextest, when it is there, is quicker.

use crate::shell;
use std::time::Duration;

/// Tests run optimised: several of them put load on the machine.
const PROFILE: &str = "ci";

/// Tells the whole-system tests that the command was just built with them, so that none of them builds it again.
const FRESH: (&str, &str) = ("ONSALE_E2E_FRESH", "1");

fn all() -> anyhow::Result<()> {
    if shell::has_cargo("nextest") {
        let nextest = ["cargo", "nextest", "run", "--workspace", "--cargo-profile", PROFILE];
        shell::run(&nextest, &[FRESH])?;
        shell::run(&["cargo", "test", "--workspace", "--profile", PROFILE, "--doc"], &[])
    } else {
        shell::run(
            &["cargo", "test", "--workspace", "--profile", PROFILE, "--no-fail-fast"],
            &[FRESH],
        )
    }
}

pub(crate) fn run() -> anyhow::Result<()> {
    let (result, took) = timed(all);
    result?;
    println!("xtask test: every test passed in {}", words(took));
    Ok(())
}

/// How long something takes; for the eyes of whoever waits.
#[expect(clippy::disallowed_methods, reason = "a developer's stopwatch: no result depends on it")]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begin = std::time::Instant::now();
    let result = work();
    (result, begin.elapsed())
}

/// `75 s` or `2 min 3 s`.
pub(crate) fn words(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 120 {
        format!("{seconds} s")
    } else {
        format!("{} min {} s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_seconds_and_then_in_minutes() {
        for (seconds, expected) in
            [(0, "0 s"), (119, "119 s"), (120, "2 min 0 s"), (754, "12 min 34 s")]
        {
            assert_eq!(words(Duration::from_secs(seconds)), expected);
        }
    }
}
