//! What the command knows of a run and a history does not say: `run.json`.

use onsale_history::Nanos;
use serde::{Deserialize, Serialize};

/// One run, as the command saw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFacts {
    /// Identifier of the run.
    pub run: String,
    /// Name of the workload.
    pub workload: String,
    /// What was driven, and where.
    pub target: String,
    /// The seed of every random choice.
    pub seed: u64,
    /// Version of the harness.
    pub harness: String,
    /// The command line that plays this run again.
    pub replay: String,
    /// Wall clock at the start, in milliseconds since 1970.
    pub started_unix_ms: u64,
    /// Wall seconds of each phase, in order.
    pub phases: Vec<(String, f64)>,
    /// Kernel, processors, memory, compiler, profile and the like, in order.
    pub environment: Vec<(String, String)>,
    /// Was the load what the workload asks for?
    pub load: LoadFacts,
    /// What the workload asks for beside the rules.
    pub thresholds: Vec<Threshold>,
    /// What was broken on purpose.
    pub faults: Vec<FaultFacts>,
    /// The signal that ended the run early: `SIGINT` or `SIGTERM`.
    pub interrupted: Option<String>,
    /// Why the record could not be written to its end.
    pub record_failure: Option<String>,
    /// Why the run itself is not valid, whatever the rules say.
    pub problems: Vec<String>,
}

/// The load that was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadFacts {
    /// Shoppers that were let in.
    pub shoppers: u64,
    /// Steps that were due.
    pub offered: u64,
    /// Requests that left.
    pub sent: u64,
    /// Requests that were answered, or whose waiting ended.
    pub completed: u64,
    /// `sent / offered`, 0 to 1.
    pub achieved_share: f64,
    /// How late requests left after they were due: the median.
    pub late_ms_p50: f64,
    /// … the 99th percentile.
    pub late_ms_p99: f64,
    /// … the latest.
    pub late_ms_max: f64,
    /// Steps that were due and never taken.
    pub backlog_left: u64,
    /// Processor time spent on proof of work.
    pub puzzle_cpu_seconds: f64,
    /// Puzzles solved.
    pub puzzles_solved: u64,
    /// Shoppers of each persona, in order.
    pub personas: Vec<(String, u64)>,
}

/// One threshold, and whether it was met.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Threshold {
    /// What is limited: `p99-ms`.
    pub name: String,
    /// The limit, with its comparison and unit: `< 250 ms`.
    pub limit: String,
    /// What was measured: `183 ms`.
    pub value: String,
    /// Is the value within the limit?
    pub met: bool,
}

/// One fault.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FaultFacts {
    /// Its name, and on what.
    pub name: String,
    /// How it went: `healed`, `unfelt`, `unhealed`, …
    pub outcome: String,
    /// When it was asked for.
    pub requested: Option<Nanos>,
    /// When it was felt.
    pub effective: Option<Nanos>,
    /// When it was over.
    pub healed: Option<Nanos>,
}

impl RunFacts {
    /// Wall seconds of all phases.
    pub fn wall_seconds(&self) -> f64 {
        self.phases.iter().map(|(_, seconds)| seconds).sum()
    }
    /// Thresholds that were missed.
    pub fn missed(&self) -> impl Iterator<Item = &Threshold> {
        self.thresholds.iter().filter(|threshold| !threshold.met)
    }
}

impl FaultFacts {
    /// Could it not be undone?
    pub fn is_unhealed(&self) -> bool {
        self.outcome == "unhealed"
    }
}
