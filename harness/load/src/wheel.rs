//! A hierarchical timing wheel: what is due when, for millions of sleepers.
//!
//! Three wheels of 256 slots, one tick of 1 ms in the finest, so that 256³ ms (4.6 hours) can be waited for; what is due
//! later waits in the last slot and is laid in again. Laying in and taking out cost O(1) a sleeper (Varghese & Lauck 1987).

/// 2^8 slots a wheel.
const SLOT_BITS: usize = 8;
const SLOTS: usize = 1 << SLOT_BITS;
const LEVELS: usize = 3;

/// Sleepers by the tick at which they are due.
pub struct Wheel<T> {
    levels: [Vec<Vec<(u64, T)>>; LEVELS],
    now: u64,
    count: usize,
}

impl<T> Default for Wheel<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Wheel<T> {
    /// An empty wheel at tick 0.
    pub fn new() -> Self {
        let level = || (0..SLOTS).map(|_| vec![]).collect();
        Self { levels: [level(), level(), level()], now: 0, count: 0 }
    }

    /// Lays a sleeper in; what is due now or earlier comes out at the next tick.
    pub fn lay(&mut self, due: u64, sleeper: T) {
        self.count += 1;
        self.place(due, sleeper);
    }

    fn place(&mut self, due: u64, sleeper: T) {
        let at = due.max(self.now + 1);
        let ahead = at - self.now;
        let level = (0..LEVELS).find(|level| ahead < span(level + 1)).unwrap_or(LEVELS - 1);
        let reach = at.min(self.now + span(LEVELS) - 1);
        let slot =
            usize::try_from((reach / span(level)) % SLOTS as u64).expect("a slot is below 256");
        self.levels[level][slot].push((due, sleeper));
    }

    /// Goes on to a tick and takes out all that is due by then, in the order of the ticks.
    pub fn advance(&mut self, to: u64, due: &mut Vec<(u64, T)>) {
        while self.now < to {
            if self.count == 0 {
                self.now = to;
                return;
            }
            self.now += 1;
            for level in (1..LEVELS).rev() {
                if self.now.is_multiple_of(span(level)) {
                    self.cascade(level);
                }
            }
            let slot = usize::try_from(self.now % SLOTS as u64).expect("a slot is below 256");
            let ripe = std::mem::take(&mut self.levels[0][slot]);
            self.count -= ripe.len();
            due.extend(ripe);
        }
    }

    /// Takes everything out, in no particular order.
    pub fn empty(&mut self) -> impl Iterator<Item = T> {
        self.count = 0;
        self.levels.iter_mut().flatten().flat_map(std::mem::take).map(|(_, sleeper)| sleeper)
    }

    /// Spreads a coarse slot over the finer wheels. What is due at this very tick lands in the finest slot of now.
    fn cascade(&mut self, level: usize) {
        let slot =
            usize::try_from((self.now / span(level)) % SLOTS as u64).expect("a slot is below 256");
        for (due, sleeper) in std::mem::take(&mut self.levels[level][slot]) {
            if due <= self.now {
                let here = usize::try_from(self.now % SLOTS as u64).expect("a slot is below 256");
                self.levels[0][here].push((due, sleeper));
            } else {
                self.place(due, sleeper);
            }
        }
    }
}

/// Ticks of one slot of a level.
const fn span(level: usize) -> u64 {
    1 << (SLOT_BITS * level)
}

#[cfg(test)]
mod tests {
    use super::Wheel;
    use std::collections::BTreeMap;

    /// Against an ordered map, over short and long sleeps and jumps of the clock.
    #[test]
    fn everything_comes_out_at_its_tick_and_once() {
        for seed in 0..200 {
            let mut chance = fastrand::Rng::with_seed(seed);
            let (mut wheel, mut model) = (Wheel::new(), BTreeMap::<u64, Vec<u32>>::new());
            let (mut now, mut next) = (0u64, 0u32);
            for _ in 0..300 {
                for _ in 0..chance.u32(0..5) {
                    let ahead = 1u64 << chance.u32(0..27);
                    let due = now.saturating_sub(3) + chance.u64(0..ahead);
                    wheel.lay(due, next);
                    model.entry(due.max(now + 1)).or_default().push(next);
                    next += 1;
                }
                let jump = 1 << chance.u32(1..14);
                now += chance.u64(1..jump);
                let mut out = vec![];
                wheel.advance(now, &mut out);
                let mut later = model.split_off(&(now + 1));
                std::mem::swap(&mut model, &mut later);
                let mut expected: Vec<u32> = later.into_values().flatten().collect();
                let mut got: Vec<u32> = out.into_iter().map(|(_, sleeper)| sleeper).collect();
                expected.sort_unstable();
                got.sort_unstable();
                assert_eq!(got, expected, "seed {seed} at tick {now}");
                assert_eq!(wheel.count, model.values().map(Vec::len).sum::<usize>());
            }
        }
    }
}
