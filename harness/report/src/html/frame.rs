//! The frame of a chart over time: axes, grid, phases, fault bands, legend.

use super::svg::{Anchor, GRID, Ink, MUTED, Svg, TEXT};
use crate::{Summary, words};

pub(super) const WIDTH: f64 = 960.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 948.0;
const TOP: f64 = 26.0;
/// Room for the axis below the plot.
const BELOW: f64 = 24.0;

/// How values become heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rise {
    /// From zero, evenly.
    Even,
    /// A decade a step, from a hundredth of a millisecond up.
    Decades,
}

/// A frame to draw in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    until_s: f64,
    low: f64,
    high: f64,
    rise: Rise,
    bottom: f64,
}

/// The least that an axis of decades shows.
const DECADES_FROM: f64 = 0.01;

impl Frame {
    pub(super) fn new(until_s: f64, high: f64, rise: Rise, height: f64) -> Self {
        let (low, high) = match rise {
            Rise::Even => (0.0, high.max(1.0) * 1.08),
            Rise::Decades => (DECADES_FROM, 10_f64.powf(high.max(1.0).log10().ceil())),
        };
        Self { until_s: until_s.max(0.001), low, high, rise, bottom: height - BELOW }
    }

    pub(super) fn x(&self, at_s: f64) -> f64 {
        LEFT + (at_s / self.until_s).clamp(0.0, 1.0) * (RIGHT - LEFT)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        let share = match self.rise {
            Rise::Even => value / self.high,
            Rise::Decades => {
                (value.max(self.low) / self.low).log10() / (self.high / self.low).log10()
            }
        };
        self.bottom - share.clamp(0.0, 1.0) * (self.bottom - TOP)
    }

    pub(super) fn bottom(&self) -> f64 {
        self.bottom
    }

    /// A drawing with everything but the data.
    pub(super) fn open(&self, title: &str, legend: &[(&str, Ink)], summary: &Summary) -> Svg {
        let mut svg = Svg::new(WIDTH, self.bottom + BELOW, title);
        for fault in &summary.faults {
            if let Some((from, until)) = fault.band_s {
                let told = format!("{}: {from:.2} s to {until:.2} s", fault.name);
                svg.hatched((self.x(from), self.x(until)), (TOP, self.bottom), &told);
            }
        }
        for tick in self.values() {
            let y = self.y(tick);
            svg.line((LEFT, y), (RIGHT, y), GRID, false);
            let label = match self.rise {
                Rise::Even => words::brief(tick),
                Rise::Decades => words::duration(tick),
            };
            svg.text((LEFT - 6.0, y + 4.0), Anchor::End, MUTED, &label);
        }
        for mark in &summary.timeline {
            let x = self.x(mark.at_s);
            svg.line((x, TOP), (x, self.bottom), MUTED, true);
        }
        let every = nice(self.until_s / 8.0);
        for index in 0..=9_u32 {
            let at = every * f64::from(index);
            if at <= self.until_s {
                let label = format!("{} s", words::brief(at));
                svg.text((self.x(at), self.bottom + 15.0), Anchor::Middle, MUTED, &label);
            }
        }
        svg.line((LEFT, self.bottom), (RIGHT, self.bottom), MUTED, false);
        legend_of(&mut svg, legend);
        svg
    }

    fn values(&self) -> Vec<f64> {
        match self.rise {
            Rise::Even => {
                let every = nice(self.high / 4.0);
                let ticks = (0..=8_u32).map(|index| every * f64::from(index));
                ticks.filter(|tick| *tick <= self.high).collect()
            }
            Rise::Decades => {
                let ticks = (0..=12_i32).map(|index| DECADES_FROM * 10_f64.powi(index));
                ticks.filter(|tick| *tick <= self.high * 1.001).collect()
            }
        }
    }
}

fn legend_of(svg: &mut Svg, legend: &[(&str, Ink)]) {
    let mut x = LEFT;
    for (name, ink) in legend {
        svg.rect((x, x + 14.0), (8.0, 12.0), *ink, "");
        svg.text((x + 19.0, 14.0), Anchor::Start, TEXT, name);
        let letters = u32::try_from(name.chars().count()).unwrap_or(20);
        x += 36.0 + 6.2 * f64::from(letters);
    }
}

/// The next of 1, 2, 5, 10, … at or above a number.
pub(super) fn nice(least: f64) -> f64 {
    let decade = 10_f64.powf(least.max(1e-9).log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|step| step * decade);
    steps.into_iter().find(|step| *step >= least * 0.999_999).unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use super::{Frame, Rise, nice};

    #[test]
    fn ticks_are_round() {
        let told = [0.3, 1.0, 1.1, 4.9, 51.0].map(nice);
        assert_eq!(told.map(|tick| format!("{tick:.1}")), ["0.5", "1.0", "2.0", "5.0", "100.0"]);
    }

    #[test]
    fn values_beyond_the_frame_stay_inside_it() {
        for rise in [Rise::Even, Rise::Decades] {
            let frame = Frame::new(10.0, 100.0, rise, 200.0);
            assert!(frame.y(0.0) <= frame.bottom() && frame.y(1e12) >= 0.0);
            assert!(frame.x(-1.0) >= 0.0 && frame.x(1e9) <= super::WIDTH);
            assert!(frame.y(50.0) < frame.y(5.0));
        }
    }
}
