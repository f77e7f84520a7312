//! The data types of the embedded store: strings, hashes, sorted sets and sets.

use std::collections::{BTreeMap, BTreeSet};

/// Every key and its value.
#[derive(Debug, Default)]
pub struct Keyspace {
    pub(super) keys: BTreeMap<Vec<u8>, Value>,
}

/// A value.
#[derive(Debug)]
pub(super) enum Value {
    Text(Vec<u8>),
    Hash(BTreeMap<Vec<u8>, Vec<u8>>),
    Sorted(Sorted),
    Set(BTreeSet<Vec<u8>>),
}

impl Value {
    /// Empty collections do not exist, as in Redis.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Text(_) => false,
            Self::Hash(fields) => fields.is_empty(),
            Self::Sorted(sorted) => sorted.scores.is_empty(),
            Self::Set(members) => members.is_empty(),
        }
    }
    /// Its type's name.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "string",
            Self::Hash(_) => "hash",
            Self::Sorted(_) => "zset",
            Self::Set(_) => "set",
        }
    }
}

/// A sorted set: by member and by score.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    scores: BTreeMap<Vec<u8>, f64>,
    order: BTreeSet<(Score, Vec<u8>)>,
}

impl Sorted {
    /// Sets a member's score; is the member new?
    pub(super) fn insert(&mut self, member: Vec<u8>, score: f64) -> bool {
        let before = self.scores.insert(member.clone(), score);
        if let Some(before) = before {
            self.order.remove(&(Score(before), member.clone()));
        }
        self.order.insert((Score(score), member));
        before.is_none()
    }
    /// Takes a member out; was it there?
    pub(super) fn remove(&mut self, member: &[u8]) -> bool {
        match self.scores.remove(member) {
            Some(score) => self.order.remove(&(Score(score), member.to_vec())),
            None => false,
        }
    }
    /// A member's score.
    pub(super) fn score(&self, member: &[u8]) -> Option<f64> {
        self.scores.get(member).copied()
    }
    /// How many members.
    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }
    /// Members by score, then by name.
    pub(super) fn iter(&self) -> impl Iterator<Item = (f64, &Vec<u8>)> {
        self.order.iter().map(|(score, member)| (score.0, member))
    }
}

/// A score with a total order.
#[derive(Clone, Copy, Debug)]
struct Score(f64);

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Score {}
impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Score {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
