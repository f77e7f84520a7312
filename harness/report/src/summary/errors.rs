//! What did not succeed, by step and class.

use onsale_history::{Class, History, Label, Outcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One kind of answer to one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorRow {
    /// The kind of call.
    pub step: String,
    /// The class of the answer.
    pub class: String,
    /// `refused`: it certainly did nothing; `unknown`: nobody knows.
    pub meaning: String,
    /// How many.
    pub count: u64,
    /// How many of them were answers to labelled attacks and abuses, which are meant to be refused.
    pub labelled: u64,
}

pub(super) fn errors(history: &History) -> Vec<ErrorRow> {
    let mut all: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    for op in history.operations.iter().filter(|op| !op.outcome().is_ok()) {
        let unknown = matches!(op.outcome(), Outcome::Indeterminate(_));
        let entry = all.entry((op.kind(), op.outcome().class(), unknown)).or_default();
        entry.0 += 1;
        entry.1 += u64::from(is_abuse(op.call.label));
    }
    all.into_iter()
        .map(|((step, class, unknown), (count, labelled)): ((_, Class, _), _)| ErrorRow {
            step: step.word().to_owned(),
            class: class.word().to_owned(),
            meaning: if unknown { "unknown" } else { "refused" }.to_owned(),
            count,
            labelled,
        })
        .collect()
}

/// Is it asked for in the hope of a refusal?
pub(super) const fn is_abuse(label: Label) -> bool {
    match label {
        Label::OtherBody
        | Label::ForgedToken
        | Label::ExpiredToken
        | Label::ReplayedToken
        | Label::NoToken
        | Label::NoPuzzle
        | Label::ForgedPuzzle
        | Label::ReusedPuzzle
        | Label::Early
        | Label::BadQuantity
        | Label::AfterCancel
        | Label::AfterExpiry
        | Label::OverLimit => true,
        Label::Ordinary
        | Label::Resolve
        | Label::Replay
        | Label::DrainFirst
        | Label::DrainSecond
        | Label::Chase
        | Label::Final => false,
    }
}
