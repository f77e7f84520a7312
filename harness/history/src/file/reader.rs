//! Reads a record back: whole when it is sealed, the longest sound prefix when a crash left it open.

use super::log::chain;
use super::names::entries;
use super::record::{BLOCK, Event, SIZE};
use super::seal::{self, Seal, Sealed};
use crate::{
    Completion, Header, History, Invocation, Line, Mark, Names, Nanos, OpId, Operation, Side,
};
use std::collections::BTreeMap;
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
    /// Bytes after the last whole record, in all files of an unsealed record.
    pub torn: u64,
}

type Calls = BTreeMap<OpId, (Nanos, Invocation, Vec<Line>)>;
type Answers = BTreeMap<OpId, (Nanos, Completion, Vec<Line>)>;

#[derive(Default)]
struct Contents {
    calls: Calls,
    answers: Answers,
    marks: Vec<Mark>,
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
            let (entries, whole) = entries(&bytes);
            entries.iter().for_each(|(namespace, name)| names.restore(*namespace, name));
            contents.health.torn += (bytes.len() - whole) as u64;
        } else {
            contents.read_log(path, &bytes, seal.is_some())?;
        }
    }
    if let Some(seal) = &seal {
        compare(folder, &files, seal)?;
    }
    let health = contents.finish();
    Ok((contents.history(header), names, health))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Damage> {
    let failed = |source| Damage::Read { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut files = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<Vec<_>>>()
        .map_err(failed)?;
    files.retain(|path| path.file_name().is_some_and(|name| name != seal::NAME));
    files.sort();
    Ok(files)
}

fn compare(folder: &Path, files: &[PathBuf], seal: &Seal) -> Result<(), Damage> {
    for (name, sealed) in &seal.files {
        let path = folder.join(name);
        if !files.contains(&path) {
            return Err(Damage::Files { path });
        }
        let found = Sealed::of(&read(&path)?);
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
    fn read_log(&mut self, path: &Path, bytes: &[u8], sealed: bool) -> Result<(), Damage> {
        let mut checksum = 0;
        let mut pending: Vec<(OpId, Side, Line)> = vec![];
        for (index, chunk) in bytes.chunks(SIZE).enumerate() {
            let event = chunk.try_into().ok().and_then(Event::decode);
            let (block, record) = (index / (BLOCK + 1), index % (BLOCK + 1));
            let Some(event) = event else {
                if sealed {
                    return Err(Damage::Record {
                        path: path.to_owned(),
                        block,
                        record,
                        byte: index * SIZE,
                    });
                }
                self.health.torn += (bytes.len() - index * SIZE) as u64;
                break;
            };
            let nonsense = |what| Damage::Nonsense { path: path.to_owned(), what, record: index };
            match event {
                Event::Trailer { block: number, checksum: written } => {
                    if record != BLOCK || number as usize != block || written != checksum {
                        return Err(nonsense("a block's checksum does not fit its records"));
                    }
                    continue;
                }
                _ if record == BLOCK => return Err(nonsense("a block has no trailer")),
                _ => checksum = chain(checksum, chunk),
            }
            self.health.records += 1;
            self.take(event, &mut pending).map_err(nonsense)?;
        }
        Ok(())
    }

    fn take(
        &mut self,
        event: Event,
        pending: &mut Vec<(OpId, Side, Line)>,
    ) -> Result<(), &'static str> {
        match event {
            Event::Line(op, side, line) => pending.push((op, side, line)),
            Event::Mark(mark) => self.marks.push(mark),
            Event::Invoke(op, at, call) => {
                let lines = lines_of(op, Side::Call, pending)?;
                if self.calls.insert(op, (at, call, lines)).is_some() {
                    return Err("an operation is invoked twice");
                }
            }
            Event::Complete(op, at, answer) => {
                let lines = lines_of(op, Side::Answer, pending)?;
                if self.answers.insert(op, (at, answer, lines)).is_some() {
                    return Err("an operation is completed twice");
                }
            }
            Event::Trailer { .. } => unreachable!("trailers are read above"),
        }
        Ok(())
    }

    fn finish(&mut self) -> Health {
        self.health.open =
            self.calls.keys().filter(|op| !self.answers.contains_key(op)).count() as u64;
        self.health
    }

    fn history(self, header: Header) -> History {
        let sealed = self.health.sealed;
        let mut history =
            History { header, operations: vec![], lines: vec![], marks: self.marks, sealed };
        let mut answers = self.answers;
        for (id, (start, call, items)) in self.calls {
            let from = history.lines.len();
            history.lines.extend(items.into_iter().map(|line| (Side::Call, line)));
            let (end, answer) = match answers.remove(&id) {
                Some((end, answer, lines)) => {
                    history.lines.extend(lines.into_iter().map(|line| (Side::Answer, line)));
                    (if answer.outcome.is_indeterminate() { Nanos::NEVER } else { end }, answer)
                }
                None => (Nanos::NEVER, Completion::open()),
            };
            let range = |at: usize| u32::try_from(at).expect("fewer than 2^32 lines");
            let lines = (range(from), range(history.lines.len()));
            history.operations.push(Operation { id, start, end, call, answer, lines });
        }
        history.operations.sort_by_key(|operation| (operation.start, operation.id));
        history.marks.sort_by_key(|mark| mark.at);
        history
    }
}

/// The lines that stand before a record must all be its own.
fn lines_of(
    op: OpId,
    side: Side,
    pending: &mut Vec<(OpId, Side, Line)>,
) -> Result<Vec<Line>, &'static str> {
    if pending.iter().any(|(of, at, _)| *of != op || *at != side) {
        return Err("a line stands before a record that it does not belong to");
    }
    Ok(pending.drain(..).map(|(_, _, line)| line).collect())
}
