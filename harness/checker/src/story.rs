//! Tells an anomaly: a sentence, an argument, a margin, and the least evidence.

use crate::facts::{At, Facts};
use crate::{Anomaly, Edge, Witness};
use onsale_history::{MarkId, Nanos};

/// Operations and marks that a witness has, at most.
pub(crate) const WITNESS_SIZE: usize = 12;

/// An anomaly in the making.
#[derive(Clone, Debug)]
pub struct Story<'f, 'a> {
    facts: &'f Facts<'a>,
    operations: Vec<At>,
    anomaly: Anomaly,
}

impl<'f, 'a> Story<'f, 'a> {
    /// `rule` was certainly broken at `at`; `sentence` says how.
    pub fn new(facts: &'f Facts<'a>, rule: &str, at: Nanos, sentence: impl Into<String>) -> Self {
        let anomaly = Anomaly {
            rule: rule.to_owned(),
            at,
            sentence: sentence.into(),
            argument: vec![],
            margin: None,
            witness: Witness::default(),
            implies: vec![],
        };
        Self { facts, operations: vec![], anomaly }
    }
    /// One step of the argument.
    #[must_use]
    pub fn step(mut self, step: impl Into<String>) -> Self {
        self.anomaly.argument.push(step.into());
        self
    }
    /// One operation of the evidence.
    #[must_use]
    pub fn op(mut self, at: At) -> Self {
        if !self.operations.contains(&at) && self.operations.len() < WITNESS_SIZE {
            self.operations.push(at);
        }
        self
    }
    /// Several operations of the evidence.
    #[must_use]
    pub fn ops(self, all: impl IntoIterator<Item = At>) -> Self {
        all.into_iter().fold(self, Self::op)
    }
    /// One mark of the evidence.
    #[must_use]
    pub fn mark(mut self, mark: MarkId) -> Self {
        let marks = &mut self.anomaly.witness.marks;
        if !marks.contains(&mark) && marks.len() < WITNESS_SIZE {
            marks.push(mark);
        }
        self
    }
    /// By how much the instants contradict each other.
    #[must_use]
    pub fn margin(mut self, margin: Nanos) -> Self {
        self.anomaly.margin = Some(margin);
        self
    }
    /// Why one operation of the evidence precedes or contradicts another.
    #[must_use]
    pub fn edge(mut self, from: At, to: At, reason: impl Into<String>) -> Self {
        let edge =
            Edge { from: self.facts.op(from).id, to: self.facts.op(to).id, reason: reason.into() };
        self.anomaly.witness.edges.push(edge);
        self.op(from).op(to)
    }
    /// The anomaly, its evidence in order.
    #[must_use]
    pub fn end(mut self) -> Anomaly {
        self.operations.sort_unstable();
        self.anomaly.witness.operations =
            self.operations.iter().map(|&at| self.facts.op(at).id).collect();
        self.anomaly.witness.marks.sort_unstable();
        self.anomaly
    }
}
