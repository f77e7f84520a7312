//! The charts over time.

use super::frame::{Frame, Rise};
use super::svg::{AVAILABLE, ERROR, HELD, Ink, MUTED, Path, SOLD, TEXT, VIOLATED};
use crate::{LatencyBucket, LoadBucket, StockBucket, StockSeries, Summary, words};

/// One line of a chart: its name, its ink, whether it is dashed, and its value in a slice.
type Series<Slice, Value> = (&'static str, Ink, bool, fn(&Slice) -> Value);

/// Units out against units for sale.
pub(super) fn stock(series: &StockSeries, summary: &Summary) -> String {
    let buckets = &series.over_time;
    let most = buckets.iter().map(|bucket| bucket.possible.1.max(i64::from(bucket.released))).max();
    let frame = Frame::new(series.until_s, float(most.unwrap_or(1)), Rise::Even, 230.0);
    let title =
        format!("Units of {} certainly and possibly out, against units for sale", series.sku);
    let legend = [
        ("possibly out", HELD),
        ("certainly out", SOLD),
        ("certainly confirmed", AVAILABLE),
        ("for sale", TEXT),
        ("sold-out refusals", ERROR),
        ("certainly too many", VIOLATED),
    ];
    let mut svg = frame.open(&title, &legend, summary);
    let points = |value: &dyn Fn(&StockBucket) -> i64| -> Vec<(f64, f64)> {
        let point = |bucket: &StockBucket| (frame.x(bucket.from_s), frame.y(float(value(bucket))));
        buckets.iter().map(point).collect()
    };
    let until = frame.x(series.until_s);
    let lower = points(&|bucket| bucket.definite.0);
    let certain = points(&|bucket| bucket.definite.1);
    let upper = points(&|bucket| bucket.possible.1);
    let released = points(&|bucket| i64::from(bucket.released));
    let beyond = points(&|bucket| bucket.definite.1.max(i64::from(bucket.released)));
    svg.area(&Path::band(&lower, &upper, until), HELD, 0.30);
    if buckets.iter().any(|bucket| bucket.definite.1 > i64::from(bucket.released)) {
        svg.area(&Path::band(&released, &beyond, until), VIOLATED, 0.55);
    }
    svg.stroke(&Path::steps(&upper, until), HELD, 1.0, false);
    svg.stroke(&Path::steps(&certain, until), SOLD, 1.5, false);
    svg.stroke(&Path::steps(&points(&|bucket| bucket.confirmed), until), AVAILABLE, 1.5, false);
    svg.stroke(&Path::steps(&released, until), TEXT, 1.5, true);
    let refused = buckets.iter().filter(|bucket| bucket.sold_out > 0);
    let ticks = Path::ticks(refused.map(|bucket| frame.x(bucket.from_s)), frame.bottom(), 6.0);
    svg.stroke(&ticks, ERROR, 1.0, false);
    svg.end()
}

/// Requests a second.
pub(super) fn load(summary: &Summary) -> String {
    let buckets = &summary.load.over_time;
    let width = summary.load.width_s.max(0.001);
    let rate = |count: u64| words::float(count) / width;
    let series: [Series<LoadBucket, u64>; 5] = [
        ("offered", MUTED, true, |bucket| bucket.offered),
        ("completed", SOLD, false, |bucket| bucket.completed),
        ("admitted", AVAILABLE, false, |bucket| bucket.admitted),
        ("holds granted", HELD, false, |bucket| bucket.holds),
        ("outcome unknown", ERROR, false, |bucket| bucket.indeterminate),
    ];
    let most = buckets.iter().map(|bucket| bucket.offered.max(bucket.completed)).max().unwrap_or(1);
    let until = buckets.last().map_or(1.0, |bucket| bucket.from_s + width);
    let frame = Frame::new(until, rate(most), Rise::Even, 210.0);
    let legend = series.map(|(name, ink, _, _)| (name, ink));
    let mut svg = frame.open("Requests a second", &legend, summary);
    for (_, ink, dashed, value) in series {
        let points: Vec<(f64, f64)> = buckets
            .iter()
            .map(|bucket| (frame.x(bucket.from_s), frame.y(rate(value(bucket)))))
            .collect();
        svg.stroke(&Path::steps(&points, frame.x(until)), ink, 1.5, dashed);
    }
    svg.end()
}

/// Percentiles over time, on decades.
pub(super) fn latency(summary: &Summary) -> String {
    let buckets = &summary.latency.over_time;
    let until =
        summary.load.over_time.last().map_or(1.0, |last| last.from_s) + summary.load.width_s;
    let most = buckets.iter().map(|bucket| bucket.response.max).fold(1.0, f64::max);
    let frame = Frame::new(until, most, Rise::Decades, 230.0);
    let series: [Series<LatencyBucket, f64>; 4] = [
        ("max from the due time", ERROR, false, |bucket| bucket.response.max),
        ("p99 from the due time", HELD, false, |bucket| bucket.response.p99),
        ("p99 from the send", AVAILABLE, true, |bucket| bucket.service.p99),
        ("p50 from the due time", SOLD, false, |bucket| bucket.response.p50),
    ];
    let legend = series.map(|(name, ink, _, _)| (name, ink));
    let mut svg = frame.open("Latency over time", &legend, summary);
    let half = summary.load.width_s / 2.0;
    for (_, ink, dashed, value) in series {
        let points: Vec<(f64, f64)> = buckets
            .iter()
            .map(|bucket| (frame.x(bucket.from_s + half), frame.y(value(bucket))))
            .collect();
        svg.stroke(&Path::polyline(&points), ink, 1.5, dashed);
    }
    svg.end()
}

#[expect(clippy::cast_precision_loss, reason = "for display only")]
fn float(units: i64) -> f64 {
    units as f64
}
