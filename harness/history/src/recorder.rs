//! The handles that write events while a run goes on.

use crate::{Completion, Invocation, Line, MarkKind, Names, Nanos, OpId, Side};
use std::time::Instant;

/// The run's one monotonic clock; cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    epoch: Instant,
}

impl Clock {
    /// A clock that reads [`Nanos::ZERO`] at `epoch`.
    pub const fn since(epoch: Instant) -> Self {
        Self { epoch }
    }
    /// Now.
    #[expect(clippy::disallowed_methods, reason = "the one place where a run reads the time")]
    pub fn now(self) -> Nanos {
        self.at(Instant::now())
    }
    /// An instant on this clock.
    pub fn at(self, instant: Instant) -> Nanos {
        let elapsed = instant.saturating_duration_since(self.epoch).as_nanos();
        Nanos(u64::try_from(elapsed).expect("a run is shorter than 500 years"))
    }
    /// The instant of a time on this clock.
    pub fn instant(self, at: Nanos) -> Instant {
        self.epoch + std::time::Duration::from_nanos(at.0)
    }
}

/// Writing the record failed: the run can prove nothing more.
#[derive(Debug, thiserror::Error)]
#[error("failed to record {what}")]
pub struct RecordError {
    /// What was to be written.
    pub what: &'static str,
    /// Why it could not be.
    #[source]
    pub source: std::io::Error,
}

/// One worker's log of operations. Never shared, never buffered privately: what returns is in the page cache.
pub trait Record: Send {
    /// Writes an invocation **before** the first byte leaves, stamped `at`.
    fn invoke(&mut self, at: Nanos, call: &Invocation, items: &[Line])
    -> Result<OpId, RecordError>;
    /// Writes a completion after the last byte was read, stamped `at`.
    fn complete(
        &mut self,
        at: Nanos,
        op: OpId,
        answer: &Completion,
        lines: &[Line],
    ) -> Result<(), RecordError>;
}

/// The log of marks; shared by chaos, the provider and the command.
pub trait MarkSink: Send + Sync {
    /// Writes a mark.
    fn mark(&self, at: Nanos, kind: MarkKind) -> Result<(), RecordError>;
}

/// What everyone who takes part in a run carries: the clock, the dictionary and the log of marks.
#[derive(Clone)]
pub struct Scribe {
    /// The run's clock.
    pub clock: Clock,
    /// The run's dictionary.
    pub names: Names,
    /// The run's marks.
    pub marks: std::sync::Arc<dyn MarkSink>,
}

impl Scribe {
    /// Marks `kind` now.
    pub fn mark(&self, kind: MarkKind) -> Result<(), RecordError> {
        self.marks.mark(self.clock.now(), kind)
    }
}

/// A record that lives in memory, for tests and simulations; sealed histories come out of [`Memory::history`].
#[derive(Clone, Default)]
pub struct Memory {
    inner: std::sync::Arc<std::sync::Mutex<Events>>,
}

#[derive(Default)]
struct Events {
    calls: Vec<(Nanos, Invocation, Vec<Line>)>,
    answers: Vec<(Nanos, OpId, Completion, Vec<Line>)>,
    marks: Vec<crate::Mark>,
}

impl Record for Memory {
    fn invoke(
        &mut self,
        at: Nanos,
        call: &Invocation,
        items: &[Line],
    ) -> Result<OpId, RecordError> {
        let mut events = self.inner.lock().expect("no writer panics");
        events.calls.push((at, *call, items.to_vec()));
        Ok(OpId::from_index(events.calls.len() - 1))
    }
    fn complete(
        &mut self,
        at: Nanos,
        op: OpId,
        answer: &Completion,
        lines: &[Line],
    ) -> Result<(), RecordError> {
        self.inner.lock().expect("no writer panics").answers.push((
            at,
            op,
            *answer,
            lines.to_vec(),
        ));
        Ok(())
    }
}

impl MarkSink for Memory {
    fn mark(&self, at: Nanos, kind: MarkKind) -> Result<(), RecordError> {
        self.inner.lock().expect("no writer panics").marks.push(crate::Mark { at, kind });
        Ok(())
    }
}

impl Memory {
    /// Pairs what was recorded.
    pub fn history(&self, header: crate::Header) -> crate::History {
        let events = self.inner.lock().expect("no writer panics");
        let mut answers = vec![None; events.calls.len()];
        for answer in &events.answers {
            answers[answer.1.index()] = Some(answer);
        }
        let mut history = crate::History {
            header,
            operations: vec![],
            lines: vec![],
            marks: events.marks.clone(),
            sealed: true,
        };
        for (index, (start, call, items)) in events.calls.iter().enumerate() {
            let from = u32::try_from(history.lines.len()).expect("fewer than 2^32 lines");
            history.lines.extend(items.iter().map(|&line| (Side::Call, line)));
            let (end, answer) = match answers[index] {
                Some((end, _, answer, lines)) => {
                    history.lines.extend(lines.iter().map(|&line| (Side::Answer, line)));
                    (if answer.outcome.is_indeterminate() { Nanos::NEVER } else { *end }, *answer)
                }
                None => (Nanos::NEVER, Completion::open()),
            };
            let to = u32::try_from(history.lines.len()).expect("fewer than 2^32 lines");
            let id = OpId::from_index(index);
            history.operations.push(crate::Operation {
                id,
                start: *start,
                end,
                call: *call,
                answer,
                lines: (from, to),
            });
        }
        history.operations.sort_by_key(|op| (op.start, op.id));
        history.marks.sort_by_key(|mark| mark.at);
        history
    }
}
