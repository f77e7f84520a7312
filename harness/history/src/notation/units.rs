//! Times with their units.

use crate::Nanos;

const UNITS: [(&str, u64); 4] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];

/// `1.5s`, `20ms`, `7us`, `3ns`.
pub(super) fn parse(text: &str) -> Option<Nanos> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(digits);
    let scale = UNITS.iter().find(|(name, _)| *name == unit)?.1;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole: u64 = whole.parse().ok()?;
    let mut nanos = whole.checked_mul(scale)?;
    let mut place = scale;
    for digit in fraction.chars() {
        place /= 10;
        nanos = nanos.checked_add(u64::from(digit.to_digit(10)?) * place)?;
    }
    Some(Nanos(nanos))
}

/// In the largest unit that needs no fraction.
pub(super) fn print(at: Nanos) -> String {
    let (unit, scale) = UNITS
        .iter()
        .find(|(_, scale)| at.0.is_multiple_of(*scale))
        .expect("every number is a multiple of 1");
    format!("{}{unit}", at.0 / scale)
}
