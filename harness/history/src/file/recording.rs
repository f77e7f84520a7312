//! A run's record while it is being written.

use super::log::Log;
use super::names::Journal;
use super::record::Event;
use super::seal::{self, Seal};
use crate::{
    Clock, Completion, Header, Invocation, Line, Mark, MarkKind, MarkSink, Names, Nanos, OpId,
    Record, RecordError, Scribe, Side,
};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The record of a run that goes on. Cheap to clone.
#[derive(Clone)]
pub struct Recording {
    shared: Arc<Shared>,
}

struct Shared {
    folder: PathBuf,
    names: Names,
    marks: Mutex<Log>,
    workers: Mutex<Vec<Arc<Mutex<Log>>>>,
    operations: AtomicUsize,
    failed: AtomicBool,
    sealed: AtomicBool,
}

impl Recording {
    /// Makes the folder and writes the header. The folder must not hold a record already.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn create(folder: &Path, header: &Header) -> Result<Self, RecordError> {
        let failed = |source| RecordError { what: "the head of the history", source };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let json = serde_json::to_vec_pretty(header).expect("a header is plain data");
        write_durably(&folder.join("header.json"), &json).map_err(failed)?;
        let names = Names::journalled(Journal::create(&folder.join("names.log")).map_err(failed)?);
        let marks = Mutex::new(Log::create(&folder.join("marks.log")).map_err(failed)?);
        let shared = Shared {
            folder: folder.to_owned(),
            names,
            marks,
            workers: Mutex::default(),
            operations: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            sealed: AtomicBool::new(false),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// A log of its own for one worker.
    ///
    /// # Errors
    /// When its file cannot be made.
    pub fn recorder(&self) -> Result<Box<dyn Record>, RecordError> {
        let mut workers = self.shared.workers.lock().expect("no writer panics");
        if self.shared.sealed.load(Ordering::Acquire) {
            let source = io::Error::other("the record is sealed");
            return Err(RecordError { what: "a worker's log", source });
        }
        let path = self.shared.folder.join(format!("worker-{:03}.log", workers.len()));
        let log =
            Log::create(&path).map_err(|source| self.shared.fail("a worker's log", source))?;
        let log = Arc::new(Mutex::new(log));
        workers.push(log.clone());
        Ok(Box::new(Worker { shared: self.shared.clone(), log }))
    }

    /// The dictionary.
    pub fn names(&self) -> &Names {
        &self.shared.names
    }

    /// What everyone who takes part carries.
    pub fn scribe(&self, clock: Clock) -> Scribe {
        Scribe { clock, names: self.shared.names.clone(), marks: self.shared.clone() }
    }

    /// A record could not be written: the run can prove nothing more.
    pub fn is_broken(&self) -> bool {
        self.shared.failed.load(Ordering::Relaxed) || self.shared.names.intact().is_err()
    }

    /// Ends the record: durable, and with the checksum of every file. What comes afterwards is refused with an error, and
    /// the record is not broken by it: the seal says where the record ends.
    ///
    /// # Errors
    /// When something cannot be made durable, or could not be recorded before.
    pub fn seal(&self) -> Result<(), RecordError> {
        let failed = |source| RecordError { what: "the seal of the history", source };
        if self.is_broken() {
            return Err(failed(io::Error::other("an earlier record could not be written")));
        }
        let seal = || -> io::Result<()> {
            let workers = self.shared.workers.lock().expect("no writer panics");
            self.shared.sealed.store(true, Ordering::Release);
            self.shared.marks.lock().expect("no writer panics").finish()?;
            for log in workers.iter() {
                log.lock().expect("no writer panics").finish()?;
            }
            self.shared.names.finish()?;
            let seal = Seal::of(&self.shared.folder)?;
            let json = serde_json::to_vec_pretty(&seal).expect("a seal is plain data");
            write_durably(&self.shared.folder.join(seal::NAME), &json)
        };
        seal().map_err(failed)
    }
}

impl Shared {
    fn fail(&self, what: &'static str, source: io::Error) -> RecordError {
        if !self.sealed.load(Ordering::Acquire) {
            self.failed.store(true, Ordering::Relaxed);
        }
        RecordError { what, source }
    }
}

impl MarkSink for Shared {
    fn mark(&self, at: Nanos, kind: MarkKind) -> Result<(), RecordError> {
        let event = Event::Mark(Mark { at, kind });
        self.names.intact().map_err(|source| self.fail("a name", source))?;
        self.marks
            .lock()
            .expect("no writer panics")
            .append(&event)
            .map_err(|source| self.fail("a mark", source))
    }
}

/// One worker's log; the lock is only ever contended by the seal.
struct Worker {
    shared: Arc<Shared>,
    log: Arc<Mutex<Log>>,
}

impl Worker {
    fn append(
        &self,
        what: &'static str,
        op: OpId,
        side: Side,
        lines: &[Line],
        event: &Event,
    ) -> Result<(), RecordError> {
        self.shared.names.intact().map_err(|source| self.shared.fail("a name", source))?;
        let mut log = self.log.lock().expect("no writer panics");
        for line in lines {
            log.append(&Event::Line(op, side, *line))
                .map_err(|source| self.shared.fail(what, source))?;
        }
        log.append(event).map_err(|source| self.shared.fail(what, source))
    }
}

impl Record for Worker {
    fn invoke(
        &mut self,
        at: Nanos,
        call: &Invocation,
        items: &[Line],
    ) -> Result<OpId, RecordError> {
        let op = OpId::from_index(self.shared.operations.fetch_add(1, Ordering::Relaxed));
        self.append("an invocation", op, Side::Call, items, &Event::Invoke(op, at, *call))?;
        Ok(op)
    }
    fn complete(
        &mut self,
        at: Nanos,
        op: OpId,
        answer: &Completion,
        lines: &[Line],
    ) -> Result<(), RecordError> {
        self.append("a completion", op, Side::Answer, lines, &Event::Complete(op, at, *answer))
    }
}

fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
