//! Reads a record back: whole when it is sealed, the longest sound prefix when a crash left it open.

use super::log::chain;
use super::names::entries;
use super::pairing::Pairing;
use super::record::{BLOCK, Event, SIZE};
use super::seal::{self, Seal, Sealed};
use crate::{Header, History, Names};
use std::path::{Path, PathBuf};

/// Why a record cannot be trusted.
#[derive(Debug, thiserror::Error)]
pub enum Damage {
    /// A file cannot be read.
    #[error("failed to read `{path}`")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The header or the seal is not what it should be.
    #[error("failed to understand `{path}`")]
    Json {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// A version that this one does not know.
    #[error("the record is of format {found}, and this version reads format {known}")]
    Format {
        /// In the header.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A sealed file is missing, or one that was not there when the record was sealed.
    #[error("the sealed record should have exactly the files of its seal; look at `{path}`")]
    Files {
        /// Which.
        path: PathBuf,
    },
    /// A sealed log has a record that is not whole.
    #[error("`{path}` is damaged at record {record} of block {block} (byte {byte})")]
    Record {
        /// Which file.
        path: PathBuf,
        /// Which block, from 0.
        block: usize,
        /// Which record of the block, from 0.
        record: usize,
        /// Where it begins.
        byte: usize,
    },
    /// A sealed file's checksum or length differs.
    #[error(
        "`{path}` is not as it was sealed: {found} bytes with another checksum, or instead of {sealed} bytes"
    )]
    Checksum {
        /// Which.
        path: PathBuf,
        /// Bytes now.
        found: u64,
        /// Bytes then.
        sealed: u64,
    },
    /// Records contradict each other.
    #[error("`{path}`: {what} at record {record}")]
    Nonsense {
        /// Which file.
        path: PathBuf,
        /// What.
        what: &'static str,
        /// Which record, from 0.
        record: usize,
    },
    /// A sealed dictionary has an entry that is not whole.
    #[error("`{path}` is damaged at entry {entry} (byte {byte})")]
    Name {
        /// Which file.
        path: PathBuf,
        /// Which entry, from 0.
        entry: usize,
        /// Where it begins.
        byte: usize,
    },
    /// Events of different logs do not fit together.
    #[error("the logs in `{path}` contradict each other: {what}")]
    Pairs {
        /// Which folder.
        path: PathBuf,
        /// What.
        what: String,
    },
}

/// What a reader noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Nothing is missing at the end.
    pub sealed: bool,
    /// Records read.
    pub records: u64,
    /// Operations that were never completed.
    pub open: u64,
    /// Bytes after the last whole record that something was written to, in all files of an unsealed record. What was
    /// allocated ahead and never used does not count: after a crash of the process alone, this is 0.
    pub torn: u64,
}

#[derive(Default)]
struct Contents {
    pairing: Pairing,
    health: Health,
}

/// Reads the record in a folder.
///
/// # Errors
/// When a sealed record differs from its seal in a single bit, or an unsealed one has no readable header.
pub fn open(folder: &Path) -> Result<(History, Names, Health), Damage> {
    let header: Header = json(&folder.join("header.json"))?;
    if header.format != Header::FORMAT {
        return Err(Damage::Format { found: header.format, known: Header::FORMAT });
    }
    let files = files(folder)?;
    let seal_path = folder.join(seal::NAME);
    let seal = if seal_path.exists() { Some(json::<Seal>(&seal_path)?) } else { None };
    let mut contents = Contents::default();
    contents.health.sealed = seal.is_some();
    let names = Names::default();
    for path in
        files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "log"))
    {
        let bytes = read(path)?;
        if path.file_name().is_some_and(|name| name == "names.log") {
            contents.read_names(path, &bytes, &names)?;
        } else {
            contents.read_log(path, &bytes)?;
        }
    }
    if let Some(seal) = &seal {
        compare(folder, &files, seal)?;
    }
    let Contents { pairing, mut health } = contents;
    let (history, open) = pairing.history(header, health.sealed).map_err(|unpaired| {
        Damage::Pairs { path: folder.to_owned(), what: unpaired.to_string() }
    })?;
    health.open = open;
    Ok((history, names, health))
}

/// Reads the record in a folder only to see whether it is sound.
///
/// # Errors
/// As [`open`].
pub fn verify(folder: &Path) -> Result<Health, Damage> {
    open(folder).map(|(_, _, health)| health)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Damage> {
    let failed = |source| Damage::Read { path: folder.to_owned(), source };
    let mut files = vec![];
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name() != seal::NAME && entry.file_type().map_err(failed)?.is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

fn compare(folder: &Path, files: &[PathBuf], seal: &Seal) -> Result<(), Damage> {
    for (name, sealed) in &seal.files {
        let path = folder.join(name);
        if !files.contains(&path) {
            return Err(Damage::Files { path });
        }
        let found =
            Sealed::of(&path).map_err(|source| Damage::Read { path: path.clone(), source })?;
        if found != *sealed {
            return Err(Damage::Checksum { path, found: found.bytes, sealed: sealed.bytes });
        }
    }
    match files.iter().find(|path| !seal.files.contains_key(&name_of(path))) {
        Some(path) => Err(Damage::Files { path: path.clone() }),
        None => Ok(()),
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn read(path: &Path) -> Result<Vec<u8>, Damage> {
    std::fs::read(path).map_err(|source| Damage::Read { path: path.to_owned(), source })
}

fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, Damage> {
    serde_json::from_slice(&read(path)?)
        .map_err(|source| Damage::Json { path: path.to_owned(), source })
}

impl Contents {
    fn read_names(&mut self, path: &Path, bytes: &[u8], names: &Names) -> Result<(), Damage> {
        let (entries, whole) = entries(bytes);
        if self.health.sealed && whole < bytes.len() {
            let path = path.to_owned();
            return Err(Damage::Name { path, entry: entries.len(), byte: whole });
        }
        for (namespace, name) in &entries {
            names.restore(*namespace, name);
        }
        self.health.torn += written(&bytes[whole..]);
        Ok(())
    }

    fn read_log(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Damage> {
        let mut checksum = 0;
        let damaged = |index: usize| Damage::Record {
            path: path.to_owned(),
            block: index / (BLOCK + 1),
            record: index % (BLOCK + 1),
            byte: index * SIZE,
        };
        for (index, chunk) in bytes.chunks(SIZE).enumerate() {
            let nonsense = |what| Damage::Nonsense { path: path.to_owned(), what, record: index };
            let event = chunk.try_into().ok().and_then(Event::decode);
            let (block, at_trailer) = (index / (BLOCK + 1), index % (BLOCK + 1) == BLOCK);
            match event {
                None if self.health.sealed => return Err(damaged(index)),
                None => {
                    self.health.torn += written(&bytes[index * SIZE..]);
                    break;
                }
                Some(Event::Trailer { block: number, checksum: written }) => {
                    if !at_trailer || number as usize != block || written != checksum {
                        return Err(nonsense("a block's checksum does not fit its records"));
                    }
                }
                Some(_) if at_trailer => return Err(nonsense("a block has no trailer")),
                Some(event) => {
                    checksum = chain(checksum, chunk);
                    self.health.records += 1;
                    self.pairing.take(event).map_err(nonsense)?;
                }
            }
        }
        if !self.pairing.end_of_log() && self.health.sealed {
            return Err(damaged(bytes.len() / SIZE));
        }
        Ok(())
    }
}

/// Bytes up to the last one that is not zero.
fn written(bytes: &[u8]) -> u64 {
    bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last as u64 + 1)
}
