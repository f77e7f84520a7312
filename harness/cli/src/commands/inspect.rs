//! `onsale inspect`: plans with their defaults filled in.

use super::Ending;
use crate::args::Inspect;
use crate::output::{self, Failure};
use crate::road::plan;
use onsale_report::exit::ExitCode;
use std::path::Path;

/// Prints every file, or all mistakes of all files.
pub(crate) fn inspect(options: &Inspect) -> Ending {
    let mut failed: Option<Failure> = None;
    for file in &options.files {
        match filled_in(file) {
            Ok(text) => output::data(&format!("# {}\n{text}", file.display())),
            Err(failure) => {
                if let Some(earlier) = failed.replace(failure) {
                    earlier.print();
                }
            }
        }
    }
    failed.map_or(Ok(ExitCode::Pass), Err)
}

/// The keys at the top tell a workload, a chaos plan and a mapping apart.
fn filled_in(file: &Path) -> Result<String, Failure> {
    let text = plan::text(file)?;
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    Ok(if has("operations:") {
        onsale_plan::inspect(&plan::target(file)?)
    } else if has("steps:") {
        onsale_plan::inspect(&plan::chaos_plan(file)?)
    } else {
        onsale_plan::inspect(&plan::workload(file)?)
    })
}
