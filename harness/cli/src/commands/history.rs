//! `onsale history`: looks into a run's record.

use super::Ending;
use crate::args::{Export, History};
use crate::road::judge::damaged;
use crate::{output, runs};
use anyhow::Context;
use onsale_history::{export, notation};
use onsale_report::exit::ExitCode;
use std::io::{BufWriter, ErrorKind, Write};

/// Prints the record, in our notation or another tool's form, or says whether it is sound.
pub(crate) fn history(options: &History) -> Ending {
    let folder = runs::find(&options.name)?;
    let (history, names, health) =
        onsale_history::open(&folder.join("history")).map_err(|damage| damaged(&folder, damage))?;
    if options.verify {
        let state =
            if health.sealed { "sealed and sound" } else { "not sealed; a readable prefix" };
        output::data(&format!(
            "{state}: {} records, {} operations ({} open), {} marks\n",
            health.records,
            history.operations.len(),
            health.open,
            history.marks.len()
        ));
        return Ok(ExitCode::Pass);
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    let written = match options.export {
        Some(Export::Jsonl) => export::jsonl(&history, &names, &mut out),
        Some(Export::Edn) => export::edn(&history, &names, &mut out),
        None => out.write_all(notation::print(&history, &names).as_bytes()),
    };
    match written.and_then(|()| out.flush()) {
        // A reader that has seen enough is no failure.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::Pass),
        other => Ok(other.context("failed to print the history").map(|()| ExitCode::Pass)?),
    }
}
