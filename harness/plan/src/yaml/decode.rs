//! Feeds a type's `Deserialize` from a [`Tree`]; errors know their place and which node to take out.

use super::hint;
use super::tree::{Node, Place, Tree, Value};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use std::fmt;

/// A mistake that a type found.
#[derive(Debug)]
pub(super) struct Mistake {
    pub(super) message: String,
    pub(super) hint: Option<String>,
    /// Where; unknown until the error passes the node it is about.
    pub(super) place: Option<Place>,
    /// The node to take out.
    pub(super) remove: usize,
    /// A consequence of a mistake that was told already.
    pub(super) told: bool,
    missing: Option<&'static str>,
}

impl Mistake {
    fn new(message: String, hint: Option<String>) -> Self {
        Self { message, hint, place: None, remove: 0, told: false, missing: None }
    }
    fn within(mut self, decoder: Decoder<'_>) -> Self {
        if self.place.is_none() {
            self.place = Some(decoder.node.place);
            self.remove = decoder.node.id;
            self.told = self.missing.is_some_and(|key| decoder.lost(key));
        }
        self
    }
}

impl std::error::Error for Mistake {}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl de::Error for Mistake {
    /// What follows ` # ` in a message is its hint.
    fn custom<T: fmt::Display>(message: T) -> Self {
        let text = message.to_string();
        match text.split_once(" # ") {
            Some((message, hint)) => Self::new(message.to_owned(), Some(hint.to_owned())),
            None => Self::new(text, None),
        }
    }
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let hint = match (found, expected.to_string().as_str()) {
            (
                Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_),
                "a string",
            ) => Some("put it in quotes".to_owned()),
            (Unexpected::Str(text), "u8" | "u16" | "u32" | "u64" | "f64")
                if text.parse::<f64>().is_ok() =>
            {
                Some("write it without quotes".to_owned())
            }
            _ => None,
        };
        Self::new(
            format!("expected {}, found {}", plain(&expected.to_string()), shown(found)),
            hint,
        )
    }
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }
    fn unknown_field(field: &str, allowed: &'static [&'static str]) -> Self {
        Self::new(format!("unknown key `{field}`"), hint::suggestion(field, allowed))
    }
    fn unknown_variant(variant: &str, allowed: &'static [&'static str]) -> Self {
        Self::new(format!("unknown word `{variant}`"), hint::suggestion(variant, allowed))
    }
    fn missing_field(field: &'static str) -> Self {
        Self { missing: Some(field), ..Self::new(format!("`{field}` is missing here"), None) }
    }
    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("`{field}` is given twice"), None)
    }
}

fn plain(expected: &str) -> String {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more".to_owned(),
        "i32" | "i64" => "a whole number".to_owned(),
        "f64" | "f32" => "a number".to_owned(),
        "a string" | "string" | "str" => "text".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "`key: value` lines".to_owned(),
        other if other.starts_with("struct ") => "`key: value` lines".to_owned(),
        other if other.starts_with("a tuple of size ") => format!("a list of {}", &other[16..]),
        other => other.to_owned(),
    }
}

fn shown(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Str(text) => format!("`{text}`"),
        Unexpected::Unsigned(number) => format!("`{number}`"),
        Unexpected::Signed(number) => format!("`{number}`"),
        Unexpected::Float(number) => format!("`{number}`"),
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "`key: value` lines".to_owned(),
        Unexpected::Unit | Unexpected::Option => "nothing".to_owned(),
        other => other.to_string(),
    }
}

/// One node, ready to be read.
#[derive(Clone, Copy)]
pub(super) struct Decoder<'a> {
    pub(super) tree: &'a Tree,
    pub(super) node: &'a Node,
}

impl<'a> Decoder<'a> {
    fn lost(self, key: &str) -> bool {
        match &self.node.value {
            Value::Map(entries) => {
                entries.iter().any(|(at, node)| at.text == key && self.tree.is_removed(node))
            }
            _ => false,
        }
    }
    fn child(self, node: &'a Node) -> Self {
        Self { tree: self.tree, node }
    }
    fn read<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match &self.node.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Unsigned(value) => visitor.visit_u64(*value),
            Value::Signed(value) => visitor.visit_i64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Text(value) => visitor.visit_str(value),
            Value::List(items) => {
                let rest = self.tree.items(items).collect::<Vec<_>>().into_iter();
                visitor.visit_seq(Items { decoder: self, rest })
            }
            Value::Map(entries) => {
                let rest = self
                    .tree
                    .entries(entries)
                    .map(|(key, node)| (key, node))
                    .collect::<Vec<_>>()
                    .into_iter();
                visitor.visit_map(Entries { decoder: self, rest, next: None })
            }
        }
        .map_err(|error| error.within(self))
    }
}

