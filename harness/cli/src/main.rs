//! The command `onsale`: floods a flash sale, breaks it, and proves from the history that nothing was oversold.
//!
//! The only crate that prints, reads the environment and exits.

mod args;
mod commands;
mod output;
mod road;
mod runs;

use clap::Parser;
use onsale_report::exit::ExitCode;

fn main() -> std::process::ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let code = if error.use_stderr() { ExitCode::Usage } else { ExitCode::Pass };
            // A closed pipe behind `--help` is not our reader's problem.
            drop(error.print());
            return output::leave(code);
        }
    };
    output::start_logging(args.verbose);
    let code = match commands::dispatch(args) {
        Ok(code) => code,
        Err(failure) => failure.print(),
    };
    output::leave(code)
}
