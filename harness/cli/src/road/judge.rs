//! From a recorded run to its verdict and its reports.

use super::phases::{Played, chain};
use super::stage::Stage;
use crate::output::Failure;
use anyhow::Context;
use onsale_checker::Verdict;
use onsale_history::{Damage, History, Names};
use onsale_plan::Expect;
use onsale_report::exit::ExitCode;
use onsale_report::{FaultFacts, LoadFacts, RunFacts, Summary, Threshold};
use std::path::Path;

/// A p99 of lateness above this makes a run's latencies doubtful.
const LATE_MS_MAX: f64 = 25.0;

/// A run, read back and judged.
pub(crate) struct Judged {
    pub(crate) history: History,
    pub(crate) names: Names,
    pub(crate) verdict: Verdict,
    pub(crate) facts: RunFacts,
}

/// Reads a run's record and judges it.
pub(crate) fn judge(folder: &Path) -> Result<Judged, Failure> {
    let (history, names, _) =
        onsale_history::open(&folder.join("history")).map_err(|damage| damaged(folder, damage))?;
    let path = folder.join("run.json");
    let text =
        std::fs::read(&path).with_context(|| format!("failed to read `{}`", path.display()))?;
    let facts = serde_json::from_slice(&text)
        .with_context(|| format!("failed to understand `{}`", path.display()))
        .map_err(|error| Failure::new(ExitCode::Damaged, error))?;
    let verdict = onsale_checker::check(&history, &names);
    Ok(Judged { history, names, verdict, facts })
}

/// A record that cannot be trusted.
pub(crate) fn damaged(folder: &Path, damage: Damage) -> Failure {
    let error = anyhow::Error::from(damage)
        .context(format!("failed to read the record of `{}`", folder.display()));
    Failure::new(ExitCode::Damaged, error)
        .hint("a damaged record proves nothing; run the workload again with its seed")
}

impl Judged {
    /// What the reports show.
    pub(crate) fn summary(&self) -> Summary {
        Summary::new(&self.history, &self.names, &self.verdict, &self.facts)
    }
}

/// Writes the verdict and every report.
pub(crate) fn write(folder: &Path, judged: &Judged, summary: &Summary) -> Result<(), Failure> {
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("failed to write `{}`", path.display()))
    };
    write("verdict.json", onsale_report::verdict_json(&judged.verdict))?;
    write("report.json", onsale_report::json(summary))?;
    write("report.html", onsale_report::html(summary))?;
    write("junit.xml", onsale_report::junit(summary))?;
    Ok(write("summary.md", onsale_report::markdown(summary))?)
}

/// Writes down what was run and how it went, before anything is judged.
pub(crate) fn write_facts(
    stage: &Stage,
    played: &Played,
    interrupted: Option<ExitCode>,
) -> Result<(), Failure> {
    let facts = facts(stage, played, interrupted);
    let json = serde_json::to_string_pretty(&facts)
        .context("failed to write the facts of the run as JSON")?;
    let path = stage.folder.join("run.json");
    Ok(std::fs::write(&path, json)
        .with_context(|| format!("failed to write `{}`", path.display()))?)
}

fn facts(stage: &Stage, played: &Played, interrupted: Option<ExitCode>) -> RunFacts {
    let mut problems = played.problems.clone();
    let late = played.stats.late.quantile_ms(0.99);
    if late > LATE_MS_MAX {
        problems.push(format!("the generator was late: p99 {late:.1} ms after the due time, more than {LATE_MS_MAX} ms"));
    }
    if played.stats.backlog > 0 {
        problems.push(format!(
            "{} steps were due and never left: the load ran into its limit",
            played.stats.backlog
        ));
    }
    if played.unresolved > 0 {
        problems.push(format!("{} operations could not be resolved", played.unresolved));
    }
    RunFacts {
        run: stage.run.clone(),
        workload: stage.plans.workload.name.clone(),
        target: stage.target_name.clone(),
        seed: stage.plans.seed,
        harness: env!("CARGO_PKG_VERSION").to_owned(),
        replay: replay(stage.plans.seed),
        started_unix_ms: stage.epoch.unix_ns / 1_000_000,
        phases: played.phases.clone(),
        environment: environment(),
        load: load(stage, played),
        thresholds: thresholds(&stage.plans.workload.expect, played),
        faults: played.faults.steps.iter().map(fault).collect(),
        interrupted: interrupted.map(|code| code.word().to_owned()),
        record_failure: played.record_failure.clone(),
        problems,
    }
}

fn load(stage: &Stage, played: &Played) -> LoadFacts {
    let stats = &played.stats;
    LoadFacts {
        shoppers: u64::from(stage.plans.workload.load.shoppers),
        offered: stats.late.len() + stats.backlog,
        sent: stats.late.len(),
        completed: stats.response.len(),
        achieved_share: stats.achieved(),
        late_ms_p50: stats.late.quantile_ms(0.5),
        late_ms_p99: stats.late.quantile_ms(0.99),
        late_ms_max: stats.late.max_ms(),
        backlog_left: stats.backlog,
        puzzle_cpu_seconds: stats.puzzle_cpu.as_secs_f64(),
        puzzles_solved: stats.puzzles,
        personas: stats.personas.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect(),
    }
}

fn fault(step: &onsale_chaos::StepReport) -> FaultFacts {
    use onsale_chaos::Outcome;
    let outcome = match &step.outcome {
        Outcome::Felt => "felt".to_owned(),
        Outcome::Unfelt => "unfelt".to_owned(),
        Outcome::Unhealed => "unhealed".to_owned(),
        Outcome::NeverFired => "never fired".to_owned(),
        Outcome::Failed(error) => format!("failed: {}", chain(error)),
    };
    let (requested, effective, healed) = (step.requested, step.effective, step.healed);
    FaultFacts { name: step.fault.clone(), outcome, requested, effective, healed }
}

fn thresholds(expect: &Expect, played: &Played) -> Vec<Threshold> {
    let mut all = vec![];
    if let Some(limit) = expect.p99 {
        let value = played.stats.response.quantile_ms(0.99);
        let limit_ms = limit.as_secs_f64() * 1e3;
        let met = value <= limit_ms;
        all.push(Threshold {
            name: "p99".into(),
            limit: format!("{limit_ms} ms"),
            value: format!("{value:.1} ms"),
            met,
        });
    }
    if let Some(limit) = expect.achieved {
        let value = played.stats.achieved();
        let shown = |share: f64| format!("{:.2} %", share * 100.0);
        all.push(Threshold {
            name: "achieved".into(),
            limit: shown(limit),
            value: shown(value),
            met: value >= limit,
        });
    }
    all
}

/// The command line, with the seed that makes it the same run.
fn replay(seed: u64) -> String {
    let mut words: Vec<String> = std::env::args().collect();
    words[0] = "onsale".into();
    if !words.iter().any(|word| word == "--seed" || word.starts_with("--seed=")) {
        words.extend(["--seed".into(), seed.to_string()]);
    }
    words.join(" ")
}

fn environment() -> Vec<(String, String)> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("");
    let memory = read("/proc/meminfo");
    let total = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")).unwrap_or("");
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    vec![
        ("kernel".into(), read("/proc/sys/kernel/osrelease").trim().to_owned()),
        ("processor".into(), model.trim_start_matches([' ', '\t', ':']).to_owned()),
        ("cores".into(), cores.to_string()),
        ("memory".into(), total.trim().to_owned()),
        ("build".into(), if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned()),
        ("harness".into(), env!("CARGO_PKG_VERSION").to_owned()),
    ]
}
