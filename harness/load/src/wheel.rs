//! A hierarchical timing wheel: millions of sleepers, no tree, no allocation a sleeper but its slot.
//!
//! Six levels of 256 slots. A tick is 2^18 ns (0.26 ms), so the levels reach 67 ms, 17 s, 73 min, 13 days and on to the
//! end of the clock. Due times are kept exactly: a slot only says when to look.

use onsale_history::Nanos;

const TICK_BITS: u32 = 18;
const SLOT_BITS: u32 = 8;
const SLOTS: u64 = 1 << SLOT_BITS;
const LEVELS: u32 = 6;

struct Entry<T> {
    due: Nanos,
    item: T,
}

/// Items that become due.
pub struct Wheel<T> {
    slots: Vec<Vec<Entry<T>>>,
    /// Entries of each level.
    counts: [usize; LEVELS as usize],
    /// The next tick to look at: everything due before it was handed out.
    tick: u64,
}

impl<T> Default for Wheel<T> {
    fn default() -> Self {
        Self::new(Nanos::ZERO)
    }
}

impl<T> Wheel<T> {
    /// A wheel that stands at `now`.
    pub fn new(now: Nanos) -> Self {
        let slots = (0..SLOTS * u64::from(LEVELS)).map(|_| Vec::new()).collect();
        Self { slots, counts: [0; LEVELS as usize], tick: now.0 >> TICK_BITS }
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Does nobody wait?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an item. What is due already comes with the next [`Self::advance`].
    pub fn insert(&mut self, due: Nanos, item: T) {
        let due_tick = (due.0 >> TICK_BITS).max(self.tick);
        let (level, slot) = self.place(due_tick);
        self.counts[level] += 1;
        self.slots[slot].push(Entry { due, item });
    }

    fn place(&self, due_tick: u64) -> (usize, usize) {
        let ahead = due_tick ^ self.tick;
        let level = (0..LEVELS).find(|level| ahead >> (SLOT_BITS * (level + 1)) == 0);
        let level = level.expect("six levels of eight bits hold every tick");
        let slot = (due_tick >> (SLOT_BITS * level)) & (SLOTS - 1);
        (level as usize, slot_index(level, slot))
    }

    /// Hands out what is due at `now`, in no order, and moves the wheel there.
    pub fn advance(&mut self, now: Nanos, out: &mut Vec<(Nanos, T)>) {
        let end = now.0 >> TICK_BITS;
        while self.tick < end {
            if self.is_empty() {
                self.tick = end;
                break;
            }
            self.collect(Nanos::NEVER, out);
            self.tick = self.next_tick(end);
            self.cascade();
        }
        self.collect(now, out);
    }

    /// The next tick with something to do, not after `end`: while the lower levels are empty, nothing happens before
    /// the next slot of the level above.
    fn next_tick(&self, end: u64) -> u64 {
        let busy = self.counts.iter().position(|&count| count > 0);
        let Some(level) = busy.and_then(|level| u32::try_from(level).ok()) else { return end };
        let bits = SLOT_BITS * level;
        (((self.tick >> bits) + 1) << bits).min(end)
    }

    /// Takes what is due by `now` from the slot of the present tick.
    fn collect(&mut self, now: Nanos, out: &mut Vec<(Nanos, T)>) {
        let slot = slot_index(0, self.tick & (SLOTS - 1));
        let entries = &mut self.slots[slot];
        let mut index = 0;
        while index < entries.len() {
            if entries[index].due <= now {
                let entry = entries.swap_remove(index);
                self.counts[0] -= 1;
                out.push((entry.due, entry.item));
            } else {
                index += 1;
            }
        }
    }

    /// At the beginning of a level's slot, spreads it over the lower levels.
    fn cascade(&mut self) {
        for level in (1..LEVELS).rev() {
            if self.tick & ((1 << (SLOT_BITS * level)) - 1) != 0 {
                continue;
            }
            let slot = slot_index(level, (self.tick >> (SLOT_BITS * level)) & (SLOTS - 1));
            let entries = std::mem::take(&mut self.slots[slot]);
            self.counts[level as usize] -= entries.len();
            for entry in entries {
                self.insert(entry.due, entry.item);
            }
        }
    }
}

fn slot_index(level: u32, slot: u64) -> usize {
    usize::try_from(u64::from(level) * SLOTS + slot).expect("a wheel has 1,536 slots")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn ms(ms: u64) -> Nanos {
        Nanos::from_millis(ms)
    }

    #[test]
    fn items_come_when_they_are_due_and_not_before() {
        let mut wheel = Wheel::new(Nanos::ZERO);
        for due in [1, 70, 71, 17_000, 90_000, 5_000_000, 2_000_000_000] {
            wheel.insert(ms(due), due);
        }
        let mut out = vec![];
        for (now, expected) in [
            (0, vec![]),
            (1, vec![1]),
            (69, vec![]),
            (71, vec![70, 71]),
            (16_999, vec![]),
            (17_000, vec![17_000]),
            (89_999, vec![]),
            (5_000_000, vec![90_000, 5_000_000]),
            (1_999_999_999, vec![]),
            (2_000_000_000, vec![2_000_000_000]),
        ] {
            wheel.advance(ms(now), &mut out);
            let mut got: Vec<u64> = out.drain(..).map(|(_, item)| item).collect();
            got.sort_unstable();
            assert_eq!(got, expected, "at {now} ms");
        }
        assert!(wheel.is_empty());
    }

    #[test]
    fn a_wheel_agrees_with_a_sorted_map_on_random_histories() {
        for seed in 0..200 {
            let mut chance = fastrand::Rng::with_seed(seed);
            let mut wheel = Wheel::new(Nanos(chance.u64(0..1 << 40)));
            let mut map: BTreeMap<(Nanos, u32), ()> = BTreeMap::new();
            let mut now = Nanos(wheel.tick << TICK_BITS);
            let mut out = vec![];
            for item in 0..300_u32 {
                let reach = chance.u32(10..45);
                let due = now.plus(Nanos(chance.u64(0..1 << reach)));
                wheel.insert(due, item);
                map.insert((due, item), ());
                if chance.u8(0..3) == 0 {
                    let step = chance.u32(8..38);
                    now = now.plus(Nanos(chance.u64(0..1 << step)));
                    wheel.advance(now, &mut out);
                    out.sort_unstable();
                    let rest = map.split_off(&(Nanos(now.0 + 1), 0));
                    let expected: Vec<_> = std::mem::replace(&mut map, rest).into_keys().collect();
                    assert_eq!(out, expected, "seed {seed}, at {now}");
                    assert_eq!(wheel.len(), map.len());
                    out.clear();
                }
            }
        }
    }
}
