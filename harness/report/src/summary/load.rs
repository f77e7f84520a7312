//! Requests over time, as the history saw them.

use super::span::Span;
use onsale_history::{CallKind, Class, History, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Requests over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Traffic {
    /// The width of a slice.
    pub width_s: f64,
    /// Slices, without gaps.
    pub over_time: Vec<LoadBucket>,
}

/// One slice of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadBucket {
    /// Where it begins, in seconds.
    pub from_s: f64,
    /// Requests that were due.
    pub offered: u64,
    /// Requests that left.
    pub sent: u64,
    /// Requests that were answered.
    pub completed: u64,
    /// Answers that nobody knows the meaning of, and answers that never came, by when the request left.
    pub indeterminate: u64,
    /// Holds granted.
    pub holds: u64,
    /// Holds refused for lack of stock.
    pub sold_out: u64,
    /// Shoppers let out of the waiting room.
    pub admitted: u64,
    /// Requests under way at the end of the slice.
    pub in_flight: u64,
}

pub(super) fn traffic(history: &History) -> Traffic {
    let span = Span::seconds(history);
    let mut all = vec![LoadBucket::default(); span.len()];
    for op in &history.operations {
        let due = op.start.minus(Nanos(u64::from(op.call.late_us) * 1_000));
        all[span.slice(due)].offered += 1;
        let sent = &mut all[span.slice(op.start)];
        sent.sent += 1;
        sent.indeterminate += u64::from(op.outcome().is_indeterminate());
        if op.end == Nanos::NEVER {
            continue;
        }
        let done = &mut all[span.slice(op.end)];
        done.completed += 1;
        match (op.kind(), op.outcome().class()) {
            (CallKind::Hold, Class::Ok) => done.holds += 1,
            (CallKind::Hold, Class::SoldOut) => done.sold_out += 1,
            (CallKind::Poll, Class::Ok) => done.admitted += 1,
            _ => {}
        }
    }
    let never = history.operations.iter().filter(|op| op.end == Nanos::NEVER);
    // What never came back is not under way for ever: it leaves the count with the slice it began in.
    let mut lost = vec![0; span.len()];
    never.for_each(|op| lost[span.slice(op.start)] += 1);
    let mut in_flight = 0_u64;
    for (slice, bucket) in all.iter_mut().enumerate() {
        bucket.from_s = span.begin_s(slice);
        in_flight = (in_flight + bucket.sent).saturating_sub(bucket.completed + lost[slice]);
        bucket.in_flight = in_flight;
    }
    Traffic { width_s: span.width_s(), over_time: all }
}
