//! Joins the events of all logs into operations.

use super::record::Event;
use crate::{Completion, Header, History, Invocation, Line, Mark, Nanos, OpId, Operation, Side};
use std::ops::Range;

/// An event that waits for its other half.
struct Half<T> {
    op: OpId,
    at: Nanos,
    what: T,
    /// Its lines, in [`Pairing::lines`].
    lines: Range<usize>,
}

/// Everything that was read, before it is paired.
#[derive(Default)]
pub(super) struct Pairing {
    calls: Vec<Half<Invocation>>,
    answers: Vec<Half<Completion>>,
    lines: Vec<Line>,
    marks: Vec<Mark>,
    /// Lines from here on stand before a record that is still to come; all of them belong to `pending`.
    pending_from: usize,
    pending: Option<(OpId, Side)>,
}

/// Halves that do not make an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unpaired {
    /// The same identifier was given out twice.
    #[error("`{0}` is invoked twice")]
    InvokedTwice(OpId),
    /// Two answers.
    #[error("`{0}` is completed twice")]
    CompletedTwice(OpId),
    /// An answer without a question.
    #[error("`{0}` is completed and was never invoked")]
    NeverInvoked(OpId),
}

impl Pairing {
    /// Takes the next event of a log.
    pub(super) fn take(&mut self, event: Event) -> Result<(), &'static str> {
        match event {
            Event::Line(op, side, line) => {
                if self.pending.is_some_and(|pending| pending != (op, side)) {
                    return Err("a line stands before a record that it does not belong to");
                }
                self.pending = Some((op, side));
                self.lines.push(line);
            }
            Event::Mark(_) if self.pending.is_some() => {
                return Err("a line stands before a mark");
            }
            Event::Mark(mark) => self.marks.push(mark),
            Event::Invoke(op, at, what) => {
                let lines = self.lines_before(op, Side::Call)?;
                self.calls.push(Half { op, at, what, lines });
            }
            Event::Complete(op, at, what) => {
                let lines = self.lines_before(op, Side::Answer)?;
                self.answers.push(Half { op, at, what, lines });
            }
            Event::Trailer { .. } => return Err("a block's trailer stands inside of the block"),
        }
        Ok(())
    }

    /// The log ends. Lines whose record is missing are dropped, and said to be.
    pub(super) fn end_of_log(&mut self) -> bool {
        let whole = self.pending.take().is_none();
        self.lines.truncate(self.pending_from);
        whole
    }

    fn lines_before(&mut self, op: OpId, side: Side) -> Result<Range<usize>, &'static str> {
        if self.pending.take().is_some_and(|pending| pending != (op, side)) {
            return Err("a line stands before a record that it does not belong to");
        }
        let lines = self.pending_from..self.lines.len();
        self.pending_from = lines.end;
        Ok(lines)
    }

    /// The operations, and how many are open. In an unsealed record an answer may have lost its question.
    pub(super) fn history(
        mut self,
        header: Header,
        sealed: bool,
    ) -> Result<(History, u64), Unpaired> {
        self.calls.sort_unstable_by_key(|call| call.op);
        self.answers.sort_unstable_by_key(|answer| answer.op);
        if let Some(op) = twice(&self.calls) {
            return Err(Unpaired::InvokedTwice(op));
        }
        if let Some(op) = twice(&self.answers) {
            return Err(Unpaired::CompletedTwice(op));
        }
        let mut history = History {
            header,
            operations: Vec::with_capacity(self.calls.len()),
            lines: Vec::with_capacity(self.lines.len()),
            marks: self.marks,
            sealed,
        };
        let (mut answers, mut open) = (self.answers.iter().peekable(), 0);
        for call in &self.calls {
            while let Some(answer) = answers.next_if(|answer| answer.op < call.op) {
                if sealed {
                    return Err(Unpaired::NeverInvoked(answer.op));
                }
            }
            let answer = answers.next_if(|answer| answer.op == call.op);
            open += u64::from(answer.is_none());
            history.operations.push(operation(call, answer, &self.lines, &mut history.lines));
        }
        match answers.next() {
            Some(answer) if sealed => return Err(Unpaired::NeverInvoked(answer.op)),
            _ => {}
        }
        history.operations.sort_unstable_by_key(|operation| (operation.start, operation.id));
        history.marks.sort_by_key(|mark| mark.at);
        Ok((history, open))
    }
}

fn twice<T>(halves: &[Half<T>]) -> Option<OpId> {
    halves.windows(2).find(|pair| pair[0].op == pair[1].op).map(|pair| pair[0].op)
}

fn operation(
    call: &Half<Invocation>,
    answer: Option<&Half<Completion>>,
    from: &[Line],
    lines: &mut Vec<(Side, Line)>,
) -> Operation {
    let place = |at: usize| u32::try_from(at).expect("fewer than 2^32 lines");
    let first = place(lines.len());
    lines.extend(from[call.lines.clone()].iter().map(|&line| (Side::Call, line)));
    let (end, completion) = answer.map_or((Nanos::NEVER, Completion::open()), |answer| {
        lines.extend(from[answer.lines.clone()].iter().map(|&line| (Side::Answer, line)));
        let never = answer.what.outcome.is_indeterminate();
        (if never { Nanos::NEVER } else { answer.at }, answer.what)
    });
    Operation {
        id: call.op,
        start: call.at,
        end,
        call: call.what,
        answer: completion,
        lines: (first, place(lines.len())),
    }
}
