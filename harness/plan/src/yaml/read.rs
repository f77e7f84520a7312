//! Reads a file, then lets checks say what types cannot.

use super::decode::Decoder;
use super::diagnostic::{Diagnostic, Diagnostics};
use super::hint;
use super::tree::{Node, Place, Tree, Value};
use serde::de::DeserializeOwned;

/// More mistakes than this are not worth reading.
const MISTAKES_MAX: usize = 100;

/// Collects what checks find wrong with a file that was read.
#[derive(Debug)]
pub(crate) struct Check {
    file: String,
    text: String,
    tree: Tree,
    found: Vec<Diagnostic>,
}

/// Reads `text` as a `T`; what could not be read is replaced by a default and noted in the [`Check`].
pub(crate) fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<(T, Check), Diagnostics> {
    let mut tree = Tree::parse(text).map_err(|malformed| {
        Diagnostics::new(
            file,
            text,
            vec![Diagnostic::new(malformed.place, malformed.message, None)],
        )
    })?;
    let mut found = vec![];
    for (place, id, message) in twice(&tree.root) {
        found.push(Diagnostic::new(place, message, None));
        tree.remove(id);
    }
    while found.len() < MISTAKES_MAX {
        let mistake = match T::deserialize(Decoder { tree: &tree, node: &tree.root }) {
            Ok(value) => {
                return Ok((
                    value,
                    Check { file: file.to_owned(), text: text.to_owned(), tree, found },
                ));
            }
            Err(mistake) => mistake,
        };
        if !mistake.told {
            found.push(Diagnostic::new(
                mistake.place.unwrap_or(tree.root.place),
                mistake.message,
                mistake.hint,
            ));
        }
        if mistake.remove == tree.root.id {
            break;
        }
        tree.remove(mistake.remove);
    }
    Err(Diagnostics::new(file, text, found))
}

/// Keys that are given twice in one mapping: the later ones.
fn twice(node: &Node) -> Vec<(Place, usize, String)> {
    match &node.value {
        Value::List(items) => items.iter().flat_map(twice).collect(),
        Value::Map(entries) => {
            let mut all: Vec<_> = entries.iter().flat_map(|(_, value)| twice(value)).collect();
            for (index, (key, value)) in entries.iter().enumerate() {
                if let Some((first, _)) =
                    entries[..index].iter().find(|(other, _)| other.text == key.text)
                {
                    let message = format!(
                        "`{}` is given twice: first on line {}",
                        key.text, first.place.line
                    );
                    all.push((key.place, value.id, message));
                }
            }
            all
        }
        _ => vec![],
    }
}

impl Check {
    /// Notes `message` at the first of `paths` (`sale.skus.0.stock`), unless what stands at one of them was not read:
    /// then it would only repeat that.
    pub(crate) fn wrong(&mut self, paths: &[&str], message: impl Into<String>, hint: Option<&str>) {
        if paths.iter().any(|path| self.is_damaged(path)) {
            return;
        }
        let place = self.place(paths[0]);
        self.found.push(Diagnostic::new(place, message, hint.map(str::to_owned)));
    }

    /// Notes a name written at `path` that is not among `allowed`.
    pub(crate) fn name(&mut self, path: &str, what: &str, name: &str, allowed: &[&str]) {
        // What the file does not say is a default, and its names are ours.
        if !allowed.contains(&name) && self.walk(path).1.is_some() {
            let hint = hint::suggestion(name, allowed);
            let place = self.key_or_value(path, name);
            self.found.push(Diagnostic::new(place, format!("there is no {what} `{name}`"), hint));
        }
    }

    /// `value`, if nothing is wrong with the file.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.found.is_empty() {
            Ok(value)
        } else {
            Err(Diagnostics::new(&self.file, &self.text, self.found))
        }
    }

    /// The place of the node at a path; if it is not written, of what it would be in.
    fn place(&self, path: &str) -> Place {
        self.walk(path).0
    }

    fn key_or_value(&self, path: &str, name: &str) -> Place {
        let (place, node) = self.walk(path);
        match node.map(|node| &node.value) {
            Some(Value::Map(entries)) => {
                entries.iter().find(|(key, _)| key.text == name).map_or(place, |(key, _)| key.place)
            }
            _ => place,
        }
    }

    fn is_damaged(&self, path: &str) -> bool {
        let mut node = &self.tree.root;
        for step in path.split('.').filter(|step| !step.is_empty()) {
            // A path that ends early is a default: damaged only if its key was taken out.
            match self.step(node, step) {
                Some((_, next)) => node = next,
                None => {
                    return match &node.value {
                        Value::Map(entries) => entries
                            .iter()
                            .any(|(key, value)| key.text == step && self.tree.is_removed(value)),
                        _ => false,
                    };
                }
            }
        }
        self.tree.is_damaged(node)
    }

    fn walk(&self, path: &str) -> (Place, Option<&Node>) {
        let mut node = &self.tree.root;
        let mut place = node.place;
        for step in path.split('.').filter(|step| !step.is_empty()) {
            let Some((key, next)) = self.step(node, step) else { return (place, None) };
            // A block below a key is best shown by its key.
            place = match next.value {
                Value::Map(_) | Value::List(_) => key.unwrap_or(next.place),
                _ => next.place,
            };
            node = next;
        }
        (place, Some(node))
    }

    fn step<'a>(&'a self, node: &'a Node, step: &str) -> Option<(Option<Place>, &'a Node)> {
        match &node.value {
            Value::Map(entries) => self
                .tree
                .entries(entries)
                .find(|(key, _)| key.text == step)
                .map(|(key, value)| (Some(key.place), value)),
            Value::List(items) => {
                let index: usize = step.parse().ok()?;
                self.tree.items(items).nth(index).map(|item| (None, item))
            }
            _ => None,
        }
    }
}
