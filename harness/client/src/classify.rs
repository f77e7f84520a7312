//! What an answer means: ordered rules, the first that fits decides; none is `Unknown`.

use crate::CompileError;
use crate::pick::{Path, Picker, pattern};
use crate::transport::Response;
use onsale_history::Class;
use onsale_plan::{ClassWord, Condition, Predicate, Rule, Statuses};
use regex::Regex;
use serde_json::Value;
use std::collections::HashMap;

/// Compiled rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classifier(Vec<Test>);

#[derive(Clone, Debug)]
enum Test {
    When(Requirement, Class),
    By(Picker, HashMap<String, Class>),
}

/// What must hold of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Requirement {
    statuses: Vec<(u16, u16)>,
    json: Vec<Claim>,
    headers: Vec<(String, Regex)>,
    contains: Option<String>,
    matches: Option<Regex>,
}

#[derive(Clone, Debug)]
struct Claim {
    path: Path,
    one_of: Vec<Value>,
    matches: Option<Regex>,
    exists: bool,
}

/// The class that a word of a mapping means.
pub(crate) fn class(word: ClassWord) -> Class {
    Class::from_word(word.word()).expect("mapping and history spell classes alike")
}

impl Classifier {
    pub(crate) fn compile<'r>(rules: impl Iterator<Item = &'r Rule>) -> Result<Self, CompileError> {
        let mut tests = vec![];
        for rule in rules {
            if let (Some(when), Some(is)) = (&rule.when, rule.is) {
                tests.push(Test::When(Requirement::compile(when)?, class(is)));
            } else if let Some(by) = &rule.by {
                let cases =
                    rule.cases.iter().map(|(value, word)| (value.clone(), class(*word))).collect();
                tests.push(Test::By(Picker::compile(by)?, cases));
            }
        }
        Ok(Self(tests))
    }

    pub(crate) fn class(&self, response: &Response, json: Option<&Value>) -> Class {
        let meaning = |test: &Test| match test {
            Test::When(requirement, class) => requirement.holds(response, json).then_some(*class),
            Test::By(picker, cases) => {
                picker.text(response, json).and_then(|value| cases.get(&*value).copied())
            }
        };
        self.0.iter().find_map(meaning).unwrap_or(Class::Unknown)
    }
}

impl Requirement {
    pub(crate) fn compile(condition: &Condition) -> Result<Self, CompileError> {
        let mut statuses = vec![];
        if let Some(status) = &condition.status {
            ranges(status, &mut statuses);
        }
        Ok(Self {
            statuses,
            json: condition.json.iter().map(Claim::compile).collect::<Result<_, _>>()?,
            headers: condition
                .headers
                .iter()
                .map(|(name, text)| Ok((name.to_ascii_lowercase(), pattern(text)?)))
                .collect::<Result<_, CompileError>>()?,
            contains: condition.contains.clone(),
            matches: condition.matches.as_deref().map(pattern).transpose()?,
        })
    }

    pub(crate) fn holds(&self, response: &Response, json: Option<&Value>) -> bool {
        let status = response.status;
        (self.statuses.is_empty()
            || self.statuses.iter().any(|(from, to)| (*from..=*to).contains(&status)))
            && self.json.iter().all(|claim| claim.holds(json))
            && self.headers.iter().all(|(name, pattern)| {
                response.header(name).is_some_and(|value| pattern.is_match(value))
            })
            && self.contains.as_ref().is_none_or(|text| response.text().contains(text.as_str()))
            && self.matches.as_ref().is_none_or(|pattern| pattern.is_match(&response.text()))
    }
}

fn ranges(statuses: &Statuses, out: &mut Vec<(u16, u16)>) {
    match statuses {
        Statuses::Code(code) => out.push((*code, *code)),
        Statuses::Family(text) => {
            let hundred = u16::from(text.as_bytes()[0] - b'0') * 100;
            out.push((hundred, hundred + 99));
        }
        Statuses::Any(many) => many.iter().for_each(|one| ranges(one, out)),
    }
}

impl Claim {
    fn compile(predicate: &Predicate) -> Result<Self, CompileError> {
        Ok(Self {
            path: Path::compile(&predicate.path)?,
            one_of: predicate.equals.iter().chain(&predicate.one_of).cloned().collect(),
            matches: predicate.matches.as_deref().map(pattern).transpose()?,
            exists: predicate.exists.unwrap_or(true),
        })
    }

    fn holds(&self, json: Option<&Value>) -> bool {
        match json.and_then(|json| self.path.first(json)) {
            None => !self.exists,
            Some(found) => {
                self.exists
                    && (self.one_of.is_empty() || self.one_of.contains(found))
                    && self.matches.as_ref().is_none_or(|pattern| match found {
                        Value::String(text) => pattern.is_match(text),
                        other => pattern.is_match(&other.to_string()),
                    })
            }
        }
    }
}
