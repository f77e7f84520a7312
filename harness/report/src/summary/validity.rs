//! Was the run what it was meant to be? And on what did it run?

use super::Tone;
use super::errors::is_abuse;
use crate::{RunFacts, words};
use onsale_checker::Verdict;
use onsale_history::{
    CallKind, Class, DeliveryLabel, DeliveryStage, History, Label, LateCapture, MarkKind,
    SoldOutPolicy,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A name and a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// What.
    pub name: String,
    /// How much, in words.
    pub value: String,
    /// Is it as it should be?
    pub tone: Tone,
}

impl Fact {
    pub(crate) fn of(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), tone: Tone::Neutral }
    }
    fn toned(mut self, wrong: bool) -> Self {
        self.tone = if wrong { Tone::Undecided } else { Tone::Held };
        self
    }
}

/// Below this the load was not what the workload asks for.
const ACHIEVED_SHARE_MIN: f64 = 0.98;
/// Later than this, the generator and not the target was slow.
const LATE_MS_P99_MAX: f64 = 100.0;

pub(super) fn validity(history: &History, verdict: &Verdict, run: &RunFacts) -> Vec<Fact> {
    let load = &run.load;
    let offered = format!(
        "{} sent of {} offered ({}), {} completed",
        words::count(load.sent),
        words::count(load.offered),
        words::share_percent(load.achieved_share),
        words::count(load.completed),
    );
    let late = format!(
        "p50 {}, p99 {}, max {}",
        words::duration(load.late_ms_p50),
        words::duration(load.late_ms_p99),
        words::duration(load.late_ms_max)
    );
    let left_open = format!(
        "{} of {} operations, after resolution",
        words::count(verdict.unresolved),
        words::count(verdict.operations)
    );
    let mut all = vec![
        Fact::of("record", if verdict.sealed { "whole and sealed" } else { "not sealed: partial" })
            .toned(!verdict.sealed || run.record_failure.is_some()),
        Fact::of("offered and achieved", offered)
            .toned(load.offered > 0 && load.achieved_share < ACHIEVED_SHARE_MIN),
        Fact::of("sent late", late).toned(load.late_ms_p99 > LATE_MS_P99_MAX),
        Fact::of("steps never taken", words::count(load.backlog_left)).toned(load.backlog_left > 0),
        Fact::of("outcome unknown to everybody", left_open),
        Fact::of("answers the mapping does not know", words::count(verdict.unknown))
            .toned(verdict.unknown > 0),
        Fact::of("clock error between any two stamps", history.header.sale.clock_error.to_string()),
        Fact::of(
            "proof of work",
            format!(
                "{} puzzles, {:.1} s of processor time",
                words::count(load.puzzles_solved),
                load.puzzle_cpu_seconds
            ),
        ),
    ];
    all.push(Fact::of("what was raced", raced(history)));
    all
}

/// What the run dared: without attacks, restarts and refusals a pass says little.
fn raced(history: &History) -> String {
    let labelled =
        |label: Label| history.operations.iter().filter(|op| op.call.label == label).count() as u64;
    let holds = history.operations.iter().filter(|op| op.kind() == CallKind::Hold);
    let refused = holds.filter(|op| op.outcome().class() == Class::SoldOut).count() as u64;
    let attacks = history.operations.iter().filter(|op| is_abuse(op.call.label)).count() as u64;
    let bent = history.marks.iter().filter(|mark| match mark.kind {
        MarkKind::Delivery { label, stage, .. } => {
            stage == DeliveryStage::Dropped
                || (stage == DeliveryStage::Sent && label != DeliveryLabel::Genuine)
        }
        _ => false,
    });
    format!(
        "{} sold-out refusals, {} attacks, {} replays of a key, {} chases of an expiring unit, {} webhooks bent or dropped",
        words::count(refused),
        words::count(attacks),
        words::count(labelled(Label::Replay)),
        words::count(labelled(Label::Chase)),
        words::count(bent.count() as u64),
    )
}

pub(super) fn environment(history: &History, run: &RunFacts) -> Vec<Fact> {
    let mut all: Vec<Fact> =
        run.environment.iter().map(|(name, value)| Fact::of(name, value)).collect();
    let sale = &history.header.sale;
    let units: u64 = sale.skus.iter().map(|sku| u64::from(sku.capacity)).sum();
    let sold_out = match sale.sold_out {
        SoldOutPolicy::Exact => "exact".to_owned(),
        SoldOutPolicy::ShardLocal => "shard by shard".to_owned(),
        SoldOutPolicy::Stale(age) => format!("up to {age} old"),
    };
    let late = match sale.late_capture {
        LateCapture::Refund => "goes back",
        LateCapture::Rehold => "buys again if there is stock",
    };
    let limit = |limit: Option<u32>| limit.map_or("none".to_owned(), |units| units.to_string());
    all.extend([
        Fact::of("sale", format!("{} units in {} SKUs", words::count(units), sale.skus.len())),
        Fact::of("hold", format!("{} to live, {} grace", sale.ttl, sale.grace)),
        Fact::of("limit per account", limit(sale.account_limit)),
        Fact::of("limit per card", limit(sale.instrument_limit)),
        Fact::of("a sold-out answer is", sold_out),
        Fact::of("late money", late),
    ]);
    if let Some(queue) = sale.queue {
        let room = format!("{:?}, {} a second, {} at once", queue.method, queue.rate, queue.burst);
        all.push(Fact::of("waiting room", room.to_lowercase()));
    }
    all
}
