//! How quantities are written: durations with a unit, shares as `5%` or `0.05`, rates as `500/s`.

use serde::de::{self, Visitor};
use std::fmt;
use std::time::Duration;

macro_rules! text_schema {
    ($($(#[$doc:meta])* $name:ident $title:literal $schema:tt;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name;

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $title.into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    )*};
}

text_schema! {
    /// A duration in a schema.
    DurationText "Duration" { "type": ["string", "integer"], "pattern": r"^[0-9]+(\.[0-9]+)?(us|ms|s|m|h)$", "maximum": 0 };
    /// A duration, or none, in a schema.
    MaybeDurationText "MaybeDuration" { "type": ["string", "null"], "pattern": r"^[0-9]+(\.[0-9]+)?(us|ms|s|m|h)$" };
    /// Two durations in a schema.
    RangeText "DurationRange" {
        "type": "array", "minItems": 2, "maxItems": 2,
        "items": { "type": ["string", "integer"], "pattern": r"^[0-9]+(\.[0-9]+)?(us|ms|s|m|h)$", "maximum": 0 }
    };
    /// A share in a schema.
    ShareText "Share" { "type": ["number", "string"], "minimum": 0, "maximum": 1, "pattern": r"^[0-9]+(\.[0-9]+)?%$" };
    /// A share, or none, in a schema.
    MaybeShareText "MaybeShare" { "type": ["number", "string", "null"], "minimum": 0, "maximum": 1, "pattern": r"^[0-9]+(\.[0-9]+)?%$" };
    /// A rate in a schema.
    RateText "Rate" { "type": ["number", "string"], "exclusiveMinimum": 0, "pattern": r"^[0-9]+(\.[0-9]+)?/(s|m)$" };
}

/// Reads `250ms`, `4s`, `2m`; the text after ` # ` in an error is its hint.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || {
        format!("`{text}` is not a duration # write a number and a unit: `250ms`, `4s`, `2m`, `1h`")
    };
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(|| {
        format!("`{text}` has no unit # write `{text}s` for seconds or `{text}ms` for milliseconds")
    })?;
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit.trim() {
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let nanos = (number * seconds * 1e9).round();
    if nanos > 1e17 {
        return Err(format!("`{text}` is longer than a run can be # at most 3 years"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 1e17"
    )]
    Ok(Duration::from_nanos(nanos as u64))
}

/// Writes a duration in the largest unit that needs no fraction.
pub(crate) fn print_duration(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    for (unit, size) in
        [("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000)]
    {
        if nanos >= size && nanos.is_multiple_of(size) {
            return format!("{}{unit}", nanos / size);
        }
    }
    if nanos == 0 { "0s".to_owned() } else { format!("{}us", nanos / 1000) }
}

/// What is between 0 and 1 (`5%` or `0.05`).
pub(crate) fn parse_share(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is not a share # write `5%` or `0.05`");
    let number = text.strip_suffix('%').ok_or_else(wrong)?.trim();
    let share = number.parse::<f64>().map_err(|_| wrong())? / 100.0;
    if (0.0..=1.0).contains(&share) {
        Ok(share)
    } else {
        Err(format!("share `{text}` is not between 0% and 100%"))
    }
}

fn check_share(share: f64) -> Result<f64, String> {
    if (0.0..=1.0).contains(&share) {
        Ok(share)
    } else if share > 1.0 && share <= 100.0 {
        Err(format!("share `{share}` is more than all # write `{share}%` for a percentage"))
    } else {
        Err(format!("share `{share}` is not between 0 and 1 # write `5%` or `0.05`"))
    }
}

/// What happens so often a second (`500/s`, `30/m`, or a bare number a second).
pub(crate) fn parse_rate(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is not a rate # write `500/s` or `30/m`");
    let (number, unit) = text.split_once('/').ok_or_else(wrong)?;
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    match unit.trim() {
        "s" => Ok(number),
        "m" => Ok(number / 60.0),
        _ => Err(wrong()),
    }
}

/// Visits text or a number.
struct Text<T> {
    expecting: &'static str,
    words: fn(&str) -> Result<T, String>,
    number: fn(f64) -> Result<T, String>,
}

#[expect(clippy::cast_precision_loss, reason = "what a person writes is small")]
impl<T> Visitor<'_> for Text<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expecting)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.words)(text).map_err(E::custom)
    }
    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        (self.number)(number as f64).map_err(E::custom)
    }
    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        (self.number)(number as f64).map_err(E::custom)
    }
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        (self.number)(number).map_err(E::custom)
    }
}

