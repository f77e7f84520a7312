//! `onsale report`: renders a run's reports again.

use super::Ending;
use crate::args::RunName;
use crate::road::judge;
use crate::{output, runs};

/// Judges and writes every report.
pub(crate) fn report(name: &RunName) -> Ending {
    let folder = runs::find(name)?;
    let judged = judge::judge(&folder)?;
    let summary = judged.summary();
    judge::write(&folder, &judged, &summary)?;
    output::data(&format!("{}\n", folder.join("report.html").display()));
    Ok(summary.exit())
}
