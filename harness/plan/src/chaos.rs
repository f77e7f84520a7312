//! A chaos plan: what is broken, when, for how long.

use crate::known::Known;
use crate::workload::{Step, check_steps};
use crate::yaml::{self, Diagnostics};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A validated chaos plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ChaosPlan {
    /// Its name: the file name without `.yaml`.
    #[serde(skip)]
    pub name: String,
    /// For people.
    #[serde(default)]
    pub description: String,
    /// What is broken, in any order; steps may overlap.
    pub steps: Vec<Step>,
}

impl ChaosPlan {
    /// Reads a plan: all mistakes at once, each with its place. `known` are the names that may be used.
    pub fn parse(file: &Path, text: &str, known: &Known<'_>) -> Result<Self, Diagnostics> {
        let (mut plan, mut check) = yaml::read::<Self>(&file.display().to_string(), text)?;
        plan.name =
            file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        if plan.steps.is_empty() {
            check.wrong(&["steps"], "a chaos plan without steps breaks nothing", None);
        }
        check_steps("steps", &plan.steps, known, &mut check);
        check.finish(plan)
    }
}
