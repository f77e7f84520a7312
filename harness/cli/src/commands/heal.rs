//! `onsale heal`: undoes what a crashed run left behind.

use super::Ending;
use crate::args::RunName;
use crate::output::{self, Failure};
use crate::{road, runs};
use onsale_report::exit::ExitCode;

/// Replays the run's journal of faults.
pub(crate) fn heal(name: &RunName) -> Ending {
    let folder = runs::find(name)?;
    let healed = onsale_chaos::heal(&road::journal(&folder))
        .map_err(|error| Failure::new(ExitCode::Unhealed, error))?;
    let lines: Vec<String> =
        healed.iter().map(|healed| format!("{}: {}\n", healed.fault, healed.done)).collect();
    let text = if lines.is_empty() { "nothing was left to undo\n".into() } else { lines.concat() };
    output::data(&text);
    Ok(ExitCode::Pass)
}
