//! Units out against units for sale.
//!
//! `definite` counts units that are out for certain, `possible` units that may be: the truth lies between. A definite count
//! above what is for sale is an overcommitment, wherever the truth lies.

use super::AnomalyCard;
use super::span::Span;
use onsale_checker::{Envelope, Facts, Interval};
use onsale_history::{Class, Nanos, SkuId, SkuRole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One SKU over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StockSeries {
    /// Its name.
    pub sku: String,
    /// Units in all.
    pub capacity: u32,
    /// Slices in which anything changed, in order; between them the last values stay.
    pub over_time: Vec<StockBucket>,
    /// The end of the last slice, in seconds.
    pub until_s: f64,
}

/// One slice of time; least and most within it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StockBucket {
    /// Where it begins, in seconds.
    pub from_s: f64,
    /// Units certainly out.
    pub definite: (i64, i64),
    /// Units possibly out.
    pub possible: (i64, i64),
    /// Units certainly confirmed, at the end of the slice.
    pub confirmed: i64,
    /// Units for sale, at the end of the slice.
    pub released: u32,
    /// Refusals for lack of stock.
    pub sold_out: u64,
}

/// SKUs that are drawn at most: hot ones, and those that an anomaly speaks of.
const SERIES_MAX: usize = 12;

pub(super) fn stock(facts: &Facts<'_>, anomalies: &[AnomalyCard]) -> Vec<StockSeries> {
    let told = |name: &str| {
        let word = format!(" {name} ");
        let records = anomalies.iter().flat_map(|card| &card.operations).map(|op| &op.record);
        records.clone().any(|record| format!("{record} ").contains(&word))
    };
    let hot = facts.sale.skus.iter().enumerate().filter(|(_, sku)| sku.role == SkuRole::Hot);
    let others = facts.sale.skus.iter().enumerate().filter(|(_, sku)| sku.role != SkuRole::Hot);
    let broken = others.filter(|(_, sku)| told(&sku.name));
    let span = Span::fine(facts.history);
    hot.chain(broken)
        .take(SERIES_MAX)
        .map(|(index, _)| series(facts, SkuId::from_index(index), span))
        .collect()
}

fn series(facts: &Facts<'_>, sku: SkuId, span: Span) -> StockSeries {
    let index = sku.index();
    let none = Envelope::default();
    let envelope = facts.envelopes.get(index).unwrap_or(&none);
    let definite = levels(steps(&envelope.definite, false), span);
    let possible = levels(steps(&envelope.possible, true), span);
    let confirmed = levels(confirmations(facts, sku), span);
    let refusals = refusals(facts, sku, span);
    let facts_of = &facts.sale.skus[index];
    let mut over_time: Vec<StockBucket> = vec![];
    for slice in 0..span.len() {
        let last = span.begin(slice + 1).minus(Nanos(1));
        let bucket = StockBucket {
            from_s: span.begin_s(slice),
            definite: (definite[slice].0, definite[slice].1),
            possible: (possible[slice].0, possible[slice].1),
            confirmed: confirmed[slice].2,
            released: facts_of.released(last),
            sold_out: refusals[slice],
        };
        let same =
            |before: &StockBucket| StockBucket { from_s: before.from_s, ..bucket } == *before;
        if !over_time.last().is_some_and(same) {
            over_time.push(bucket);
        }
    }
    let until_s = span.begin_s(span.len());
    StockSeries { sku: facts_of.name.clone(), capacity: facts_of.capacity, over_time, until_s }
}

/// Changes of a count: an instant and by how much, in order. A possible span still counts at its last instant.
fn steps(spans: &[Interval], closed: bool) -> Vec<(Nanos, i64)> {
    let after = if closed { Nanos(1) } else { Nanos::ZERO };
    let both = spans.iter().flat_map(|span| {
        let units = i64::from(span.units);
        [(span.from, units), (span.to.plus(after), -units)]
    });
    sorted(both.collect())
}

fn confirmations(facts: &Facts<'_>, sku: SkuId) -> Vec<(Nanos, i64)> {
    let mut all = vec![];
    for lease in &facts.leases {
        let Some((from, until, _)) = lease.confirmed else { continue };
        for (_, units) in facts.items(lease.grant).filter(|(of, _)| *of == sku) {
            all.extend([(from, i64::from(units)), (until, -i64::from(units))]);
        }
    }
    sorted(all)
}

/// At one instant what goes out comes before what comes in: `to` of a definite span is not part of it.
fn sorted(mut all: Vec<(Nanos, i64)>) -> Vec<(Nanos, i64)> {
    all.retain(|(at, _)| *at != Nanos::NEVER);
    all.sort_unstable();
    all
}

/// The least, the most and the last level of each slice.
fn levels(steps: Vec<(Nanos, i64)>, span: Span) -> Vec<(i64, i64, i64)> {
    let mut all = Vec::with_capacity(span.len());
    let mut level = 0;
    let mut steps = steps.into_iter().peekable();
    for slice in 0..span.len() {
        let end = if slice + 1 == span.len() { Nanos::NEVER } else { span.begin(slice + 1) };
        let (mut least, mut most) = (level, level);
        while let Some((at, _)) = steps.next_if(|(at, _)| *at < end).inspect(|(_, by)| level += by)
        {
            // Levels between changes of one instant are of no instant.
            if steps.peek().is_none_or(|(next, _)| *next != at) {
                (least, most) = (least.min(level), most.max(level));
            }
        }
        all.push((least, most, level));
    }
    all
}

fn refusals(facts: &Facts<'_>, sku: SkuId, span: Span) -> Vec<u64> {
    let mut all = vec![0; span.len()];
    for &at in facts.holds_of_sku(sku) {
        let op = facts.op(at);
        if op.outcome().class() == Class::SoldOut {
            all[span.slice(op.end)] += 1;
        }
    }
    all
}
