//! Numbers and instants in words, the same in every format.

use onsale_history::Nanos;

/// `1234567` as `1,234,567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Seconds since the epoch, to the microsecond; nothing for an instant that never comes.
pub(crate) fn seconds(at: Nanos) -> Option<f64> {
    (at != Nanos::NEVER).then(|| rounded(at.as_millis_f64() / 1e3))
}

/// To the millionth: enough for seconds, and so few digits that JSON gives the same number back.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// A duration with three figures that matter: `0.42 ms`, `18.3 ms`, `1.25 s`, `45.1 s`.
pub(crate) fn duration(ms: f64) -> String {
    match ms {
        _ if ms < 10.0 => format!("{ms:.2} ms"),
        _ if ms < 100.0 => format!("{ms:.1} ms"),
        _ if ms < 1_000.0 => format!("{ms:.0} ms"),
        _ if ms < 10_000.0 => format!("{:.2} s", ms / 1e3),
        _ => format!("{:.1} s", ms / 1e3),
    }
}

/// A duration that may be before zero.
pub(crate) fn signed_duration(ms: f64) -> String {
    if ms < 0.0 { format!("−{}", duration(-ms)) } else { duration(ms) }
}

/// A number on an axis: `0`, `0.5`, `250`, `20k`.
pub(crate) fn brief(value: f64) -> String {
    match value {
        _ if value >= 10_000.0 => format!("{}k", trimmed(value / 1e3)),
        _ => trimmed(value),
    }
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A part of a whole as percent; a whole of nothing has no parts.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    share_percent(if whole == 0 { 0.0 } else { ratio(part, whole) })
}

/// A share (0 to 1) as percent, with as many places as keep a small share from looking like none.
pub(crate) fn share_percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.1 {
        format!("{percent:.3} %")
    } else {
        format!("{percent:.1} %")
    }
}

#[expect(clippy::cast_precision_loss, reason = "for display only")]
pub(crate) fn float(number: u64) -> f64 {
    number as f64
}

pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    float(part) / float(whole.max(1))
}

/// A line without anything that a terminal would obey instead of show.
pub(crate) fn printable(line: &str) -> String {
    line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The beginning of a line that is too long for a terminal.
pub(crate) fn clip(line: &str, columns: usize) -> String {
    if line.chars().count() <= columns {
        return line.to_owned();
    }
    line.chars().take(columns - 1).chain(['…']).collect()
}

/// Money in minor units: `12,345.00 eur`.
pub(crate) fn money(minor: u64, currency: &str) -> String {
    format!("{}.{:02} {currency}", count(minor / 100), minor % 100)
}

/// Milliseconds since 1970 as `2026-11-30 22:35:01 UTC`.
pub(crate) fn utc(unix_ms: u64) -> String {
    let seconds = unix_ms / 1_000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// Days since 1970-01-01 in the Gregorian calendar, by eras of 400 years that begin on 1 March.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{count, duration, money, percent, utc};

    #[test]
    fn numbers_are_grouped_and_shares_never_hide_a_few() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_204_331), "1,204,331");
        assert_eq!(money(4_450_005, "eur"), "44,500.05 eur");
        assert_eq!(percent(0, 0), "0.0 %");
        assert_eq!(percent(1, 100_000), "0.001 %");
        assert_eq!(percent(1, 3), "33.3 %");
    }

    #[test]
    fn durations_keep_three_figures() {
        let told = [0.417, 18.34, 417.6, 1_254.0, 45_100.0].map(duration);
        assert_eq!(told, ["0.42 ms", "18.3 ms", "418 ms", "1.25 s", "45.1 s"]);
    }

    #[test]
    fn instants_are_told_by_the_calendar() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(1_709_208_000_000), "2024-02-29 12:00:00 UTC");
        assert_eq!(utc(1_796_078_101_000), "2026-11-30 22:35:01 UTC");
    }
}
