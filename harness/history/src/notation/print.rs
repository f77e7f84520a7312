//! From a history to lines.

use super::units;
use super::words::{is_numbered, is_plain};
use crate::{
    CallKind, Certainty, Class, Completion, ConfirmPolicy, History, Invocation, Label, LateCapture,
    Line, Mark, MarkKind, Named, Names, Nanos, NoteId, Operation, Outcome, QueueMethod, SaleFacts,
    Side, SkuFacts, SkuId, SkuRole, SoldOutPolicy,
};

/// The whole history; reading it back gives the same one, but for the header's words about the run. Operations are numbered
/// again when they are read: a history with gaps in its numbers, as a crash leaves, comes back without them.
pub fn print(history: &History, names: &Names) -> String {
    let mut text = String::new();
    for sku in &history.header.sale.skus {
        text += &sku_line(sku);
    }
    text += &facts_line(&history.header.sale, &history.header.required, history.sealed);
    let mut operations: Vec<&Operation> = history.operations.iter().collect();
    operations.sort_by_key(|operation| operation.id);
    for operation in operations {
        text += &line(history, operation, names);
        text.push('\n');
    }
    for mark in &history.marks {
        text += &mark_line(mark, names);
    }
    text
}

/// One operation, without its number.
pub fn line(history: &History, operation: &Operation, names: &Names) -> String {
    let call = &operation.call;
    let end = if operation.end == Nanos::NEVER { "?".into() } else { units::print(operation.end) };
    let mut words = vec![
        format!("{}", call.process),
        format!("{}", call.buyer),
        format!("{}..{end}", units::print(operation.start)),
        call.kind.word().to_owned(),
    ];
    subject(history, operation, names, &mut words);
    attributes(call, &mut words);
    words.push("->".into());
    answer(history, operation, names, &mut words);
    words.join(" ")
}

fn sku_name(sku: SkuId, names: &Names) -> String {
    names.name(sku).map_or_else(|| sku.to_string(), |name| sku_word(&name))
}

/// A SKU's name must not look like an identifier.
fn sku_word(name: &str) -> String {
    if is_numbered(name) { quoted(name) } else { word(name) }
}

/// A name as one word.
fn word(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { quoted(name) }
}

fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

