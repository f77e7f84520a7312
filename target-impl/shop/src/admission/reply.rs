//! What a store answers.

/// A value on its way between the store, a script and its caller; Redis' RESP2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Nothing.
    Nil,
    /// An integer.
    Integer(i64),
    /// Bytes.
    Bulk(Vec<u8>),
    /// A status such as `OK`.
    Status(String),
    /// An error.
    Error(String),
    /// Several.
    Array(Vec<Reply>),
}

impl Reply {
    /// Bytes of a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Bulk(text.into().into_bytes())
    }
    /// As an integer, if it is one.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(*value),
            Self::Bulk(bytes) => std::str::from_utf8(bytes).ok()?.parse().ok(),
            _ => None,
        }
    }
    /// As a text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Bulk(bytes) => std::str::from_utf8(bytes).ok(),
            Self::Status(text) => Some(text),
            _ => None,
        }
    }
}
