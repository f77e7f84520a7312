//! Reads what a person wrote, with the names that this version knows.

use crate::output::Failure;
use anyhow::{Context, anyhow};
use onsale_plan::{ChaosPlan, Known, Step, Target, Workload};
use std::path::{Path, PathBuf};

/// Names that plans may use.
pub(crate) struct Names {
    personas: Vec<&'static str>,
    faults: Vec<&'static str>,
    rules: Vec<&'static str>,
}

impl Names {
    /// Everything that this version knows.
    pub(crate) fn all() -> Self {
        Self {
            personas: onsale_load::PERSONAS.iter().map(|persona| persona.name).collect(),
            faults: onsale_chaos::FAULTS.iter().map(|fault| fault.name()).collect(),
            rules: onsale_checker::RULES.iter().map(|rule| rule.name()).collect(),
        }
    }
    /// As the readers of plans want it.
    pub(crate) fn known(&self) -> Known<'_> {
        Known { personas: &self.personas, faults: &self.faults, rules: &self.rules }
    }
    /// The rules, in the catalogue's order.
    pub(crate) fn rules(&self) -> &[&'static str] {
        &self.rules
    }
}

/// A file as text.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .with_context(|| format!("failed to read `{}`", path.display()))
        .map_err(|error| {
            Failure::usage(error).hint("start in the repository's root, or give a full path")
        })
}

/// A workload.
pub(crate) fn workload(path: &Path) -> Result<Workload, Failure> {
    Workload::parse(path, &text(path)?, &Names::all().known()).map_err(|found| mistakes(&found))
}

/// The steps of a chaos plan.
pub(crate) fn chaos(path: &Path) -> Result<Vec<Step>, Failure> {
    if path == Path::new("none") {
        return Ok(vec![]);
    }
    Ok(chaos_plan(path)?.steps)
}

/// A chaos plan.
pub(crate) fn chaos_plan(path: &Path) -> Result<ChaosPlan, Failure> {
    ChaosPlan::parse(path, &text(path)?, &Names::all().known()).map_err(|found| mistakes(&found))
}

/// A mapping.
pub(crate) fn target(path: &Path) -> Result<Target, Failure> {
    Target::parse(path, &text(path)?).map_err(|found| mistakes(&found))
}

/// Where a workload's mapping lies: beside the workload, or where the command was started.
pub(crate) fn mapping_path(workload: &Workload, path: &Path) -> PathBuf {
    let beside = path.parent().unwrap_or(Path::new("")).join(&workload.target);
    if beside.is_file() { beside } else { Path::new("workloads").join(&workload.target) }
}

fn mistakes(mistakes: &onsale_plan::Diagnostics) -> Failure {
    Failure::usage(anyhow!("{mistakes}"))
        .hint("onsale inspect FILE shows a plan with its defaults filled in")
}
