//! Words, where they stand, and what they can mean.

use super::units;
use crate::{
    BuyerId, ChargeId, DeliveryId, HoldId, InstrumentId, KeyId, Nanos, OpId, OrderId, ProcessId,
    RefundId,
};

/// A line that cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct NotationError {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What is wrong, and what could stand there.
    pub message: String,
}

pub(super) type Read<T> = Result<T, NotationError>;

/// One word and where it begins.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    line: usize,
    column: usize,
}

/// The words of a line that are still to be read.
pub(super) struct Words<'a> {
    all: Vec<Word<'a>>,
    next: usize,
    end: Word<'a>,
}

/// Words that are written with their number: `h7`.
pub(super) trait Numbered: Sized {
    fn numbered(index: usize) -> Self;
}
macro_rules! numbered {
    ($($id:ident)*) => {$(impl Numbered for $id { fn numbered(index: usize) -> Self { Self::from_index(index) } })*};
}
numbered!(OpId ProcessId BuyerId HoldId OrderId KeyId InstrumentId ChargeId RefundId DeliveryId);

/// Could it stand for itself, without quotes?
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.:+@/".contains(c))
}

/// Does it look like an identifier of a call's subject, or like a quantity?
pub(super) fn is_numbered(text: &str) -> bool {
    text.strip_prefix(['h', 'o', 'c', 'x'])
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

impl Word<'_> {
    /// A mistake in this word.
    pub(super) fn wrong(&self, message: impl Into<String>) -> NotationError {
        NotationError { line: self.line, column: self.column, message: message.into() }
    }
    pub(super) fn is_quoted(&self) -> bool {
        self.text.starts_with('"')
    }
    /// `key=value`
    pub(super) fn is_pair(&self) -> bool {
        !self.is_quoted() && self.text.contains('=')
    }
    /// The part from a byte on.
    fn from(self, at: usize) -> Self {
        let column = self.column + self.text[..at].chars().count();
        Self { text: &self.text[at..], column, ..self }
    }
    /// The words on both sides of the first `between`.
    pub(super) fn split(self, between: &str) -> Option<(Self, Self)> {
        let at = self.text.find(between)?;
        Some((Self { text: &self.text[..at], ..self }, self.from(at + between.len())))
    }
    /// The words between commas.
    pub(super) fn list(self) -> impl Iterator<Item = Self> {
        let mut rest = Some(self);
        std::iter::from_fn(move || {
            let word = rest?;
            let (first, after) = word.split(",").map_or((word, None), |(a, b)| (a, Some(b)));
            rest = after;
            Some(first)
        })
    }
    pub(super) fn without_comma(self) -> Self {
        Self { text: self.text.trim_end_matches(','), ..self }
    }
    /// A name: as it stands, or in the quotes of JSON.
    pub(super) fn name(self) -> Read<String> {
        if !self.is_quoted() {
            return Ok(self.text.to_owned());
        }
        serde_json::from_str(self.text)
            .map_err(|_| self.wrong("a name in quotes is written like a string of JSON"))
    }
    pub(super) fn number<T: std::str::FromStr>(self) -> Read<T> {
        self.text.parse().map_err(|_| self.wrong(format!("`{}` is not a number", self.text)))
    }
    pub(super) fn status(self) -> Read<u16> {
        self.text.parse().map_err(|_| self.wrong("expected an HTTP status"))
    }
    pub(super) fn time(self) -> Read<Nanos> {
        units::parse(self.text)
            .ok_or_else(|| self.wrong(format!("`{}` is not a time like `20ms`", self.text)))
    }
    /// An identifier with its number.
    pub(super) fn id<I: Numbered>(self, letter: &str) -> Read<I> {
        let number = self.text.strip_prefix(letter).and_then(|number| number.parse::<u32>().ok());
        number
            .filter(|number| *number < u32::MAX)
            .map(|number| I::numbered(number as usize))
            .ok_or_else(|| {
                self.wrong(format!("expected `{letter}` and a number, not `{}`", self.text))
            })
    }
    /// A word of a vocabulary.
    pub(super) fn one_of<T: Copy + std::fmt::Display>(
        self,
        read: impl Fn(&str) -> Option<T>,
        all: &[T],
        what: &str,
    ) -> Read<T> {
        read(self.text).ok_or_else(|| {
            let all: Vec<String> = all.iter().map(ToString::to_string).collect();
            self.wrong(format!("expected {what}: {}", all.join(", ")))
        })
    }
    /// A word that serde knows.
    pub(super) fn json<T: serde::de::DeserializeOwned>(self, what: &str) -> Read<T> {
        serde_json::from_value(self.text.into()).map_err(|_| self.wrong(format!("expected {what}")))
    }
    /// The word, without a prefix of one byte.
    pub(super) fn after(self, prefix: char) -> Option<Self> {
        self.text.starts_with(prefix).then(|| self.from(prefix.len_utf8()))
    }
}

