//! A history in the forms of other tools.

use crate::{CallKind, History, Line, Mark, Names, Nanos, Operation, Outcome, Side};
use serde_json::{Value, json};
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
            writeln!(out, "{}", mark_json(mark))?;
        }
        writeln!(out, "{}", operation_json(history, operation, names))?;
    }
    marks.try_for_each(|mark| writeln!(out, "{}", mark_json(mark)))
}

/// Jepsen's op maps, one a line: `{:type :invoke, :f :hold, :value …, :process 3, :time 12, :index 0}`. A success is `:ok`, a
/// definite refusal `:fail`, everything else `:info`.
///
/// # Errors
/// When the output cannot be written.
pub fn edn(history: &History, names: &Names, out: &mut dyn Write) -> io::Result<()> {
    let mut events: Vec<(Nanos, bool, &Operation)> = vec![];
    for operation in &history.operations {
        events.push((operation.start, false, operation));
        if operation.end != Nanos::NEVER {
            events.push((operation.end, true, operation));
        }
    }
    // An invocation comes before a completion of the same instant: ties are concurrent.
    events.sort_by_key(|(at, done, operation)| (*at, *done, operation.id));
    for (index, (at, done, operation)) in events.iter().enumerate() {
        writeln!(out, "{}", op_map(history, operation, names, *at, *done, index))?;
    }
    // What never came back is of unknown type to the end, after everything else.
    let open = history.operations.iter().filter(|operation| operation.end == Nanos::NEVER);
    let last = events.last().map_or(Nanos::ZERO, |(at, ..)| *at);
    for (index, operation) in open.enumerate() {
        writeln!(out, "{}", op_map(history, operation, names, last, true, events.len() + index))?;
    }
    Ok(())
}

fn op_map(
    history: &History,
    operation: &Operation,
    names: &Names,
    at: Nanos,
    done: bool,
    index: usize,
) -> String {
    let (kind, error) = match (done, operation.outcome()) {
        (false, _) => ("invoke", None),
        (true, Outcome::Ok) => ("ok", None),
        (true, Outcome::Failed(class)) => ("fail", Some(class)),
        (true, Outcome::Indeterminate(class)) => ("info", Some(class)),
    };
    let error = error.map(|class| format!(", :error :{class}")).unwrap_or_default();
    let value = edn_value(&if done {
        answer_json(history, operation, names)
    } else {
        call_json(history, operation, names)
    });
    format!(
        "{{:type :{kind}, :f :{}, :value {value}, :process {}, :time {}, :index {index}{error}}}",
        operation.kind(),
        operation.call.process.index(),
        at.0,
    )
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
        "link": operation.call.link.map(|link| link.index()),
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

fn mark_json(mark: &Mark) -> Value {
    json!({ "mark": mark.kind, "at": mark.at })
}
