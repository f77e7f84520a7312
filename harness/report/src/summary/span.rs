//! Slices of the run's time, so few that a chart stays small, however long the run was.

use crate::words;
use onsale_history::{History, Nanos};

/// Slices that a chart has at most.
const SLICES_MAX: u64 = 600;
const SECOND: u64 = 1_000_000_000;

/// Equal slices from the epoch to the last thing that happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    width: u64,
    slices: usize,
}

impl Span {
    /// Slices of whole seconds.
    pub(super) fn seconds(history: &History) -> Self {
        let end = end(history).0;
        let width = end.div_ceil(SECOND * SLICES_MAX).max(1) * SECOND;
        Self::new(end, width)
    }

    /// As many slices as a chart takes.
    pub(super) fn fine(history: &History) -> Self {
        let end = end(history).0;
        Self::new(end, end.div_ceil(SLICES_MAX).max(1))
    }

    fn new(end: u64, width: u64) -> Self {
        let slices = usize::try_from(end / width + 1).expect("a few hundred slices");
        Self { width, slices }
    }

    pub(super) fn len(self) -> usize {
        self.slices
    }

    /// The slice of an instant; the last one for what comes after the end.
    pub(super) fn slice(self, at: Nanos) -> usize {
        usize::try_from(at.0 / self.width)
            .map_or(self.slices - 1, |slice| slice.min(self.slices - 1))
    }

    /// The first instant of a slice.
    pub(super) fn begin(self, slice: usize) -> Nanos {
        Nanos(self.width * slice as u64)
    }

    /// The first second of a slice.
    pub(super) fn begin_s(self, slice: usize) -> f64 {
        words::rounded(self.begin(slice).as_millis_f64() / 1e3)
    }

    pub(super) fn width_s(self) -> f64 {
        words::rounded(Nanos(self.width).as_millis_f64() / 1e3)
    }
}

/// The last instant that anything was seen at.
pub(super) fn end(history: &History) -> Nanos {
    let seen =
        history.operations.iter().map(|op| if op.end == Nanos::NEVER { op.start } else { op.end });
    let marks = history.marks.iter().map(|mark| mark.at);
    seen.chain(marks).max().unwrap_or(Nanos::ZERO)
}
