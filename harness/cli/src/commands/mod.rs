//! The verbs, one file each.

mod check;
mod compare;
mod explain;
mod heal;
mod history;
mod inspect;
mod list;
mod probe;
mod psp;
mod report;
mod run;
mod target;

use crate::args::{Args, Verb};
use crate::output::Failure;
use onsale_report::exit::ExitCode;

pub(crate) use target::defects;

/// What every verb comes back with.
pub(crate) type Ending = Result<ExitCode, Failure>;

/// Does what was asked for.
pub(crate) fn dispatch(args: Args) -> Ending {
    match args.verb {
        Verb::Run(options) => run::run(&options),
        Verb::Check(name) => check::check(&name),
        Verb::Report(name) => report::report(&name),
        Verb::History(options) => history::history(&options),
        Verb::Compare(options) => compare::compare(&options),
        Verb::Target(options) => target::target(options),
        Verb::Psp(options) => psp::psp(options),
        Verb::Explain(options) => explain::explain(&options),
        Verb::List(options) => Ok(list::list(&options)),
        Verb::Inspect(options) => inspect::inspect(&options),
        Verb::Probe(options) => probe::probe(&options),
        Verb::Heal(name) => heal::heal(&name),
    }
}
