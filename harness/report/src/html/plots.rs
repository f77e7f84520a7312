//! The charts that are not over time: lateness of holds, order of the waiting room.

use super::frame::WIDTH;
use super::svg::{Anchor, GRID, HELD, MUTED, Path, SOLD, Svg, TEXT, VIOLATED};
use crate::{Lateness, Queue, words};

/// How late holds were seen to end, against their promised life.
pub(super) fn lateness(lateness: &Lateness) -> String {
    let (Some(first), Some(last)) = (lateness.bins.first(), lateness.bins.last()) else {
        return String::new();
    };
    let (left, right, bottom) = (64.0, 948.0, 150.0);
    let (low, high) = (first.from_ms.min(0.0), last.until_ms.max(lateness.grace_ms));
    let x = |ms: f64| left + (ms - low) / (high - low).max(0.001) * (right - left);
    let most = lateness.bins.iter().map(|bin| bin.count).max().unwrap_or(1).max(1);
    let y = |count: u64| bottom - words::ratio(count, most) * (bottom - 24.0);
    let mut svg = Svg::new(
        WIDTH,
        bottom + 26.0,
        "Holds by how late after their promised life they were seen to be over",
    );
    svg.hatched((x(0.0), x(lateness.grace_ms)), (18.0, bottom), "within the grace");
    for bin in lateness.bins.iter().filter(|bin| bin.count > 0) {
        let early = bin.until_ms <= -lateness.earliness_ms;
        let told = format!(
            "{} holds, {} to {} after their time",
            bin.count,
            words::signed_duration(bin.from_ms),
            words::signed_duration(bin.until_ms)
        );
        let ink = if early { VIOLATED } else { SOLD };
        svg.rect((x(bin.from_ms), x(bin.until_ms) - 0.5), (y(bin.count), bottom), ink, &told);
    }
    svg.line((left, bottom), (right, bottom), MUTED, false);
    svg.text((left - 6.0, y(most) + 4.0), Anchor::End, MUTED, &words::count(most));
    let limits =
        [(0.0, "time over", Anchor::End), (lateness.grace_ms, "grace over", Anchor::Start)];
    for (ms, name, anchor) in limits {
        svg.line((x(ms), 4.0), (x(ms), bottom), TEXT, true);
        let beside = if ms == 0.0 { -4.0 } else { 4.0 };
        svg.text((x(ms) + beside, 13.0), anchor, TEXT, name);
    }
    for (ms, anchor) in [(low, Anchor::Start), (high, Anchor::End)] {
        svg.text((x(ms), bottom + 16.0), anchor, MUTED, &words::signed_duration(ms));
    }
    svg.end()
}

/// Order of arrival against order of admission: first come, first served is the diagonal.
pub(super) fn queue(queue: &Queue) -> String {
    if queue.points.is_empty() {
        return String::new();
    }
    let (left, right, top, bottom) = (64.0, 360.0, 12.0, 308.0);
    let most = queue.admitted.max(1);
    let x = |rank: u64| left + words::ratio(rank, most) * (right - left);
    let y = |rank: u64| bottom - words::ratio(rank, most) * (bottom - top);
    let mut svg = Svg::new(WIDTH, bottom + 28.0, "Order of arrival against order of admission");
    svg.line((left, bottom), (right, bottom), MUTED, false);
    svg.line((left, top), (left, bottom), MUTED, false);
    svg.line((left, bottom), (right, top), GRID, true);
    let points = queue.points.iter().map(|point| (x(point.arrival), y(point.admission)));
    let ink = if queue.method == "fifo" { SOLD } else { HELD };
    svg.stroke(&Path::dots(points), ink, 2.0, false);
    svg.text((left, bottom + 16.0), Anchor::Start, MUTED, "first to arrive");
    svg.text((right, bottom + 16.0), Anchor::End, MUTED, &format!("{}th", words::count(most)));
    svg.text((left + 8.0, top + 10.0), Anchor::Start, MUTED, "last to be let in");
    svg.end()
}
