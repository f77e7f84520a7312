//! Text with slots, compiled: constants are text by now, what varies is a [`Slot`].

use crate::slot::{Scene, Slot};
use crate::{CompileError, RunContext};
use serde_json::Value;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encode {
    /// As it is, without line breaks: headers.
    Header,
    /// Percent-encoded, between what the mapping wrote as a URL.
    Url,
    /// Percent-encoded altogether: a value of a query string or a form.
    Form,
    /// Inside a JSON string.
    JsonText,
    /// A JSON value of its own.
    Json,
}

/// A part of a request.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// Always the same.
    Text(Vec<u8>),
    /// A value.
    Slot(Slot, Encode),
    /// Left out when any of its `?` slots has no value.
    Optional(Vec<Slot>, Vec<Piece>),
    /// One a line of the cart.
    Each(Vec<Piece>),
    /// A comma, unless a list or an object just began.
    Comma,
}

/// Names and constants while compiling.
pub(crate) struct Names<'a> {
    pub(crate) context: &'a RunContext,
    pub(crate) captured: &'a [String],
    /// Where the text stands, for errors.
    pub(crate) place: &'a str,
    /// The item of an unrolled `$each`.
    pub(crate) item: Option<&'a Value>,
}

enum Meaning {
    Constant(Value),
    Varies(Slot),
}

impl Names<'_> {
    fn meaning(&self, name: &str) -> Option<Meaning> {
        let context = self.context;
        let text = |text: &str| Some(Meaning::Constant(Value::from(text)));
        if let Some(rest) = name.strip_prefix("item.")
            && let Some(item) = self.item
        {
            return dig(item, rest).map(Meaning::Constant);
        }
        match name {
            "run.id" => text(&context.run),
            "event" => text(&context.event),
            "target.url" => text(&context.target_url),
            "psp.url" => text(&context.psp_url),
            _ => {
                if let Some(secret) = name.strip_prefix("secret.") {
                    return context.secrets.get(secret).and_then(text);
                }
                if let Some(path) = name.strip_prefix("sale.") {
                    return dig(&context.sale, path).map(Meaning::Constant);
                }
                if let Some(index) = self.captured.iter().position(|captured| captured == name)
                    && name != "token"
                {
                    return Some(Meaning::Varies(Slot::Captured(index)));
                }
                Slot::named(name).map(Meaning::Varies)
            }
        }
    }

    fn unknown(&self, text: &str, name: &str) -> CompileError {
        CompileError::UnknownName {
            text: text.to_owned(),
            place: self.place.to_owned(),
            name: name.to_owned(),
        }
    }

    fn wrong(&self, text: &str, reason: &'static str) -> CompileError {
        CompileError::Template { text: text.to_owned(), place: self.place.to_owned(), reason }
    }

    /// Compiles text. With `?` slots in it, the whole of it is optional.
    pub(crate) fn text(&self, text: &str, encode: Encode) -> Result<Vec<Piece>, CompileError> {
        let (pieces, optional) = self.parts(text, encode)?;
        Ok(if optional.is_empty() { pieces } else { vec![Piece::Optional(optional, pieces)] })
    }

    fn parts(&self, text: &str, encode: Encode) -> Result<(Vec<Piece>, Vec<Slot>), CompileError> {
        let (mut pieces, mut optional, mut rest) = (vec![], vec![], text);
        let mut literal = vec![];
        while let Some((before, after)) = rest.split_once("{{") {
            let (inner, behind) =
                after.split_once("}}").ok_or_else(|| self.wrong(text, "a slot is not closed"))?;
            write_literal(before, encode, &mut literal);
            rest = behind;
            let (name, filter) =
                inner.split_once('|').map_or((inner, None), |(name, filter)| (name, Some(filter)));
            let (name, may_lack) = match name.trim().strip_suffix('?') {
                Some(name) => (name, true),
                None => (name.trim(), false),
            };
            let encode = match filter.map(str::trim) {
                None => encode,
                Some("int" | "json") => Encode::Json,
                Some(_) => return Err(self.wrong(text, "the only filters are `int` and `json`")),
            };
            match self.meaning(name).ok_or_else(|| self.unknown(text, name))? {
                Meaning::Constant(value) => write_constant(&value, encode, &mut literal),
                Meaning::Varies(slot) => {
                    if may_lack {
                        optional.push(slot);
                    }
                    pieces.push(Piece::Text(std::mem::take(&mut literal)));
                    pieces.push(Piece::Slot(slot, encode));
                }
            }
        }
        write_literal(rest, encode, &mut literal);
        pieces.push(Piece::Text(literal));
        pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
        Ok((pieces, optional))
    }

    /// Compiles a JSON body.
    pub(crate) fn json(&self, value: &Value) -> Result<Vec<Piece>, CompileError> {
        match value {
            Value::Object(members) if members.contains_key("$each") => self.each(members),
            Value::Object(members) if members.contains_key("$if") => {
                let name = members["$if"].as_str().unwrap_or_default();
                match self.meaning(name) {
                    Some(Meaning::Constant(Value::Null)) | None => {
                        Ok(vec![Piece::Text(b"null".to_vec())])
                    }
                    Some(_) => self.json(members.get("then").unwrap_or(&Value::Null)),
                }
            }
            Value::Object(members) => {
                let mut pieces = vec![Piece::Text(b"{".to_vec())];
                for (key, value) in members {
                    pieces.extend(self.member(key, value)?);
                }
                pieces.push(Piece::Text(b"}".to_vec()));
                Ok(pieces)
            }
            Value::Array(items) => {
                let mut pieces = vec![Piece::Text(b"[".to_vec())];
                for item in items {
                    pieces.push(Piece::Comma);
                    pieces.extend(self.json(item)?);
                }
                pieces.push(Piece::Text(b"]".to_vec()));
                Ok(pieces)
            }
            Value::String(text) => Ok(self.json_text(text)?.0),
            other => Ok(vec![Piece::Text(other.to_string().into_bytes())]),
        }
    }

    fn member(&self, key: &str, value: &Value) -> Result<Vec<Piece>, CompileError> {
        let (value, optional) = match value {
            Value::String(text) => self.json_text(text)?,
            other => (self.json(other)?, vec![]),
        };
        let key = format!("{}:", Value::from(key)).into_bytes();
        let member: Vec<_> = [Piece::Comma, Piece::Text(key)].into_iter().chain(value).collect();
        Ok(if optional.is_empty() { member } else { vec![Piece::Optional(optional, member)] })
    }

    /// A text is a JSON string, unless it is one slot with a filter.
    fn json_text(&self, text: &str) -> Result<(Vec<Piece>, Vec<Slot>), CompileError> {
        let alone = text.starts_with("{{")
            && text.find("}}") == Some(text.len().wrapping_sub(2))
            && text.contains('|');
        if alone {
            return self.parts(text, Encode::Json);
        }
        let (mut pieces, optional) = self.parts(text, Encode::JsonText)?;
        pieces.insert(0, Piece::Text(b"\"".to_vec()));
        pieces.push(Piece::Text(b"\"".to_vec()));
        Ok((pieces, optional))
    }

    fn each(&self, members: &serde_json::Map<String, Value>) -> Result<Vec<Piece>, CompileError> {
        let name = members["$each"].as_str().unwrap_or_default();
        let form = members.get("as").ok_or_else(|| self.wrong(name, "`$each` needs `as`"))?;
        let mut pieces = vec![Piece::Text(b"[".to_vec())];
        if name == "items" {
            let mut one = vec![Piece::Comma];
            one.extend(self.json(form)?);
            pieces.push(Piece::Each(one));
        } else {
            let Some(Meaning::Constant(Value::Array(items))) = self.meaning(name) else {
                return Err(self.unknown("$each", name));
            };
            for item in &items {
                pieces.push(Piece::Comma);
                pieces.extend(Names { item: Some(item), ..*self }.json(form)?);
            }
        }
        pieces.push(Piece::Text(b"]".to_vec()));
        Ok(pieces)
    }
}

