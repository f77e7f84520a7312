//! `onsale list`: what there is of a kind, a line each.

use crate::args::{Kind, List};
use crate::{output, runs};
use onsale_contract::problem::ErrorCode;
use onsale_report::exit::ExitCode;
use onsale_shop::defect::Defect;
use std::path::Path;

/// Prints the names and what each means in a line.
pub(crate) fn list(options: &List) -> ExitCode {
    let rows = rows(options.kind, &options.results);
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let text: String = rows
        .iter()
        .map(|(name, help)| format!("{name:width$}  {help}").trim_end().to_owned() + "\n")
        .collect();
    output::data(&text);
    ExitCode::Pass
}

fn rows(kind: Kind, results: &Path) -> Vec<(String, String)> {
    let row = |name: &str, help: &str| (name.to_owned(), first_line(help).to_owned());
    match kind {
        Kind::Rules => onsale_checker::RULES
            .iter()
            .map(|rule| row(rule.name(), &summary(rule.name())))
            .collect(),
        Kind::Faults => {
            onsale_chaos::FAULTS.iter().map(|fault| row(fault.name(), fault.help())).collect()
        }
        Kind::Personas => {
            onsale_load::PERSONAS.iter().map(|persona| row(persona.name, persona.help)).collect()
        }
        Kind::Defects => {
            Defect::ALL.iter().map(|defect| row(defect.word(), defect.help())).collect()
        }
        Kind::Errors => ErrorCode::ALL.iter().map(|code| row(code.word(), code.title())).collect(),
        Kind::Exits => {
            ExitCode::ALL.iter().map(|code| row(&code.number().to_string(), code.help())).collect()
        }
        Kind::Runs => runs::names(results).iter().map(|name| row(name, "")).collect(),
    }
}

/// The first line that says something.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("")
}

/// The first sentence of what a rule finds.
fn summary(rule: &str) -> String {
    let page = onsale_checker::docs(rule).unwrap_or_default();
    let text =
        page.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    text.take(1).collect()
}
