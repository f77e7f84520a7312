//! A time axis for evidence: proportional where something happens, short where nothing does.
//!
//! A hold is granted in the first seconds of a run and its order read in the last; drawn to scale, the operations that
//! contradict each other would all stand in one place.

/// An instant with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) x: f64,
}

/// Straight pieces from instants to places.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// (instant, place), both rising.
    corners: Vec<(f64, f64)>,
    /// Places of the middles of what was left out.
    pub(super) breaks: Vec<f64>,
}

/// An idle time longer than this part of all busy time is cut down to it.
const IDLE_MAX: f64 = 0.5;
/// Room before the first and after the last instant, in parts of the whole.
const AROUND: f64 = 0.04;
/// Ticks stand at least so far apart.
const TICKS_APART: f64 = 92.0;

impl Axis {
    /// An axis over busy intervals, drawn between two places.
    pub(super) fn new(mut busy: Vec<(f64, f64)>, left: f64, right: f64) -> Self {
        busy.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut merged: Vec<(f64, f64)> = vec![];
        for (from, until) in busy {
            match merged.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(until),
                _ => merged.push((from, until)),
            }
        }
        let total: f64 = merged.iter().map(|(from, until)| until - from).sum();
        let idle_max = (total * IDLE_MAX).max(0.000_2);
        let (mut corners, mut cuts, mut length) = (vec![], vec![], 0.0);
        for (index, &(from, until)) in merged.iter().enumerate() {
            if index > 0 {
                let idle = from - merged[index - 1].1;
                if idle > idle_max {
                    cuts.push(length + idle_max / 2.0);
                }
                length += idle.min(idle_max);
            }
            corners.push((from, length));
            length += until - from;
            corners.push((until, length));
        }
        let margin = (right - left) * AROUND;
        let scale = (right - left - 2.0 * margin) / length.max(1e-9);
        let place = |length: f64| left + margin + length * scale;
        for corner in &mut corners {
            corner.1 = place(corner.1);
        }
        Self { corners, breaks: cuts.into_iter().map(place).collect() }
    }

    /// The place of an instant; what lies outside is drawn at the end.
    pub(super) fn x(&self, at: f64) -> f64 {
        let (Some(first), Some(last)) = (self.corners.first(), self.corners.last()) else {
            return 0.0;
        };
        let after = self.corners.partition_point(|corner| corner.0 < at);
        if after == 0 {
            return first.1;
        }
        let Some(&(until, end)) = self.corners.get(after) else { return last.1 };
        let (from, begin) = self.corners[after - 1];
        begin + (at - from) / (until - from).max(1e-12) * (end - begin)
    }

    /// The first and the last instant.
    pub(super) fn ends(&self) -> (f64, f64) {
        let at = |corner: Option<&(f64, f64)>| corner.map_or(0.0, |corner| corner.0);
        (at(self.corners.first()), at(self.corners.last()))
    }

    /// Instants to write below: where something begins or ends, and in between where there is room.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let mut all: Vec<Tick> = vec![];
        // Every other piece is idle.
        for pair in self.corners.chunks_exact(2) {
            for part in 0..=4_u32 {
                let at = pair[0].0 + (pair[1].0 - pair[0].0) * f64::from(part) / 4.0;
                let tick = Tick { at, x: self.x(at) };
                let cut = self.breaks.iter().any(|cut| (cut - tick.x).abs() < TICKS_APART / 3.0);
                if !cut && all.last().is_none_or(|last| tick.x - last.x >= TICKS_APART) {
                    all.push(tick);
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Axis;

    #[test]
    fn without_idle_time_the_axis_is_to_scale() {
        let axis = Axis::new(vec![(0.0, 0.4), (0.3, 1.0)], 0.0, 100.0);
        assert!(axis.breaks.is_empty());
        let places = [0.0, 0.5, 1.0].map(|at| format!("{:.0}", axis.x(at)));
        assert_eq!(places, ["4", "50", "96"]);
    }

    #[test]
    fn idle_time_is_cut_and_the_order_stays() {
        let axis = Axis::new(vec![(0.0, 0.01), (0.015, 0.02), (60.0, 60.01)], 150.0, 940.0);
        assert_eq!(axis.breaks.len(), 1);
        let instants = [-5.0, 0.0, 0.01, 0.015, 0.02, 30.0, 60.0, 60.01, 99.0];
        let places = instants.map(|at| axis.x(at));
        assert!(places.windows(2).all(|pair| pair[0] <= pair[1]), "{places:?}");
        assert!(places.iter().all(|x| (150.0..=940.0).contains(x)), "{places:?}");
        assert!(axis.x(0.01) - axis.x(0.0) > 100.0, "what happens is too narrow to see");
        let ticks = axis.ticks();
        assert!(ticks.windows(2).all(|pair| pair[1].x - pair[0].x >= 92.0), "{ticks:?}");
    }

    #[test]
    fn single_instants_have_an_axis_too() {
        let axis = Axis::new(vec![(1.0, 1.0), (1.0, 1.0)], 0.0, 100.0);
        assert!((0.0..=100.0).contains(&axis.x(1.0)));
        assert_eq!(axis.ticks().len(), 1);
        assert!(Axis::new(vec![], 0.0, 100.0).x(3.0).is_finite());
    }
}
