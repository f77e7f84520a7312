//! `onsale compare`: two runs side by side.

use super::Ending;
use crate::args::Compare;
use crate::road::judge;
use crate::{output, runs};
use onsale_report::exit::ExitCode;

/// Prints what differs.
pub(crate) fn compare(options: &Compare) -> Ending {
    let before = judge::judge(&runs::find_in(&options.results, &options.before)?)?.summary();
    let after = judge::judge(&runs::find_in(&options.results, &options.after)?)?.summary();
    output::data(&onsale_report::compare(&before, &after));
    Ok(ExitCode::Pass)
}
