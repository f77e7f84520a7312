//! The one place where the command reads the time.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// One instant on both clocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    /// Monotonic.
    pub(crate) instant: Instant,
    /// Nanoseconds since 1970.
    pub(crate) unix_ns: u64,
}

/// Now, on both clocks.
#[expect(clippy::disallowed_methods, reason = "time enters the program here")]
pub(crate) fn now() -> Now {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Now { instant: Instant::now(), unix_ns: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX) }
}

/// `20261130-223501`, in UTC.
pub(crate) fn stamp(unix_ns: u64) -> String {
    let seconds = unix_ns / 1_000_000_000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Civil date from days, by Howard Hinnant's algorithm; days are counted from 1970, eras from March of the year 0.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}{month:02}{day:02}-{:02}{:02}{:02}",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn stamps_are_civil_dates() {
        for (unix_s, expected) in [
            (0, "19700101-000000"),
            (951_782_400, "20000229-000000"),
            (1_764_542_101, "20251130-223501"),
            (4_102_444_799, "20991231-235959"),
        ] {
            assert_eq!(super::stamp(unix_s * 1_000_000_000), expected);
        }
    }
}
