//! How to undo what is being done, written before it is done.
//!
//! One JSON object a line: `{"id":1,"fault":"target-pause","undo":{"resume":{…}}}` before a fault, `{"id":1}` once it is
//! undone. A line that a crash cut off at the end was written before anything was done, and is passed over. Lines go to the
//! kernel, not to the disk: the journal outlives the harness, and what a dead host did needs no undoing. So a kill that
//! must hit the gap between two writes of the target does not wait for a disk.

use crate::{Error, Identity};
use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// How to undo a fault without the run that injected it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undo {
    /// SIGCONT, if the process is still that one.
    Resume(Identity),
    /// Nothing: what is wrong lives inside the run's own processes, which die with it.
    GoneWithTheRun,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undo: Option<Undo>,
}

/// The journal of one run.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: File,
    next: u64,
}

/// One fault that [`heal`] undid, or found nothing left of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Healed {
    /// Its name.
    pub fault: String,
    /// What was done about it, in words.
    pub done: String,
}

impl Journal {
    /// Opens a run's journal, new or with what it has. What a crash cut off at its end is cut away.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, Error> {
        let path = path.into();
        let (next, whole) = if path.exists() {
            let (entries, whole) = read(&path)?;
            (entries.iter().map(|entry| entry.id + 1).max().unwrap_or(1), whole)
        } else {
            (1, 0)
        };
        let open = || {
            let file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.set_len(whole)?;
            Ok(file)
        };
        let file = open().map_err(|source| Error::Journal { path: path.clone(), source })?;
        Ok(Self { path, inner: Mutex::new(Inner { file, next }) })
    }

    /// Notes how to undo a fault; it outlives the harness when this returns.
    pub fn intend(&self, fault: &str, undo: Undo) -> Result<u64, Error> {
        let mut inner = self.inner.lock().expect("no holder panics");
        let id = inner.next;
        inner.next += 1;
        self.write(&mut inner, &Entry { id, fault: Some(fault.to_owned()), undo: Some(undo) })?;
        Ok(id)
    }

    /// Notes that a fault is undone.
    pub fn undone(&self, id: u64) -> Result<(), Error> {
        let mut inner = self.inner.lock().expect("no holder panics");
        self.write(&mut inner, &Entry { id, fault: None, undo: None })
    }

    fn write(&self, inner: &mut Inner, entry: &Entry) -> Result<(), Error> {
        let mut line = serde_json::to_string(entry).expect("entries are plain data");
        line.push('\n');
        inner
            .file
            .write_all(line.as_bytes())
            .map_err(|source| Error::Journal { path: self.path.clone(), source })
    }
}

/// Undoes what a crashed run left, newest first, and says what was done. Done twice, it finds nothing.
pub fn heal(path: &Path) -> Result<Vec<Healed>, Error> {
    let mut open: BTreeMap<u64, (String, Undo)> = BTreeMap::new();
    for entry in read(path)?.0 {
        match (entry.fault, entry.undo) {
            (Some(fault), Some(undo)) => drop(open.insert(entry.id, (fault, undo))),
            _ => drop(open.remove(&entry.id)),
        }
    }
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let journal = Journal::open(path)?;
    let mut healed = Vec::new();
    for (id, (fault, undo)) in open.into_iter().rev() {
        let done = undo.carry_out()?;
        journal.undone(id)?;
        healed.push(Healed { fault, done });
    }
    Ok(healed)
}

impl Undo {
    fn carry_out(&self) -> Result<String, Error> {
        match self {
            Self::GoneWithTheRun => Ok("nothing was left to undo: it ended with the run".into()),
            Self::Resume(identity) => match identity.signal(Signal::SIGCONT) {
                Ok(()) => Ok(format!("process {} goes on", identity.pid)),
                Err(Error::Stranger { pid }) => Ok(format!("process {pid} is gone")),
                Err(error) => Err(error),
            },
        }
    }
}

/// The entries, and how many bytes they are: a line without an end is none.
fn read(path: &Path) -> Result<(Vec<Entry>, u64), Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| Error::Journal { path: path.to_owned(), source })?;
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let parse = |(index, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|source| Error::JournalLine {
            path: path.to_owned(),
            line: index + 1,
            source,
        })
    };
    let entries = whole.lines().enumerate().map(parse).collect::<Result<_, _>>()?;
    Ok((entries, whole.len() as u64))
}
