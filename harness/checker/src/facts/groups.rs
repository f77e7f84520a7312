//! Lists by dense identifier, in two flat arrays: a few bytes an entry, no hashing.

/// For each index, the entries that belong to it, in the order they were given.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Groups {
    /// From (index, entry) pairs, which are gone through twice.
    pub fn new<I: Iterator<Item = (usize, u32)>>(pairs: impl Fn() -> I) -> Self {
        let mut counts: Vec<u32> = Vec::new();
        for (index, _) in pairs() {
            if counts.len() <= index {
                counts.resize(index + 1, 0);
            }
            counts[index] += 1;
        }
        let mut starts = Vec::with_capacity(counts.len() + 1);
        let mut total = 0;
        starts.push(0);
        for count in &counts {
            total += count;
            starts.push(total);
        }
        let mut next = starts.clone();
        let mut entries = vec![0; total as usize];
        for (index, entry) in pairs() {
            entries[next[index] as usize] = entry;
            next[index] += 1;
        }
        Self { starts, entries }
    }
    /// The entries of an index; none for an index that was never given.
    pub fn of(&self, index: usize) -> &[u32] {
        match (self.starts.get(index), self.starts.get(index + 1)) {
            (Some(&from), Some(&to)) => &self.entries[from as usize..to as usize],
            _ => &[],
        }
    }
    /// One more than the highest index that was given.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
    /// Nothing was given.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Groups;

    #[test]
    fn entries_come_back_by_index_and_in_order() {
        let pairs = [(2, 10), (0, 11), (2, 12)];
        let groups = Groups::new(|| pairs.into_iter());
        assert_eq!(
            (groups.of(0), groups.of(1), groups.of(2), groups.of(9)),
            (&[11][..], &[][..], &[10, 12][..], &[][..])
        );
        assert_eq!(groups.len(), 3);
        assert!(!groups.is_empty());
    }
}
