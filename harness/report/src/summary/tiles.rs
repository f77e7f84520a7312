//! The numbers that matter, beside each other.

use super::Latency;
use crate::{RunFacts, words};
use onsale_checker::{Facts, Validity, Verdict};
use onsale_history::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How something stands; it has a word and a colour of its own everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// Proved.
    Proved,
    /// Nothing was found.
    Held,
    /// Certainly broken.
    Violated,
    /// Nobody can say.
    Undecided,
    /// There were too few occasions.
    NotExercised,
    /// Only a number.
    Neutral,
}

impl Tone {
    /// The word that stands beside the colour.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Held => "held",
            Self::Violated => "violated",
            Self::Undecided => "undecided",
            Self::NotExercised => "not exercised",
            Self::Neutral => "",
        }
    }
}

impl From<Validity> for Tone {
    fn from(validity: Validity) -> Self {
        match validity {
            Validity::Proved => Self::Proved,
            Validity::Held => Self::Held,
            Validity::NotExercised => Self::NotExercised,
            Validity::Undecided => Self::Undecided,
            Validity::Violated => Self::Violated,
        }
    }
}

/// One number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tile {
    /// What is counted.
    pub name: String,
    /// How much, in words.
    pub value: String,
    /// What to know of it.
    pub detail: String,
    /// How it stands.
    pub tone: Tone,
}

fn tile(name: &str, value: String, detail: String, tone: Tone) -> Tile {
    Tile { name: name.to_owned(), value, detail, tone }
}

pub(super) fn tiles(
    facts: &Facts<'_>,
    verdict: &Verdict,
    run: &RunFacts,
    latency: &Latency,
) -> Vec<Tile> {
    let units = units_sold(facts);
    let mut all = vec![
        sold(facts, &units),
        oversold(facts, verdict, &units),
        lost(verdict),
        unknown(verdict),
    ];
    if run.load.offered > 0 {
        all.push(tile(
            "achieved load",
            words::share_percent(run.load.achieved_share),
            format!("{} shoppers", words::count(run.load.shoppers)),
            Tone::Neutral,
        ));
    }
    all.push(tile(
        "p99 response",
        words::duration(latency.response.p99),
        format!("max {}, from the due time", words::duration(latency.response.max)),
        Tone::Neutral,
    ));
    if !run.thresholds.is_empty() {
        let missed = run.missed().count();
        let met = run.thresholds.len() - missed;
        let tone = if missed == 0 { Tone::Held } else { Tone::Violated };
        let detail = run.missed().map(|threshold| threshold.name.as_str()).collect::<Vec<_>>();
        let value = format!("{met} of {} met", run.thresholds.len());
        all.push(tile("thresholds", value, detail.join(", "), tone));
    }
    all
}

/// Units of each SKU in orders that somebody was shown as confirmed, and not as over since.
fn units_sold(facts: &Facts<'_>) -> Vec<u64> {
    let mut latest: BTreeMap<_, (_, State, u32)> = BTreeMap::new();
    for seen in &facts.sightings {
        let (Some(order), Some((sku, units))) = (seen.order, seen.item) else { continue };
        let at = facts.op(seen.at).start;
        let entry = latest.entry((order, sku)).or_insert((at, seen.state, units));
        if at >= entry.0 {
            *entry = (at, seen.state, units);
        }
    }
    let mut sold = vec![0; facts.sale.skus.len()];
    for ((_, sku), (_, state, units)) in latest {
        if let Some(slot) = sold.get_mut(sku.index()).filter(|_| state == State::Confirmed) {
            *slot += u64::from(units);
        }
    }
    sold
}

fn sold(facts: &Facts<'_>, sold: &[u64]) -> Tile {
    let capacity: u64 = facts.sale.skus.iter().map(|sku| u64::from(sku.capacity)).sum();
    let share = format!("of {} units", words::count(capacity));
    tile("sold", words::count(sold.iter().sum()), share, Tone::Neutral)
}

/// Units sold beyond what each SKU has. The rule speaks of one SKU at a time and of what is certain at one instant, so the sum
/// over all SKUs may be more.
fn oversold(facts: &Facts<'_>, verdict: &Verdict, sold: &[u64]) -> Tile {
    let Some(row) = verdict.rules.iter().find(|row| row.rule == "oversell") else {
        return tile("oversold units", "not judged".into(), String::new(), Tone::NotExercised);
    };
    let beyond = |units: i64, limit: i64| (units - limit).max(0).unsigned_abs();
    let bounds = row.bounds.as_ref();
    let (definite, possible) = bounds.map_or((0, 0), |bounds| {
        (beyond(bounds.definite, bounds.limit), beyond(bounds.possible, bounds.limit))
    });
    let skus = facts.sale.skus.iter().zip(sold);
    let seen: u64 = skus.map(|(sku, sold)| sold.saturating_sub(u64::from(sku.capacity))).sum();
    let definite = if row.validity == Validity::Violated { definite.max(seen) } else { definite };
    let value = if possible > definite && row.validity == Validity::Undecided {
        format!("{} to {}", words::count(definite), words::count(possible))
    } else {
        words::count(definite)
    };
    tile("oversold units", value, Tone::from(row.validity).word().to_owned(), row.validity.into())
}

/// A tile for the rules that say that something was taken away from its owner, or never came back.
fn lost(verdict: &Verdict) -> Tile {
    let rules = ["lost-hold", "lost-order", "leaked-hold"];
    let rows = || verdict.rules.iter().filter(|row| rules.contains(&row.rule.as_str()));
    let found: u64 = rows().map(|row| row.violations).sum();
    let worst = rows().map(|row| row.validity).max().unwrap_or(Validity::NotExercised);
    let detail = rows().map(|row| format!("{} {}", row.violations, row.rule)).collect::<Vec<_>>();
    tile("lost or leaked", words::count(found), detail.join(", "), worst.into())
}

fn unknown(verdict: &Verdict) -> Tile {
    let open = verdict.unresolved + verdict.unknown;
    let detail = format!("{} of {}", words::count(open), words::count(verdict.operations));
    let tone = if verdict.unknown > 0 { Tone::Undecided } else { Tone::Neutral };
    tile("unknown outcomes", words::percent(open, verdict.operations), detail, tone)
}