impl<'de> Deserializer<'de> for Decoder<'_> {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.read(visitor)
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match self.node.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
        .map_err(|error| error.within(self))
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        visitor.visit_newtype_struct(self).map_err(|error| error.within(self))
    }
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let choice = match &self.node.value {
            Value::Text(word) => Ok((word.as_str(), self.node.place, None)),
            Value::Map(entries) => {
                let mut rest = self.tree.entries(entries);
                match (rest.next(), rest.next()) {
                    (Some((key, node)), None) => Ok((key.text.as_str(), key.place, Some(node))),
                    _ => Err("exactly one of these"),
                }
            }
            _ => Err("one of these words"),
        };
        let (word, place, content) = choice.map_err(|expected| {
            Mistake::new(format!("expected {expected}: `{}`", variants.join("`, `")), None)
                .within(self)
        })?;
        let mut result = visitor.visit_enum(Choice { decoder: self, word, place, content });
        if let Err(mistake) = &mut result {
            // Without its content the whole choice is void.
            mistake.place.get_or_insert(self.node.place);
            mistake.remove = self.node.id;
        }
        result
    }
    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'a> {
    decoder: Decoder<'a>,
    rest: std::vec::IntoIter<&'a Node>,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Mistake;
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mistake> {
        let Some(node) = self.rest.next() else { return Ok(None) };
        let child = self.decoder.child(node);
        seed.deserialize(child).map(Some).map_err(|error| error.within(child))
    }
}

struct Entries<'a> {
    decoder: Decoder<'a>,
    rest: std::vec::IntoIter<(&'a super::tree::Key, &'a Node)>,
    next: Option<&'a Node>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Mistake;
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mistake> {
        let Some((key, node)) = self.rest.next() else { return Ok(None) };
        self.next = Some(node);
        let text: de::value::StrDeserializer<'_, Mistake> = key.text.as_str().into_deserializer();
        seed.deserialize(text).map(Some).map_err(|mut mistake| {
            mistake.place = Some(key.place);
            mistake.remove = node.id;
            mistake
        })
    }
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Mistake> {
        let child = self.decoder.child(self.next.take().expect("a value follows its key"));
        seed.deserialize(child).map_err(|error| error.within(child))
    }
}

struct Choice<'a> {
    decoder: Decoder<'a>,
    word: &'a str,
    place: Place,
    content: Option<&'a Node>,
}

impl<'a, 'de> EnumAccess<'de> for Choice<'a> {
    type Error = Mistake;
    type Variant = Content<'a>;
    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Content<'a>), Mistake> {
        let word: de::value::StrDeserializer<'_, Mistake> = self.word.into_deserializer();
        let value = seed.deserialize(word).map_err(|mut mistake| {
            mistake.place = Some(self.place);
            mistake
        })?;
        Ok((
            value,
            Content { decoder: self.decoder, word: self.word.to_owned(), inside: self.content },
        ))
    }
}

struct Content<'a> {
    decoder: Decoder<'a>,
    word: String,
    inside: Option<&'a Node>,
}

impl<'a> Content<'a> {
    fn inner(&self) -> Result<Decoder<'a>, Mistake> {
        match self.inside {
            Some(node) => Ok(self.decoder.child(node)),
            None => Err(Mistake::new(
                format!("`{}` needs a value", self.word),
                Some(format!("write `{}: …`", self.word)),
            )),
        }
    }
}

impl<'de> VariantAccess<'de> for Content<'_> {
    type Error = Mistake;
    fn unit_variant(self) -> Result<(), Mistake> {
        match self.inside.map(|node| &node.value) {
            None | Some(Value::Null) => Ok(()),
            Some(_) => Err(Mistake::new(format!("`{}` takes no value", self.word), None)),
        }
    }
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Mistake> {
        let inner = self.inner()?;
        seed.deserialize(inner).map_err(|error| error.within(inner))
    }
    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Mistake> {
        self.inner()?.read(visitor)
    }
    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.inner()?.read(visitor)
    }
}
