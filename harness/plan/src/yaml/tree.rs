//! A YAML document as nodes with places.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::Spanned;
use std::fmt;

/// Where something stands in the text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Characters to underline, within the line.
    pub(crate) width: usize,
}

/// A node, with the number by which it can be taken out.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) id: usize,
    pub(crate) place: Place,
    pub(crate) value: Value,
}

/// A key of a mapping.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) text: String,
    pub(crate) place: Place,
}

/// What a node is.
#[derive(Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// A document, and which of its nodes were taken out.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) root: Node,
    removed: Vec<bool>,
}

/// The text is not YAML.
pub(crate) struct Malformed {
    pub(crate) message: String,
    pub(crate) place: Place,
}

impl Tree {
    pub(crate) fn parse(text: &str) -> Result<Self, Malformed> {
        let options = serde_yaml::options! {
            with_snippet: false,
            duplicate_keys: serde_yaml::DuplicateKeyPolicy::PassThrough,
        };
        let raw: Spanned<Raw> =
            serde_yaml::from_str_with_options(text, options).map_err(|error| {
                let place = error.location().map_or(START, |at| place_of(at, 1));
                let message = error.to_string();
                let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
                Malformed { message, place }
            })?;
        let mut count = 0;
        let root = number(raw, &mut count);
        Ok(Self { root, removed: vec![false; count] })
    }

    pub(crate) fn remove(&mut self, id: usize) {
        self.removed[id] = true;
    }

    pub(crate) fn is_removed(&self, node: &Node) -> bool {
        self.removed[node.id]
    }

    /// Is this node, or one inside it, taken out?
    pub(crate) fn is_damaged(&self, node: &Node) -> bool {
        self.is_removed(node)
            || match &node.value {
                Value::List(items) => items.iter().any(|item| self.is_damaged(item)),
                Value::Map(entries) => entries.iter().any(|(_, value)| self.is_damaged(value)),
                _ => false,
            }
    }

    /// The entries that were not taken out.
    pub(crate) fn entries<'a>(
        &'a self,
        entries: &'a [(Key, Node)],
    ) -> impl Iterator<Item = &'a (Key, Node)> {
        entries.iter().filter(|(_, value)| !self.is_removed(value))
    }

    /// The items that were not taken out.
    pub(crate) fn items<'a>(&'a self, items: &'a [Node]) -> impl Iterator<Item = &'a Node> {
        items.iter().filter(|item| !self.is_removed(item))
    }
}

const START: Place = Place { line: 1, column: 1, width: 1 };

fn place_of(at: serde_yaml::Location, width: usize) -> Place {
    let whole = |number: u64| usize::try_from(number).unwrap_or(1).max(1);
    Place { line: whole(at.line()), column: whole(at.column()), width }
}

fn number(raw: Spanned<Raw>, count: &mut usize) -> Node {
    let id = *count;
    *count += 1;
    let long = usize::try_from(raw.referenced.span().len()).unwrap_or(1).max(1);
    let width = if matches!(raw.value, Raw::List(_) | Raw::Map(_)) { 1 } else { long };
    let value = match raw.value {
        Raw::Null => Value::Null,
        Raw::Bool(value) => Value::Bool(value),
        Raw::Unsigned(value) => Value::Unsigned(value),
        Raw::Signed(value) => Value::Signed(value),
        Raw::Float(value) => Value::Float(value),
        Raw::Text(value) => Value::Text(value),
        Raw::List(items) => {
            Value::List(items.into_iter().map(|item| number(item, count)).collect())
        }
        Raw::Map(entries) => Value::Map(
            entries
                .into_iter()
                .map(|(key, value)| {
                    let place = place_of(key.referenced, key.value.chars().count().max(1));
                    (Key { text: key.value, place }, number(value, count))
                })
                .collect(),
        ),
    };
    Node { id, place: place_of(raw.referenced, width), value }
}

enum Raw {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("YAML")
    }
    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }
    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(self)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Unsigned(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(u64::try_from(value).map_or(Raw::Signed(value), Raw::Unsigned))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Float(value))
    }
    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut items = vec![];
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = vec![];
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}