impl<'a> Words<'a> {
    /// The words of one line; a comment is not among them.
    pub(super) fn of(content: &'a str, line: usize) -> Self {
        let mut words: Vec<Word<'a>> = vec![];
        let (mut begun, mut quoted, mut escaped) = (None, false, false);
        let mut end = content.len();
        let mut column = 0;
        for (at, c) in content.char_indices() {
            column += 1;
            let ends = !quoted && (c.is_whitespace() || c == '#');
            if ends && let Some((from, column)) = begun.take() {
                words.push(Word { text: &content[from..at], line, column });
            }
            if !quoted && c == '#' {
                end = at;
                break;
            }
            if !ends && begun.is_none() {
                begun = Some((at, column));
            }
            quoted ^= c == '"' && !escaped;
            escaped = quoted && c == '\\' && !escaped;
        }
        if let Some((from, column)) = begun {
            words.push(Word { text: &content[from..end], line, column });
        }
        let column = content[..end].trim_end().chars().count() + 1;
        Self { all: words, next: 0, end: Word { text: "", line, column } }
    }
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
    pub(super) fn peek(&self) -> Option<Word<'a>> {
        self.all.get(self.next).copied()
    }
    pub(super) fn take(&mut self) -> Option<Word<'a>> {
        let word = self.peek();
        self.next += usize::from(word.is_some());
        word
    }
    pub(super) fn word(&mut self, what: &str) -> Read<Word<'a>> {
        self.take().ok_or_else(|| self.end.wrong(format!("expected {what}")))
    }
    /// Nothing may follow.
    pub(super) fn done(&mut self) -> Read<()> {
        match self.take() {
            None => Ok(()),
            Some(word) => Err(word.wrong(format!("`{}` means nothing here", word.text))),
        }
    }
    pub(super) fn expect(&mut self, text: &str) -> Read<()> {
        let word = self.word(&format!("`{text}`"))?;
        if word.text == text { Ok(()) } else { Err(word.wrong(format!("expected `{text}`"))) }
    }
    pub(super) fn pair(&mut self) -> Read<(Word<'a>, Word<'a>)> {
        let word = self.word("key=value")?;
        word.split("=").ok_or_else(|| word.wrong("expected key=value"))
    }
    /// `x3`, or nothing for 1; a comma may follow.
    pub(super) fn quantity(&mut self) -> Read<u32> {
        match self.peek().and_then(|word| word.after('x')) {
            Some(number) if !number.text.is_empty() => {
                self.take();
                number.without_comma().number()
            }
            _ => Ok(1),
        }
    }
    /// The next word, from a vocabulary.
    pub(super) fn one_of<T: Copy + std::fmt::Display>(
        &mut self,
        read: impl Fn(&str) -> Option<T>,
        all: &[T],
        what: &str,
    ) -> Read<T> {
        self.word(what)?.without_comma().one_of(read, all, what)
    }
    /// All that is left, as one name.
    pub(super) fn rest(&mut self) -> Read<String> {
        let rest = &self.all[self.next..];
        self.next = self.all.len();
        match rest {
            [word] => word.name(),
            words => Ok(words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ")),
        }
    }
}
