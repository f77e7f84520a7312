//! Tasks for developers: `cargo xtask <task>`. CI knows nothing that cannot be typed here.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command that is never shipped")]

mod ci;
mod generate;
mod shell;
mod tasks;
mod test;
mod tidy;
mod tree;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let task = match words.as_slice() {
        [name] => tasks::by_name(name),
        _ => None,
    };
    let Some(task) = task else {
        eprint!("{}", tasks::usage());
        return ExitCode::from(2);
    };
    match (task.run)() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