fn bare(number: f64) -> Result<Duration, String> {
    if number == 0.0 { Ok(Duration::ZERO) } else { parse_duration(&number.to_string()) }
}

const DURATION: &str = "a duration such as `250ms` or `4s`";
const SHARE: &str = "a share such as `5%` or `0.05`";

struct Time(Duration);

impl<'de> serde::Deserialize<'de> for Time {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = Text { expecting: DURATION, words: parse_duration, number: bare };
        deserializer.deserialize_any(visitor).map(Time)
    }
}

struct Portion(f64);

impl<'de> serde::Deserialize<'de> for Portion {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = Text { expecting: SHARE, words: parse_share, number: check_share };
        deserializer.deserialize_any(visitor).map(Portion)
    }
}

/// `#[serde(with)]` for durations.
pub(crate) mod duration {
    use super::{Duration, Time, de, print_duration};
    use serde::{Deserialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&print_duration(*duration))
    }
    pub(crate) fn deserialize<'de, D: de::Deserializer<'de>>(
        from: D,
    ) -> Result<Duration, D::Error> {
        Time::deserialize(from).map(|time| time.0)
    }
}

/// `#[serde(with)]` for durations that may be absent.
pub(crate) mod maybe_duration {
    use super::{Duration, Time, de, print_duration};
    use serde::{Deserialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(crate) fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => to.serialize_str(&print_duration(*duration)),
            None => to.serialize_none(),
        }
    }
    pub(crate) fn deserialize<'de, D: de::Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Duration>, D::Error> {
        Option::<Time>::deserialize(from).map(|time| time.map(|time| time.0))
    }
}

/// `#[serde(with)]` for the shortest and the longest.
pub(crate) mod duration_range {
    use super::{Duration, Time, de, print_duration};
    use serde::{Deserialize, Serializer, ser::SerializeTuple};

    pub(crate) fn serialize<S: Serializer>(
        range: &(Duration, Duration),
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let mut both = to.serialize_tuple(2)?;
        both.serialize_element(&print_duration(range.0))?;
        both.serialize_element(&print_duration(range.1))?;
        both.end()
    }
    pub(crate) fn deserialize<'de, D: de::Deserializer<'de>>(
        from: D,
    ) -> Result<(Duration, Duration), D::Error> {
        <(Time, Time)>::deserialize(from).map(|(shortest, longest)| (shortest.0, longest.0))
    }
}

/// `#[serde(with)]` for shares.
pub(crate) mod share {
    use super::{Portion, de};
    use serde::{Deserialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(crate) fn serialize<S: Serializer>(share: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(*share)
    }
    pub(crate) fn deserialize<'de, D: de::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Portion::deserialize(from).map(|portion| portion.0)
    }
}

/// `#[serde(with)]` for shares that may be absent.
pub(crate) mod maybe_share {
    use super::{Portion, de};
    use serde::{Deserialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(crate) fn serialize<S: Serializer>(share: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
        match share {
            Some(share) => to.serialize_f64(*share),
            None => to.serialize_none(),
        }
    }
    pub(crate) fn deserialize<'de, D: de::Deserializer<'de>>(
        from: D,
    ) -> Result<Option<f64>, D::Error> {
        Option::<Portion>::deserialize(from).map(|portion| portion.map(|portion| portion.0))
    }
}

/// `#[serde(with)]` for rates.
pub(crate) mod rate {
    use super::{Text, de, parse_rate};
    use serde::Serializer;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(crate) fn serialize<S: Serializer>(rate: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(*rate)
    }
    pub(crate) fn deserialize<'de, D: de::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        let visitor = Text { expecting: "a rate such as `500/s`", words: parse_rate, number: Ok };
        from.deserialize_any(visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written_with_their_unit() {
        for (text, millis) in
            [("250ms", 250), ("4s", 4000), ("2m", 120_000), ("1h", 3_600_000), ("1.5s", 1500)]
        {
            let duration = parse_duration(text).expect(text);
            assert_eq!(duration, Duration::from_millis(millis), "{text}");
            assert_eq!(parse_duration(&print_duration(duration)), Ok(duration), "{text}");
        }
        for text in ["4", "4 parsecs", "ms", "-1s", "99999999h"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn shares_and_rates_are_read_in_both_spellings() {
        assert_eq!(parse_share("5%"), Ok(0.05));
        assert!(parse_share("105%").is_err());
        assert_eq!(parse_rate("500/s"), Ok(500.0));
        assert_eq!(parse_rate("30/m"), Ok(0.5));
    }
}