fn dig(value: &Value, path: &str) -> Option<Value> {
    path.split('.').try_fold(value, |value, step| value.get(step)).cloned()
}

fn write_literal(text: &str, encode: Encode, out: &mut Vec<u8>) {
    match encode {
        // What the author of a mapping wrote into a URL is meant as it is.
        Encode::Header | Encode::Url | Encode::Json => out.extend_from_slice(text.as_bytes()),
        Encode::JsonText | Encode::Form => encode_value(text, encode, out),
    }
}

fn write_constant(value: &Value, encode: Encode, out: &mut Vec<u8>) {
    match (value, encode) {
        (value, Encode::Json) => out.extend_from_slice(value.to_string().as_bytes()),
        // Addresses are constants, and not to be encoded.
        (Value::String(text), Encode::Url) if text.starts_with("http") => {
            out.extend_from_slice(text.as_bytes());
        }
        (Value::String(text), encode) => encode_value(text, encode, out),
        (value, encode) => encode_value(&value.to_string(), encode, out),
    }
}

/// Writes a value so that it stays one value.
pub(crate) fn encode_value(text: &str, encode: Encode, out: &mut Vec<u8>) {
    match encode {
        Encode::Header => out.extend(text.bytes().filter(|byte| !byte.is_ascii_control())),
        Encode::Url | Encode::Form => {
            for byte in text.bytes() {
                if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    out.push(byte);
                } else {
                    const HEX: &[u8; 16] = b"0123456789ABCDEF";
                    out.extend([b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
                }
            }
        }
        Encode::JsonText => {
            let quoted = Value::from(text).to_string();
            out.extend_from_slice(&quoted.as_bytes()[1..quoted.len() - 1]);
        }
        Encode::Json => out.extend_from_slice(text.as_bytes()),
    }
}

/// Writes the pieces with the values of a scene.
pub(crate) fn render(pieces: &[Piece], scene: &Scene<'_>, out: &mut Vec<u8>) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Slot(slot, encode) => match scene.value(*slot) {
                Some(value) => encode_value(&value, *encode, out),
                None if *encode == Encode::Json => out.extend_from_slice(b"null"),
                None => {}
            },
            Piece::Optional(slots, inner) => {
                if slots.iter().all(|slot| scene.value(*slot).is_some()) {
                    render(inner, scene, out);
                }
            }
            Piece::Each(inner) => {
                for line in 0..scene.call.items.len() {
                    render(inner, &Scene { line, ..*scene }, out);
                }
            }
            Piece::Comma => {
                if !matches!(out.last(), Some(b'{' | b'[')) {
                    out.push(b',');
                }
            }
        }
    }
}

/// Text whose slots are all known before the run.
pub(crate) fn constant(names: &Names<'_>, text: &str) -> Result<Vec<u8>, CompileError> {
    match names.text(text, Encode::Header)?.as_slice() {
        [] => Ok(vec![]),
        [Piece::Text(text)] => Ok(text.clone()),
        _ => Err(names.wrong(text, "it may only name what is known before the run")),
    }
}
