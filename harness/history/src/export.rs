//! A history in the forms of other tools.

use crate::{
    CallKind, History, Label, Line, Mark, MarkKind, Names, Nanos, Operation, Outcome, Side,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// One JSON object a line: first the header, then operations and marks in the order of time. Identifiers are the target's
/// own words; times are nanoseconds since the run's epoch; the end of an operation that never came back is `null`.
///
/// # Errors
/// When the output cannot be written.
pub fn jsonl(history: &History, names: &Names, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", json!({ "header": history.header }))?;
    let mut marks = history.marks.iter().peekable();
    for operation in &history.operations {
        while let Some(mark) = marks.next_if(|mark| mark.at <= operation.start) {
            writeln!(out, "{}", mark_json(mark, names))?;
        }
        writeln!(out, "{}", operation_json(history, operation, names))?;
    }
    marks.try_for_each(|mark| writeln!(out, "{}", mark_json(mark, names)))
}

/// Jepsen's op maps, one a line: `{:type :invoke, :f :hold, :value …, :process 3, :time 12, :index 0}`. A success is `:ok`, a
/// definite refusal `:fail`, everything else `:info`. As Jepsen asks, a process does one thing at a time, and none at all after
/// an `:info`: what the same line of operations does next has the number of a process that was never used. How an operation
/// was meant (`:label`) and the number of the one that it repeats or resolves (`:link`, of `:op`) stand beside it.
///
/// # Errors
/// When the output cannot be written.
pub fn edn(history: &History, names: &Names, out: &mut dyn Write) -> io::Result<()> {
    let processes = Processes::of(history);
    let mut events: Vec<(Nanos, bool, usize)> = vec![];
    for (place, operation) in history.operations.iter().enumerate() {
        events.push((operation.start, false, place));
        if operation.end != Nanos::NEVER {
            events.push((operation.end, true, place));
        }
    }
    // At the same instant what begins comes before what ends: ties are concurrent.
    events.sort_unstable();
    // What never came back is of unknown type to the end, after everything else.
    let last = events.last().map_or(Nanos::ZERO, |(at, ..)| *at);
    let open = (0..history.operations.len())
        .filter(|&place| history.operations[place].end == Nanos::NEVER)
        .map(|place| (last, true, place));
    for (index, (at, done, place)) in events.iter().copied().chain(open).enumerate() {
        let operation = &history.operations[place];
        let event = Event { operation, process: processes.numbers[place], at, done, index };
        writeln!(out, "{}", event.op_map(history, names))?;
    }
    Ok(())
}

/// The process of every operation, as Jepsen counts them.
struct Processes {
    numbers: Vec<usize>,
}

impl Processes {
    /// A process goes on under its number when its last operation ended before; otherwise under the next unused one.
    fn of(history: &History) -> Self {
        let highest = history.operations.iter().map(|operation| operation.call.process.index());
        let mut unused = highest.max().map_or(0, |highest| highest + 1);
        let mut busy: BTreeMap<usize, Vec<(usize, Nanos)>> = BTreeMap::new();
        let numbers = history.operations.iter().map(|operation| {
            let process = operation.call.process.index();
            let numbers = busy.entry(process).or_default();
            let free = numbers.iter_mut().find(|(_, until)| *until < operation.start);
            if let Some((number, until)) = free {
                *until = operation.end;
                return *number;
            }
            let number = if numbers.is_empty() { process } else { unused };
            unused += usize::from(number == unused);
            numbers.retain(|(_, until)| *until != Nanos::NEVER);
            numbers.push((number, operation.end));
            number
        });
        Self { numbers: numbers.collect() }
    }
}

/// One line of Jepsen's.
struct Event<'a> {
    operation: &'a Operation,
    process: usize,
    at: Nanos,
    done: bool,
    index: usize,
}

impl Event<'_> {
    fn op_map(&self, history: &History, names: &Names) -> String {
        let Self { operation, process, at, done, index } = *self;
        let (kind, error) = match (done, operation.outcome()) {
            (false, _) => ("invoke", None),
            (true, Outcome::Ok) => ("ok", None),
            (true, Outcome::Failed(class)) => ("fail", Some(class)),
            (true, Outcome::Indeterminate(class)) => ("info", Some(class)),
        };
        let value = edn_value(&if done {
            answer_json(history, operation, names)
        } else {
            call_json(history, operation, names)
        });
        let label = (operation.call.label != Label::Ordinary)
            .then(|| format!(", :label :{}", operation.call.label));
        let link = operation.call.link.map(|link| format!(", :link {}", link.index()));
        let error = error.map(|class| format!(", :error :{class}"));
        format!(
            "{{:type :{kind}, :f :{}, :value {value}, :process {process}, :time {}, :index {index}, :op {}{}{}{}}}",
            operation.kind(),
            at.0,
            operation.id.index(),
            label.unwrap_or_default(),
            link.unwrap_or_default(),
            error.unwrap_or_default(),
        )
    }
}

