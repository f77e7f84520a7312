//! Latency, from the due time (response) and from the send (service), of every operation that was answered.

use super::span::Span;
use hdrhistogram::Histogram;
use onsale_history::{CallKind, History, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Latency of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// From the due time.
    pub response: Percentiles,
    /// From the send.
    pub service: Percentiles,
    /// Over time, by when the operation was sent.
    pub over_time: Vec<LatencyBucket>,
    /// By step.
    pub steps: Vec<StepLatency>,
}

/// Percentiles in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Percentiles {
    /// Answers counted.
    pub count: u64,
    /// The median.
    pub p50: f64,
    /// 95 of 100 are within it.
    pub p95: f64,
    /// 99 of 100.
    pub p99: f64,
    /// 999 of 1000.
    pub p999: f64,
    /// The slowest.
    pub max: f64,
}

/// One slice of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyBucket {
    /// Where it begins, in seconds.
    pub from_s: f64,
    /// From the due time.
    pub response: Percentiles,
    /// From the send.
    pub service: Percentiles,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepLatency {
    /// The kind of call.
    pub step: String,
    /// From the due time.
    pub response: Percentiles,
    /// From the send.
    pub service: Percentiles,
}

/// The slowest answer that is told apart from slower ones.
const MAX_US: u64 = 3_600_000_000;

/// Figures that are kept of a latency: a slice of time needs fewer, and there are many slices.
const FIGURES: u8 = 3;
const FIGURES_OF_SLICE: u8 = 2;

struct Pair {
    response: Histogram<u64>,
    service: Histogram<u64>,
}

impl Pair {
    fn new(figures: u8) -> Self {
        let histogram =
            || Histogram::new_with_bounds(1, MAX_US, figures).expect("the bounds are right");
        Self { response: histogram(), service: histogram() }
    }
    fn record(&mut self, service_us: u64, late_us: u64) {
        self.service.saturating_record(service_us.max(1));
        self.response.saturating_record((service_us + late_us).max(1));
    }
    fn percentiles(&self) -> (Percentiles, Percentiles) {
        (Percentiles::of(&self.response), Percentiles::of(&self.service))
    }
}

impl Percentiles {
    #[expect(clippy::cast_precision_loss, reason = "for display only")]
    fn of(histogram: &Histogram<u64>) -> Self {
        if histogram.is_empty() {
            return Self::default();
        }
        let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1e3;
        Self {
            count: histogram.len(),
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            p999: at(0.999),
            max: histogram.max() as f64 / 1e3,
        }
    }
}

pub(super) fn latency(history: &History) -> Latency {
    let span = Span::seconds(history);
    let mut whole = Pair::new(FIGURES);
    let mut steps: Vec<Option<Pair>> = CallKind::ALL.iter().map(|_| None).collect();
    let mut over_time = vec![];
    let mut current: Option<(usize, Pair)> = None;
    for op in history.operations.iter().filter(|op| op.end != Nanos::NEVER) {
        // Operations are in the order of their starts, so one slice is open at a time.
        let slice = span.slice(op.start);
        if current.as_ref().is_none_or(|(open, _)| *open != slice) {
            over_time.extend(current.take().map(|(open, pair)| bucket(span, open, &pair)));
            current = Some((slice, Pair::new(FIGURES_OF_SLICE)));
        }
        let service = op.end.minus(op.start).0 / 1_000;
        let late = u64::from(op.call.late_us);
        let step = CallKind::ALL.iter().position(|kind| *kind == op.kind()).unwrap_or(0);
        let pairs = [
            Some(&mut whole),
            current.as_mut().map(|(_, pair)| pair),
            Some(steps[step].get_or_insert_with(|| Pair::new(FIGURES))),
        ];
        pairs.into_iter().flatten().for_each(|pair| pair.record(service, late));
    }
    over_time.extend(current.map(|(open, pair)| bucket(span, open, &pair)));
    let (response, service) = whole.percentiles();
    let steps = CallKind::ALL.iter().zip(&steps).filter_map(|(kind, pair)| {
        let (response, service) = pair.as_ref()?.percentiles();
        Some(StepLatency { step: kind.word().to_owned(), response, service })
    });
    Latency { response, service, over_time, steps: steps.collect() }
}

fn bucket(span: Span, slice: usize, pair: &Pair) -> LatencyBucket {
    let (response, service) = pair.percentiles();
    LatencyBucket { from_s: span.begin_s(slice), response, service }
}
