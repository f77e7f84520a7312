//! `onsale explain`: the help page of anything that has a name.

use super::Ending;
use crate::args::Explain;
use crate::output::{self, Failure};
use anyhow::anyhow;
use onsale_contract::problem::ErrorCode;
use onsale_report::exit::ExitCode;
use onsale_shop::defect::Defect;

/// Prints the page.
pub(crate) fn explain(options: &Explain) -> Ending {
    let words: Vec<&str> = options.name.iter().map(String::as_str).collect();
    let pages = match words.as_slice() {
        ["exit", number] => exit(number).into_iter().collect(),
        [name] => pages(name),
        _ => vec![],
    };
    if pages.is_empty() {
        let name = words.join(" ");
        return Err(Failure::usage(anyhow!("there is nothing called `{name}`")).hint(hint(&name)));
    }
    output::data(&pages.join("\n"));
    Ok(ExitCode::Pass)
}

/// A name may be of two kinds (`double-reclaim` is a rule and a defect): both pages are shown.
fn pages(name: &str) -> Vec<String> {
    let page = |kind: &str, help: &str| format!("{name} ({kind})\n\n{}\n", help.trim());
    let rule = onsale_checker::docs(name);
    let fault = onsale_chaos::by_name(name);
    let persona = onsale_load::PERSONAS.iter().find(|persona| persona.name == name);
    let error = ErrorCode::ALL.iter().find(|code| code.word() == name);
    [
        rule.map(|docs| page("rule", &docs)),
        Defect::from_word(name).map(|defect| page("defect of the reference shop", defect.help())),
        fault.map(|fault| page("fault", fault.help())),
        persona.map(|persona| page("persona", persona.help)),
        error.map(|code| page("error of the contract", &error_help(*code))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn error_help(code: ErrorCode) -> String {
    let definite = if code.is_definite() {
        "The request certainly did nothing."
    } else {
        "Nobody knows whether the request did something; ask again with the same key."
    };
    format!("{}.\nHTTP status {}. {definite}", code.title(), code.status())
}

fn exit(number: &str) -> Option<String> {
    let code = ExitCode::ALL.iter().find(|code| code.number().to_string() == number)?;
    Some(format!("exit {number}\n\n{}\n", code.help().trim()))
}

/// Names that share a word or their beginning with what was asked for.
fn hint(name: &str) -> String {
    if name.starts_with("exit ") {
        return "see what there is: onsale list exits".into();
    }
    let all = onsale_checker::RULES
        .iter()
        .map(|rule| rule.name())
        .chain(Defect::ALL.iter().map(|defect| defect.word()))
        .chain(onsale_load::PERSONAS.iter().map(|persona| persona.name))
        .chain(onsale_chaos::FAULTS.iter().map(|fault| fault.name()))
        .chain(ErrorCode::ALL.iter().map(|code| code.word()));
    let part = name.split('-').max_by_key(|part| part.len()).unwrap_or(name);
    let begins = |known: &str| name.get(..4).is_some_and(|beginning| known.starts_with(beginning));
    let has = |known: &str| !part.is_empty() && known.contains(part);
    let near: Vec<&str> = all.filter(|known| has(known) || begins(known)).take(5).collect();
    if near.is_empty() {
        "see what there is: onsale list rules".into()
    } else {
        format!("did you mean {}?", near.join(", "))
    }
}
