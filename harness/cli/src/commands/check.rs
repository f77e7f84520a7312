//! `onsale check`: judges a recorded run again.

use super::Ending;
use crate::args::RunName;
use crate::road::judge;
use crate::{output, runs};
use anyhow::Context;

/// The same record gives the same verdict, byte for byte.
pub(crate) fn check(name: &RunName) -> Ending {
    let folder = runs::find(name)?;
    let judged = judge::judge(&folder)?;
    let path = folder.join("verdict.json");
    let verdict = onsale_report::verdict_json(&judged.verdict);
    if let Ok(before) = std::fs::read_to_string(&path)
        && before != verdict
    {
        output::tell(
            "warning: this version judges the run differently from the one that recorded it\n",
        );
    }
    std::fs::write(&path, verdict)
        .with_context(|| format!("failed to write `{}`", path.display()))?;
    let summary = judged.summary();
    output::data(&onsale_report::text(&summary));
    Ok(summary.exit())
}
