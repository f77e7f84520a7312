//! Mistakes, and how they are shown.

use super::tree::Place;
use std::fmt;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
    width: usize,
}

/// All mistakes of a file, in the order of their lines. Displayed with the lines they are on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    /// The file, as it was named.
    pub file: String,
    /// The mistakes; at least one.
    pub all: Vec<Diagnostic>,
    text: String,
}

impl std::error::Error for Diagnostics {}

impl Diagnostic {
    pub(crate) fn new(place: Place, message: impl Into<String>, hint: Option<String>) -> Self {
        Self {
            line: place.line,
            column: place.column,
            width: place.width,
            message: message.into(),
            hint,
        }
    }
}

impl Diagnostics {
    pub(crate) fn new(file: &str, text: &str, mut all: Vec<Diagnostic>) -> Self {
        all.sort_by_key(|one| (one.line, one.column));
        all.dedup();
        Self { file: file.to_owned(), all, text: text.to_owned() }
    }

    fn show(&self, one: &Diagnostic, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = one.line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(f, "error: {}", one.message)?;
        writeln!(f, "{margin}--> {}:{}:{}", self.file, one.line, one.column)?;
        if let Some(line) = self.text.lines().nth(one.line - 1) {
            let room = line.chars().count().saturating_sub(one.column - 1).max(1);
            let (before, under) = (" ".repeat(one.column - 1), "^".repeat(one.width.min(room)));
            writeln!(f, "{margin} |\n{number} | {line}\n{margin} | {before}{under}")?;
        }
        match &one.hint {
            Some(hint) => writeln!(f, "{margin} = hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for one in &self.all {
            self.show(one, f)?;
            writeln!(f)?;
        }
        match self.all.len() {
            1 => write!(f, "1 mistake in {}", self.file),
            count => write!(f, "{count} mistakes in {}", self.file),
        }
    }
}
