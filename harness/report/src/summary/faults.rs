//! What was broken on purpose, and when.

use super::span;
use crate::{FaultFacts, RunFacts, words};
use onsale_history::{CallKind, FaultStage, History, Mark, MarkKind, Names, Nanos, NoteId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FaultRow {
    /// Its name, and on what.
    pub name: String,
    /// How it went.
    pub outcome: String,
    /// When it was asked for.
    pub requested_s: Option<f64>,
    /// When a probe felt it.
    pub effective_s: Option<f64>,
    /// When a probe said that it was over.
    pub healed_s: Option<f64>,
    /// From when it took effect until the next hold or checkout that was asked for after that succeeded.
    pub recovery_s: Option<f64>,
    /// The band of the charts: from, until.
    pub band_s: Option<(f64, f64)>,
}

/// The faults as the command tells them, or, if it tells none, as the history does.
pub(super) fn faults(history: &History, names: &Names, run: &RunFacts) -> Vec<FaultRow> {
    let told = if run.faults.is_empty() { from_marks(history, names) } else { run.faults.clone() };
    told.iter().map(|fault| row(history, fault)).collect()
}

fn row(history: &History, fault: &FaultFacts) -> FaultRow {
    let second = |at: Option<Nanos>| at.and_then(words::seconds);
    let from = fault.effective.or(fault.requested);
    let until = fault.healed.unwrap_or_else(|| span::end(history));
    FaultRow {
        name: fault.name.clone(),
        outcome: fault.outcome.clone(),
        requested_s: second(fault.requested),
        effective_s: second(fault.effective),
        healed_s: second(fault.healed),
        recovery_s: fault.effective.and_then(|at| recovery(history, at)),
        band_s: second(from).zip(second(Some(until.max(from.unwrap_or(Nanos::ZERO))))),
    }
}

fn recovery(history: &History, effective: Nanos) -> Option<f64> {
    let after = history.operations.partition_point(|op| op.start < effective);
    let succeeded = history.operations[after..].iter().filter(|op| {
        matches!(op.kind(), CallKind::Hold | CallKind::Checkout) && op.outcome().is_ok()
    });
    let back = succeeded.map(|op| op.end).min()?;
    words::seconds(back.minus(effective))
}

fn from_marks(history: &History, names: &Names) -> Vec<FaultFacts> {
    let mut all: Vec<(NoteId, Option<NoteId>, FaultFacts)> = vec![];
    for mark in &history.marks {
        let Mark { at, kind: MarkKind::Fault { name, target, stage } } = *mark else { continue };
        let open = all
            .iter()
            .rposition(|(of, on, fault)| (*of, *on) == (name, target) && fault.healed.is_none());
        let place = open.filter(|_| stage != FaultStage::Requested).unwrap_or_else(|| {
            let told = FaultFacts { name: told(names, name, target), ..FaultFacts::default() };
            all.push((name, target, told));
            all.len() - 1
        });
        let fault = &mut all[place].2;
        stage.word().clone_into(&mut fault.outcome);
        match stage {
            FaultStage::Requested => fault.requested = Some(at),
            FaultStage::Effective => fault.effective = Some(at),
            FaultStage::Healed => fault.healed = Some(at),
            FaultStage::Unfelt | FaultStage::Unhealed => {}
        }
    }
    all.into_iter().map(|(_, _, fault)| fault).collect()
}

fn told(names: &Names, name: NoteId, target: Option<NoteId>) -> String {
    let word = |id: NoteId| names.name(id).map_or_else(|| id.to_string(), |name| name.to_string());
    match target {
        Some(target) => format!("{} on {}", word(name), word(target)),
        None => word(name),
    }
}
