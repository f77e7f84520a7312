//! Violations with their evidence, told and as data.

use super::FaultRow;
use crate::words;
use onsale_checker::{Anomaly, Facts, Verdict};
use onsale_history::{Class, Mark, MarkId, MarkKind, Nanos, OpId, notation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One violation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnomalyCard {
    /// The rule.
    pub rule: String,
    /// When it was first certain, in seconds.
    pub at_s: f64,
    /// What happened.
    pub sentence: String,
    /// Why that is a contradiction, step by step.
    pub argument: Vec<String>,
    /// By how much the instants contradict each other.
    pub margin_ms: Option<f64>,
    /// The least evidence, by start.
    pub operations: Vec<WitnessOperation>,
    /// What was marked beside them.
    pub marks: Vec<WitnessMark>,
    /// Why one precedes or contradicts another.
    pub edges: Vec<WitnessEdge>,
    /// Rules whose anomalies follow from this one.
    pub implies: Vec<String>,
    /// Faults in force while the evidence came about.
    pub faults: Vec<String>,
    /// `1.300 s after target-kill took effect`.
    pub after_fault: Option<String>,
}

/// One operation of the evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WitnessOperation {
    /// Its number in the history.
    pub id: String,
    /// Who asked.
    pub buyer: String,
    /// In one line: who asked for what, and what was answered.
    pub told: String,
    /// What was asked.
    pub kind: String,
    /// The class of the answer.
    pub class: String,
    /// Nanoseconds since the epoch.
    pub start_ns: u64,
    /// Nanoseconds since the epoch; nothing for an answer that never came.
    pub end_ns: Option<u64>,
    /// The record, in the notation of histories.
    pub record: String,
}

/// One mark of the evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WitnessMark {
    /// Its number in the history.
    pub id: String,
    /// Nanoseconds since the epoch.
    pub at_ns: u64,
    /// What it says.
    pub told: String,
}

/// A reason between two operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WitnessEdge {
    /// From.
    pub from: String,
    /// To.
    pub to: String,
    /// Why.
    pub reason: String,
}

pub(super) fn cards(facts: &Facts<'_>, verdict: &Verdict, faults: &[FaultRow]) -> Vec<AnomalyCard> {
    let mut anomalies: Vec<&Anomaly> =
        verdict.rules.iter().flat_map(|rule| &rule.anomalies).collect();
    // What others follow from says most; among equals the catalogue's order stays.
    anomalies.sort_by_key(|anomaly| anomaly.implies.is_empty());
    anomalies.into_iter().map(|anomaly| card(facts, anomaly, faults)).collect()
}

fn card(facts: &Facts<'_>, anomaly: &Anomaly, faults: &[FaultRow]) -> AnomalyCard {
    let witness = &anomaly.witness;
    let operations: Vec<WitnessOperation> = (witness.operations.iter())
        .filter(|id| id.index() < facts.history.operations.len())
        .map(|&id| operation(facts, id))
        .collect();
    let marks: Vec<WitnessMark> = witness.marks.iter().filter_map(|&id| mark(facts, id)).collect();
    let at_s = words::seconds(anomaly.at).unwrap_or_default();
    let from = operations
        .iter()
        .map(|op| op.start_ns)
        .chain(marks.iter().map(|mark| mark.at_ns))
        .min()
        .map_or(at_s, |ns| Nanos(ns).as_millis_f64() / 1e3);
    AnomalyCard {
        rule: anomaly.rule.clone(),
        at_s,
        sentence: anomaly.sentence.clone(),
        argument: anomaly.argument.clone(),
        margin_ms: anomaly.margin.map(Nanos::as_millis_f64),
        operations,
        marks,
        edges: (witness.edges.iter())
            .map(|edge| WitnessEdge {
                from: edge.from.to_string(),
                to: edge.to.to_string(),
                reason: edge.reason.clone(),
            })
            .collect(),
        implies: anomaly.implies.clone(),
        faults: (faults.iter())
            .filter(|fault| fault.band_s.is_some_and(|(begin, end)| begin <= at_s && end >= from))
            .map(|fault| fault.name.clone())
            .collect(),
        after_fault: after(faults, at_s),
    }
}

fn operation(facts: &Facts<'_>, id: OpId) -> WitnessOperation {
    let at = facts.at(id);
    let op = facts.op(at);
    WitnessOperation {
        id: id.to_string(),
        buyer: facts.buyer_name(op.call.buyer),
        told: facts.tell(at),
        kind: op.kind().word().to_owned(),
        class: match op.outcome().class() {
            Class::Ok => "ok".to_owned(),
            class => class.word().to_owned(),
        },
        start_ns: op.start.0,
        end_ns: (op.end != Nanos::NEVER).then_some(op.end.0),
        record: notation::line(facts.history, op, facts.names),
    }
}

fn mark(facts: &Facts<'_>, id: MarkId) -> Option<WitnessMark> {
    let mark = facts.history.marks.get(id.index())?;
    Some(WitnessMark { id: id.to_string(), at_ns: mark.at.0, told: tell(facts, mark) })
}

fn tell(facts: &Facts<'_>, mark: &Mark) -> String {
    let amount = |minor: u32| words::money(u64::from(minor), &facts.sale.currency);
    let note = |id| facts.names.name(id).map_or_else(String::new, |name| name.to_string());
    let charge_name =
        |id| facts.names.name(id).map_or_else(|| format!("{id}"), |name| name.to_string());
    match mark.kind {
        MarkKind::Phase(name) => format!("the phase {name} begins"),
        MarkKind::Note(text) => note(text),
        MarkKind::Fault { name, target, stage } => {
            let on = target.map(|target| format!(" on {}", note(target))).unwrap_or_default();
            format!("fault {}{on}: {stage}", note(name))
        }
        MarkKind::Charge { charge, order, hold, amount: minor, stage, .. } => {
            let order = order.map(|order| format!(" for order {}", facts.order_name(order)));
            let hold = hold.map(|hold| format!(" of hold {}", facts.hold_name(hold)));
            format!(
                "the provider says: {} of {} {stage}{}{}",
                charge_name(charge),
                amount(minor),
                order.unwrap_or_default(),
                hold.unwrap_or_default()
            )
        }
        MarkKind::Refund { charge, amount: minor, stage, .. } => {
            format!(
                "the provider says: refund of {} for {} {stage}",
                amount(minor),
                charge_name(charge)
            )
        }
        MarkKind::Delivery { charge, kind, label, stage, status, amount: minor, .. } => {
            let charge = charge.map(charge_name).unwrap_or_default();
            let status = if status > 0 { format!(" with {status}") } else { String::new() };
            format!("webhook ({label}) {kind} {charge} of {}: {stage}{status}", amount(minor))
        }
    }
}

/// The latest fault that had taken effect by then.
fn after(faults: &[FaultRow], at_s: f64) -> Option<String> {
    let before = faults.iter().filter_map(|fault| {
        let effective = fault.effective_s.filter(|effective| *effective <= at_s)?;
        Some((at_s - effective, fault))
    });
    let (since, fault) = before.min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(format!("{since:.3} s after {} took effect", fault.name))
}
