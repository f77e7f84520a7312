//! [`Summary`]: its parts, and how they come together.

use super::{
    AnomalyCard, Banner, ErrorRow, Fact, FaultRow, Latency, Lateness, Money, Queue, RuleRow,
    StockSeries, Tile, Traffic, anomalies, errors, faults, rules, stock, tiles, validity,
};
use super::{banner, latency, leases, load, money, queue};
use crate::{ExitCode, RunFacts, Threshold, exit, words};
use onsale_checker::{Facts, Validity, Verdict};
use onsale_history::{History, MarkKind, Names};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of `report.json` that this harness writes; a reader refuses what it does not know.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that any report shows; `report.json` is exactly this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The version of this format.
    pub schema_version: u32,
    /// The answer, in a word and a sentence.
    pub banner: Banner,
    /// What the process exits with.
    pub exit_code: u8,
    /// The name of the exit code.
    pub exit_word: String,
    /// Which run.
    pub run: RunRow,
    /// When each phase began, by the history.
    pub timeline: Vec<TimelineMark>,
    /// The numbers that matter.
    pub tiles: Vec<Tile>,
    /// Was the run what it was meant to be?
    pub validity: Vec<Fact>,
    /// Why the run itself is not valid, whatever the rules say.
    pub problems: Vec<String>,
    /// Every rule, in the catalogue's order.
    pub rules: Vec<RuleRow>,
    /// The violations that are shown, causes only, at most ten a rule.
    pub anomalies: Vec<AnomalyCard>,
    /// Units out against units for sale, of the SKUs that matter.
    pub stock: Vec<StockSeries>,
    /// How late holds were seen to end.
    pub lateness: Lateness,
    /// Where the money went.
    pub money: Money,
    /// Who came, and who was let in; nothing without a waiting room.
    pub queue: Option<Queue>,
    /// Requests over time.
    pub load: Traffic,
    /// Latency over time and by step.
    pub latency: Latency,
    /// What did not succeed, by step and class.
    pub errors: Vec<ErrorRow>,
    /// What was broken on purpose.
    pub faults: Vec<FaultRow>,
    /// What the workload asks for beside the rules.
    pub thresholds: Vec<Threshold>,
    /// Shoppers of each persona.
    pub personas: Vec<Fact>,
    /// Machine, versions, and the facts of the sale.
    pub environment: Vec<Fact>,
}

/// Which run, and how to play it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRow {
    /// Its identifier.
    pub id: String,
    /// The workload's name.
    pub workload: String,
    /// What was driven, and where.
    pub target: String,
    /// The seed of every random choice.
    pub seed: u64,
    /// Version of the harness.
    pub harness: String,
    /// When it started, by the wall clock.
    pub started: String,
    /// How long it took.
    pub wall_seconds: f64,
    /// How long each phase took.
    pub phases: Vec<Fact>,
    /// Operations in the history.
    pub operations: u64,
    /// Operations whose outcome nobody knows, after resolution.
    pub unresolved: u64,
    /// Operations whose answer no rule of the mapping knew.
    pub unknown: u64,
    /// The history was sealed.
    pub sealed: bool,
    /// The signal that ended the run early.
    pub interrupted: Option<String>,
    /// The command line that plays it again.
    pub replay: String,
}

/// The beginning of a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimelineMark {
    /// The phase.
    pub name: String,
    /// When, in seconds.
    pub at_s: f64,
}

impl Summary {
    /// Computes everything from a history, what was said of it, and what the command knows.
    pub fn new(history: &History, names: &Names, verdict: &Verdict, run: &RunFacts) -> Self {
        let facts = Facts::new(history, names);
        let code = code(verdict, run);
        let faults = faults::faults(history, names, run);
        let anomalies = anomalies::cards(&facts, verdict, &faults);
        let latency = latency::latency(history);
        let money = money::money(&facts);
        let tiles = tiles::tiles(&facts, verdict, run, &latency);
        Self {
            schema_version: SCHEMA_VERSION,
            banner: banner::banner(code, verdict, run, &anomalies),
            exit_code: code.number(),
            exit_word: code.word().to_owned(),
            run: RunRow::new(verdict, run),
            timeline: timeline(history),
            tiles,
            validity: validity::validity(history, verdict, run),
            problems: problems(run),
            rules: rules::rules(verdict),
            stock: stock::stock(&facts, &anomalies),
            anomalies,
            lateness: leases::lateness(&facts),
            money,
            queue: queue::queue(history),
            load: load::traffic(history),
            latency,
            errors: errors::errors(history),
            faults,
            thresholds: run.thresholds.clone(),
            personas: (run.load.personas.iter())
                .map(|(name, shoppers)| Fact::of(name, words::count(*shoppers)))
                .collect(),
            environment: validity::environment(history, run),
        }
    }

    /// What the process exits with.
    pub fn exit(&self) -> ExitCode {
        ExitCode::from_number(self.exit_code).unwrap_or(ExitCode::Bug)
    }
}

impl RunRow {
    fn new(verdict: &Verdict, run: &RunFacts) -> Self {
        Self {
            id: run.run.clone(),
            workload: run.workload.clone(),
            target: run.target.clone(),
            seed: run.seed,
            harness: run.harness.clone(),
            started: words::utc(run.started_unix_ms),
            wall_seconds: words::rounded(run.wall_seconds()),
            phases: (run.phases.iter())
                .map(|(name, seconds)| Fact::of(name, words::duration(seconds * 1e3)))
                .collect(),
            operations: verdict.operations,
            unresolved: verdict.unresolved,
            unknown: verdict.unknown,
            sealed: verdict.sealed,
            interrupted: run.interrupted.clone(),
            replay: run.replay.clone(),
        }
    }
}

fn timeline(history: &History) -> Vec<TimelineMark> {
    let phases = history.marks.iter().filter_map(|mark| match mark.kind {
        MarkKind::Phase(name) => {
            Some(TimelineMark { name: name.word().to_owned(), at_s: words::seconds(mark.at)? })
        }
        _ => None,
    });
    phases.collect()
}

fn problems(run: &RunFacts) -> Vec<String> {
    let record = run.record_failure.iter().map(|why| format!("the record is not whole: {why}"));
    record.chain(run.problems.iter().cloned()).collect()
}

fn code(verdict: &Verdict, run: &RunFacts) -> ExitCode {
    let mut codes = vec![match verdict.validity {
        Validity::Proved | Validity::Held => ExitCode::Pass,
        Validity::NotExercised | Validity::Undecided => ExitCode::Undecided,
        Validity::Violated => ExitCode::Violated,
    }];
    if !run.problems.is_empty() || run.record_failure.is_some() {
        codes.push(ExitCode::Undecided);
    }
    if run.missed().next().is_some() {
        codes.push(ExitCode::Threshold);
    }
    if run.faults.iter().any(crate::FaultFacts::is_unhealed) {
        codes.push(ExitCode::Unhealed);
    }
    codes.extend(run.interrupted.as_ref().map(|signal| {
        if signal.to_ascii_uppercase().contains("TERM") {
            ExitCode::Terminated
        } else {
            ExitCode::Interrupted
        }
    }));
    exit::worst(codes)
}
