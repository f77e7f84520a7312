//! The repository as data, so that checks on it can be tried on small trees of their own.

use anyhow::Context as _;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is not ours, or not source.
const SKIPPED: &[&str] = &["target", ".git", "results", "node_modules"];
/// Files that are read.
const READ: &[&str] =
    &["rs", "lua", "toml", "yaml", "yml", "md", "case", "sql", "py", "json", "html", "css", "js"];

/// Where the repository is.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("this crate is two folders deep").to_owned()
}

/// Text files by their paths from the root, with `/` between folders.
pub(crate) struct Tree {
    files: BTreeMap<String, String>,
}

/// A crate of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    /// From the root, such as `harness/psp`.
    pub(crate) folder: String,
    /// The package's name.
    pub(crate) name: String,
}

impl Package {
    /// The folder's own name, which is what the rules of the tree speak of.
    pub(crate) fn room(&self) -> &str {
        self.folder.rsplit('/').next().unwrap_or(&self.folder)
    }
}

impl Tree {
    pub(crate) fn of_the_repository() -> anyhow::Result<Self> {
        let root = root();
        let mut files = BTreeMap::new();
        let ours = |entry: &walkdir::DirEntry| {
            !SKIPPED.iter().any(|skipped| entry.file_name() == *skipped)
        };
        for entry in walkdir::WalkDir::new(&root).into_iter().filter_entry(ours) {
            let entry = entry.context("failed to walk the repository")?;
            let path = entry.path();
            let reads =
                path.extension().is_some_and(|ending| READ.iter().any(|own| ending == *own));
            if entry.file_type().is_file() && reads {
                let text = std::fs::read(path)
                    .with_context(|| format!("failed to read `{}`", path.display()))?;
                let name = path
                    .strip_prefix(&root)
                    .expect("it was found there")
                    .to_string_lossy()
                    .replace('\\', "/");
                files.insert(name, String::from_utf8_lossy(&text).into_owned());
            }
        }
        Ok(Self { files })
    }

    #[cfg(test)]
    pub(crate) fn from_files(files: &[(&str, &str)]) -> Self {
        Self {
            files: files
                .iter()
                .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
                .collect(),
        }
    }

    /// Every file.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }
    /// One file's text.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }
    /// Whether a file or a folder is there.
    pub(crate) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.contains_key(path) || self.under(path).next().is_some()
    }
    /// Every file in a folder, however deep.
    pub(crate) fn under(&self, folder: &str) -> impl Iterator<Item = (&str, &str)> {
        let folder = format!("{}/", folder.trim_end_matches('/'));
        self.all().filter(move |(path, _)| path.starts_with(&folder))
    }
    /// The files with this ending (without the dot) in a folder, however deep.
    pub(crate) fn ending<'a>(
        &'a self,
        folder: &str,
        ending: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.under(folder)
            .filter(move |(path, _)| path.rsplit_once('.').is_some_and(|(_, own)| own == ending))
    }
    /// Names of the files right in a folder, without the ending.
    pub(crate) fn stems(&self, folder: &str, ending: &str) -> Vec<&str> {
        let folder = format!("{}/", folder.trim_end_matches('/'));
        let stem = |path: &'_ str| -> Option<(usize, usize)> {
            let name = path.strip_prefix(&folder)?.strip_suffix(ending)?.strip_suffix('.')?;
            (!name.contains('/')).then_some((folder.len(), folder.len() + name.len()))
        };
        self.files.keys().filter_map(|path| stem(path).map(|(from, to)| &path[from..to])).collect()
    }
    /// Every crate.
    pub(crate) fn packages(&self) -> Vec<Package> {
        let package = |(path, text): (&str, &str)| {
            let folder = path.strip_suffix("/Cargo.toml")?.to_owned();
            let name = text
                .lines()
                .find_map(|line| line.strip_prefix("name = "))?
                .trim_matches('"')
                .to_owned();
            Some(Package { folder, name })
        };
        self.all().filter_map(package).collect()
    }
}