/// JSON as EDN: maps with keyword keys, vectors, strings, numbers, `nil`.
fn edn_value(value: &Value) -> String {
    match value {
        Value::Null => "nil".into(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(edn_value).collect::<Vec<_>>().join(" "))
        }
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!(":{key} {}", edn_value(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        plain => plain.to_string(),
    }
}

fn operation_json(history: &History, operation: &Operation, names: &Names) -> Value {
    let end = (operation.end != Nanos::NEVER).then_some(operation.end);
    let outcome = match operation.outcome() {
        Outcome::Ok => "ok",
        Outcome::Failed(_) => "failed",
        Outcome::Indeterminate(_) => "indeterminate",
    };
    json!({
        "op": operation.id.index(),
        "kind": operation.kind(),
        "label": operation.call.label,
        "process": operation.call.process.index(),
        "start": operation.start,
        "end": end,
        "late_us": operation.call.late_us,
        "link": operation.call.link.map(crate::OpId::index),
        "call": call_json(history, operation, names),
        "outcome": outcome,
        "class": operation.outcome().class(),
        "answer": answer_json(history, operation, names),
    })
}

fn named<I: crate::Named + std::fmt::Display>(id: Option<I>, names: &Names) -> Value {
    id.map_or(Value::Null, |id| {
        names.name(id).map_or_else(|| id.to_string().into(), |name| (*name).into())
    })
}

fn without_nulls(value: Value) -> Value {
    let Value::Object(fields) = value else { return value };
    Value::Object(fields.into_iter().filter(|(_, value)| !value.is_null()).collect())
}

fn call_json(history: &History, operation: &Operation, names: &Names) -> Value {
    let call = &operation.call;
    let items: Vec<Value> = history
        .items_of(operation)
        .map(|(sku, quantity)| json!({ "sku": named(Some(sku), names), "quantity": quantity }))
        .collect();
    without_nulls(json!({
        "buyer": named(Some(call.buyer), names),
        "items": if items.is_empty() { Value::Null } else { items.into() },
        "hold": named(call.hold, names),
        "order": named(call.order, names),
        "charge": named(call.charge, names),
        "key": named(call.key, names),
        "instrument": named(call.instrument, names),
    }))
}

fn answer_json(history: &History, operation: &Operation, names: &Names) -> Value {
    let answer = &operation.answer;
    let lines: Vec<Value> =
        history.lines_of(operation, Side::Answer).map(|line| line_json(line, names)).collect();
    let listed = matches!(operation.kind(), CallKind::ListOrders | CallKind::Stock)
        && operation.outcome().is_ok();
    without_nulls(json!({
        "hold": named(answer.hold, names),
        "order": named(answer.order, names),
        "charge": named(answer.charge, names),
        "state": answer.state,
        "value": (answer.value > 0).then_some(answer.value),
        "status": (answer.status > 0).then_some(answer.status),
        "lines": if listed { lines.into() } else { Value::Null },
    }))
}

fn line_json(line: &Line, names: &Names) -> Value {
    match *line {
        Line::Item { sku, quantity } => {
            json!({ "sku": named(Some(sku), names), "quantity": quantity })
        }
        Line::Order { order, hold, sku, quantity, state } => json!({
            "order": named(Some(order), names),
            "hold": named(hold, names),
            "sku": named(Some(sku), names),
            "quantity": quantity,
            "state": state,
        }),
        Line::Stock { sku, total, available, held, confirmed } => json!({
            "sku": named(Some(sku), names),
            "total": total,
            "available": available,
            "held": held,
            "confirmed": confirmed,
        }),
    }
}

fn mark_json(mark: &Mark, names: &Names) -> Value {
    let kind = match mark.kind {
        MarkKind::Phase(name) => json!({ "phase": name }),
        MarkKind::Note(note) => json!({ "note": named(Some(note), names) }),
        MarkKind::Fault { name, target, stage } => json!({ "fault": {
            "name": named(Some(name), names),
            "target": named(target, names),
            "stage": stage,
        } }),
        MarkKind::Charge { charge, order, hold, buyer, instrument, amount, stage } => {
            json!({ "charge": {
                "charge": named(Some(charge), names),
                "order": named(order, names),
                "hold": named(hold, names),
                "buyer": named(buyer, names),
                "instrument": named(instrument, names),
                "amount": amount,
                "stage": stage,
            } })
        }
        MarkKind::Refund { refund, charge, amount, stage } => json!({ "refund": {
            "refund": named(Some(refund), names),
            "charge": named(Some(charge), names),
            "amount": amount,
            "stage": stage,
        } }),
        MarkKind::Delivery { delivery, charge, kind, label, stage, status, amount } => {
            json!({ "delivery": {
                "delivery": named(Some(delivery), names),
                "charge": named(charge, names),
                "kind": kind,
                "label": label,
                "stage": stage,
                "status": status,
                "amount": amount,
            } })
        }
    };
    json!({ "mark": kind, "at": mark.at })
}