/// A sentence needs quotes only where it would not read back the same.
fn sentence(text: &str) -> String {
    if !text.is_empty() && text.split(' ').all(|word| is_plain(word.trim_end_matches([',', ';']))) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

fn subject(history: &History, operation: &Operation, names: &Names, words: &mut Vec<String>) {
    let items: Vec<String> = history
        .items_of(operation)
        .map(|(sku, quantity)| format!("{} x{quantity}", sku_name(sku, names)))
        .collect();
    if !items.is_empty() {
        words.push(items.join(", "));
    }
    let call = &operation.call;
    words.extend(call.hold.map(|hold| hold.to_string()));
    words.extend(call.order.map(|order| order.to_string()));
    words.extend(call.charge.map(|charge| charge.to_string()));
}

fn attributes(call: &Invocation, words: &mut Vec<String>) {
    words.extend(call.key.map(|key| format!("key={key}")));
    words.extend(call.instrument.map(|instrument| format!("instrument={instrument}")));
    if call.label != Label::Ordinary {
        words.push(format!("label={}", call.label));
    }
    words.extend(call.link.map(|link| format!("link={link}")));
    if call.late_us > 0 {
        words.push(format!("late={}", units::print(Nanos(u64::from(call.late_us) * 1_000))));
    }
}

fn answer(history: &History, operation: &Operation, names: &Names, words: &mut Vec<String>) {
    let answer = &operation.answer;
    words.push(match answer.outcome {
        Outcome::Ok => "ok".into(),
        Outcome::Failed(class) if class.certainty() == Certainty::DidNothing => class.word().into(),
        Outcome::Failed(class) => format!("!{class}"),
        Outcome::Indeterminate(Class::Timeout) => "?".into(),
        Outcome::Indeterminate(class) => format!("?{class}"),
    });
    fields(answer, operation.kind(), words);
    let lines: Vec<&Line> = history.lines_of(operation, Side::Answer).collect();
    let part = |word: &str, lines: Vec<String>| {
        (!lines.is_empty()).then(|| format!("{word} {}", lines.join(", ")))
    };
    words.extend(part("orders", lines.iter().filter_map(|line| order_line(line, names)).collect()));
    words.extend(part("stock", lines.iter().filter_map(|line| stock_line(line, names)).collect()));
}

fn fields(answer: &Completion, kind: CallKind, words: &mut Vec<String>) {
    words.extend(answer.hold.map(|hold| format!("hold={hold}")));
    words.extend(answer.order.map(|order| format!("order={order}")));
    words.extend(answer.charge.map(|charge| format!("charge={charge}")));
    words.extend(answer.state.map(|state| format!("state={state}")));
    if answer.value > 0 {
        let word =
            if matches!(kind, CallKind::Join | CallKind::Poll) { "position" } else { "value" };
        words.push(format!("{word}={}", answer.value));
    }
    if answer.status > 0 {
        words.push(format!("status={}", answer.status));
    }
}

fn order_line(line: &Line, names: &Names) -> Option<String> {
    let Line::Order { order, hold, sku, quantity, state } = *line else { return None };
    let hold = hold.map(|hold| format!("/{hold}")).unwrap_or_default();
    Some(format!("{order}{hold} {} x{quantity} {state}", sku_name(sku, names)))
}

fn stock_line(line: &Line, names: &Names) -> Option<String> {
    let Line::Stock { sku, total, available, held, confirmed } = *line else { return None };
    let sku = sku_name(sku, names);
    Some(format!("{sku} total {total} available {available} held {held} confirmed {confirmed}"))
}

fn sku_line(sku: &SkuFacts) -> String {
    let role = match sku.role {
        SkuRole::Hot => "hot",
        SkuRole::Canary => "canary",
        SkuRole::Seat => "seat",
    };
    let waves: Vec<String> =
        sku.waves.iter().map(|wave| format!("{}:{}", units::print(wave.at), wave.units)).collect();
    let waves =
        if waves.is_empty() { String::new() } else { format!(" waves={}", waves.join(",")) };
    format!(
        "sale {} stock={} shards={} role={role}{waves}\n",
        sku_word(&sku.name),
        sku.capacity,
        sku.shards
    )
}

fn facts_line(sale: &SaleFacts, required: &[String], sealed: bool) -> String {
    let mut words = vec!["facts".to_owned()];
    let times = [
        ("opens", sale.opens),
        ("ttl", sale.ttl),
        ("earliness", sale.earliness),
        ("grace", sale.grace),
        ("clock-error", sale.clock_error),
        ("release-lag", sale.release_lag),
    ];
    words.extend(times.map(|(name, time)| format!("{name}={}", units::print(time))));
    let reacquire = sale.confirm == ConfirmPolicy::Reacquire;
    words.push(format!("confirm={}", if reacquire { "reacquire" } else { "strict" }));
    words.push(format!(
        "checkout={}",
        if sale.checkout_extends { "extends" } else { "does-not-extend" }
    ));
    let rehold = sale.late_capture == LateCapture::Rehold;
    words.push(format!("late-capture={}", if rehold { "rehold" } else { "refund" }));
    words.push(match sale.sold_out {
        SoldOutPolicy::Exact => "sold-out=exact".into(),
        SoldOutPolicy::ShardLocal => "sold-out=shard-local".into(),
        SoldOutPolicy::Stale(age) => format!("sold-out=stale:{}", units::print(age)),
    });
    words.extend(sale.account_limit.map(|limit| format!("account-limit={limit}")));
    words.extend(sale.instrument_limit.map(|limit| format!("instrument-limit={limit}")));
    if let Some(queue) = &sale.queue {
        let method = if queue.method == QueueMethod::Fifo { "fifo" } else { "lottery" };
        words.push(format!("queue={method} rate={} burst={}", queue.rate, queue.burst));
    }
    words.push(format!("price={} currency={}", sale.price, word(&sale.currency)));
    if !required.is_empty() {
        let required: Vec<String> = required.iter().map(|rule| word(rule)).collect();
        words.push(format!("required={}", required.join(",")));
    }
    if !sealed {
        words.push("sealed=no".into());
    }
    words.join(" ") + "\n"
}

fn note(id: NoteId, names: &Names, write: fn(&str) -> String) -> String {
    names.name(id).map_or_else(|| format!("n{}", id.place()), |name| write(&name))
}

fn mark_line(mark: &Mark, names: &Names) -> String {
    let mut words = vec!["mark".to_owned(), units::print(mark.at)];
    match mark.kind {
        MarkKind::Phase(name) => words.push(format!("phase {name}")),
        MarkKind::Note(text) => words.push(format!("note {}", note(text, names, sentence))),
        MarkKind::Fault { name, target, stage } => {
            words.push(format!("fault {} {stage}", note(name, names, word)));
            words.extend(target.map(|target| format!("on={}", note(target, names, word))));
        }
        MarkKind::Charge { charge, order, hold, buyer, instrument, amount, stage } => {
            words.push(format!("charge {charge} {stage} amount={amount}"));
            words.extend(order.map(|order| format!("order={order}")));
            words.extend(hold.map(|hold| format!("hold={hold}")));
            words.extend(buyer.map(|buyer| format!("buyer={buyer}")));
            words.extend(instrument.map(|instrument| format!("instrument={instrument}")));
        }
        MarkKind::Refund { refund, charge, amount, stage } => {
            words.push(format!("refund {refund} {charge} {stage} amount={amount}"));
        }
        MarkKind::Delivery { delivery, charge, kind, label, stage, status, amount } => {
            let charge = charge.map(|charge| format!(" {charge}")).unwrap_or_default();
            words.push(format!(
                "delivery {delivery}{charge} {kind} {label} {stage} amount={amount} status={status}"
            ));
        }
    }
    words.join(" ") + "\n"
}
