//! Values of an answer, by compiled paths.

use crate::CompileError;
use crate::transport::Response;
use onsale_plan::Pick;
use regex::Regex;
use serde_json::Value;
use serde_json_path::JsonPath;
use std::borrow::Cow;

/// A JSONPath; the simple ones are walked.
#[derive(Clone, Debug)]
pub(crate) enum Path {
    /// `$.a.b[0]`.
    Walk(Vec<Step>),
    /// Anything else of RFC 9535.
    Full(Box<JsonPath>),
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

impl Path {
    pub(crate) fn compile(text: &str) -> Result<Self, CompileError> {
        if let Some(steps) = simple(text) {
            return Ok(Self::Walk(steps));
        }
        let path = JsonPath::parse(text)
            .map_err(|source| CompileError::Path { path: text.to_owned(), source })?;
        Ok(Self::Full(Box::new(path)))
    }
    /// The first thing that it finds.
    pub(crate) fn first<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Walk(steps) => steps.iter().try_fold(value, |value, step| match step {
                Step::Key(key) => value.get(key),
                Step::Index(index) => value.get(index),
            }),
            Self::Full(path) => path.query(value).first(),
        }
    }
    /// All that it finds; the items of a list, if that is the one thing it finds.
    pub(crate) fn all<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        let found: Vec<&Value> = match self {
            Self::Walk(_) => self.first(value).into_iter().collect(),
            Self::Full(path) => path.query(value).all(),
        };
        match found.as_slice() {
            [Value::Array(items)] => items.iter().collect(),
            _ => found,
        }
    }
}

/// The steps of `$.a.b[0]`, or nothing if the path is of another kind.
fn simple(text: &str) -> Option<Vec<Step>> {
    let mut rest = text.strip_prefix('$')?;
    let mut steps = vec![];
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let key = &after[..end];
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if key.is_empty() || !key.chars().all(plain) {
                return None;
            }
            steps.push(Step::Key(key.to_owned()));
            rest = &after[end..];
        } else {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Index(index.parse().ok()?));
            rest = after;
        }
    }
    Some(steps)
}

pub(crate) fn pattern(text: &str) -> Result<Regex, CompileError> {
    Regex::new(text).map_err(|source| CompileError::Pattern { pattern: text.to_owned(), source })
}

/// Where a value of an answer is.
#[derive(Clone, Debug)]
pub(crate) struct Picker {
    source: Source,
    times: Option<f64>,
}

#[derive(Clone, Debug)]
enum Source {
    Json(Path),
    Header(String),
    Cookie(String),
    Location(Regex),
    Text(Regex),
}

impl Picker {
    pub(crate) fn compile(pick: &Pick) -> Result<Self, CompileError> {
        let source = if let Some(path) = &pick.json {
            Source::Json(Path::compile(path)?)
        } else if let Some(name) = &pick.header {
            Source::Header(name.to_ascii_lowercase())
        } else if let Some(name) = &pick.cookie {
            Source::Cookie(name.clone())
        } else if let Some(text) = &pick.location {
            Source::Location(pattern(text)?)
        } else {
            Source::Text(pattern(pick.text.as_deref().unwrap_or("^$"))?)
        };
        Ok(Self { source, times: pick.times })
    }

    /// The value as text.
    pub(crate) fn text<'v>(
        &self,
        response: &'v Response,
        json: Option<&'v Value>,
    ) -> Option<Cow<'v, str>> {
        match &self.source {
            Source::Json(path) => match path.first(json?)? {
                Value::Null => None,
                Value::String(text) => Some(Cow::Borrowed(text.as_str())),
                other => Some(Cow::Owned(other.to_string())),
            },
            Source::Header(name) => response.header(name).map(Cow::Borrowed),
            Source::Cookie(name) => response
                .headers("set-cookie")
                .filter_map(|header| header.split(';').next()?.split_once('='))
                .find(|(key, _)| key.trim() == name)
                .map(|(_, value)| Cow::Borrowed(value)),
            Source::Location(pattern) => found(pattern, response.header("location")?),
            Source::Text(pattern) => match response.text() {
                Cow::Borrowed(text) => found(pattern, text),
                Cow::Owned(text) => found(pattern, &text).map(|text| Cow::Owned(text.into_owned())),
            },
        }
    }

    /// The value as a whole number.
    pub(crate) fn number(&self, response: &Response, json: Option<&Value>) -> Option<u32> {
        let number: f64 = self.text(response, json)?.trim().parse().ok()?;
        whole(number * self.times.unwrap_or(1.0))
    }
}

/// The nearest whole number of 0 or more.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in range")]
pub(crate) fn whole(number: f64) -> Option<u32> {
    let number = number.round();
    (0.0..=f64::from(u32::MAX)).contains(&number).then_some(number as u32)
}

fn found<'v>(pattern: &Regex, text: &'v str) -> Option<Cow<'v, str>> {
    let found = pattern.captures(text)?;
    Some(Cow::Borrowed(found.get(1).or_else(|| found.get(0))?.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn simple_paths_are_walked_and_others_are_searched() {
        let value =
            json!({"a": {"b": [1, {"c": "x"}]}, "errors": [{"code": "SOLD"}, {"code": "LATE"}]});
        for (path, walked, first) in [
            ("$.a.b[1].c", true, Some(json!("x"))),
            ("$.a.z", true, None),
            ("$", true, Some(value.clone())),
            ("$.errors[?@.code=='LATE'].code", false, Some(json!("LATE"))),
            ("$..c", false, Some(json!("x"))),
            ("$['a'].b[0]", false, Some(json!(1))),
        ] {
            let compiled = Path::compile(path).unwrap();
            assert_eq!(matches!(compiled, Path::Walk(_)), walked, "{path}");
            assert_eq!(compiled.first(&value), first.as_ref(), "{path}");
        }
        assert!(Path::compile("$.errors[?").is_err());
    }
}
