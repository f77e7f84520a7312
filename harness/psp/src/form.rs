//! Form-encoded parameters (`metadata[order_id]=o1&amount=100`), flat and sorted: what a fingerprint needs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The parameters of a call, by their bracketed names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form(BTreeMap<String, String>);

impl Form {
    /// Decodes `application/x-www-form-urlencoded`; `None` when it is not valid UTF-8.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        pairs
            .map(|pair| {
                let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                Some((decode(key)?, decode(value)?))
            })
            .collect::<Option<BTreeMap<_, _>>>()
            .map(Self)
    }
    /// Takes over what another form says.
    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }
    /// A parameter that is there and not empty.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }
    /// The entries of a map: `metadata[k]` gives `k`. An empty value means: remove.
    pub(crate) fn map<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.iter().filter_map(move |(key, value)| {
            let inner = key.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')?;
            Some((inner, value.as_str()))
        })
    }
    /// One line that is the same for the same parameters in any order.
    pub(crate) fn canonical(&self) -> String {
        self.0.iter().fold(String::new(), |mut line, (key, value)| {
            write!(line, "{}:{key}={}:{value}&", key.len(), value.len())
                .expect("strings take everything");
            line
        })
    }
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_decoded_and_compared_by_meaning() {
        let form =
            Form::parse("amount=100&metadata%5Border_id%5D=o%201&metadata[k]=&x=a+b").unwrap();
        assert_eq!(form.get("amount"), Some("100"));
        assert_eq!(form.get("x"), Some("a b"));
        assert_eq!(form.map("metadata").collect::<Vec<_>>(), [("k", ""), ("order_id", "o 1")]);
        let other = Form::parse("x=a%20b&metadata[k]&metadata[order_id]=o+1&amount=100").unwrap();
        assert_eq!(form.canonical(), other.canonical());
        assert_ne!(
            Form::parse("a=b%26c=d").unwrap().canonical(),
            Form::parse("a=b&c=d").unwrap().canonical()
        );
        assert_eq!(Form::parse("a=%zz"), None);
        assert_eq!(Form::parse("a=%ff"), None);
    }
}
