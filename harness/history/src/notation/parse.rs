//! From lines to a history.

use super::units;
use crate::{
    BuyerId, CallKind, ChargeId, ChargeStage, Class, Completion, ConfirmPolicy, DeliveryId,
    DeliveryKind, DeliveryLabel, DeliveryStage, FaultStage, Header, History, HoldId, InstrumentId,
    Invocation, KeyId, Label, LateCapture, Line, Mark, MarkKind, Named, Names, Nanos, NoteId, OpId,
    Operation, OrderId, Outcome, PhaseName, ProcessId, QueueFacts, QueueMethod, RefundId,
    RefundStage, SaleFacts, Side, SkuFacts, SkuId, SkuRole, SoldOutPolicy, State, Wave,
};

/// A line that cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct NotationError {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What is wrong, and what could stand there.
    pub message: String,
}

/// One word and where it begins.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    column: usize,
}

/// The words of a line that are still to be read.
struct Words<'a> {
    words: Vec<Word<'a>>,
    next: usize,
    line: usize,
    end: usize,
}

type Read<T> = Result<T, NotationError>;

/// Reads a history. Every identifier gets a name in the dictionary: its own notation.
///
/// # Errors
/// At the first word that means nothing.
pub fn parse(text: &str) -> Result<(History, Names), NotationError> {
    let mut reader = Reader::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or("");
        if !content.trim().is_empty() {
            reader.line(&mut Words::of(content, index + 1))?;
        }
    }
    Ok(reader.finish())
}

struct Reader {
    history: History,
    names: Names,
    operations: Vec<(Operation, Vec<(Side, Line)>)>,
}

impl Reader {
    fn new() -> Self {
        let header = Header {
            format: Header::FORMAT,
            run: "notation".into(),
            workload: "notation".into(),
            target: "notation".into(),
            harness: env!("CARGO_PKG_VERSION").into(),
            seed: 0,
            epoch_unix_ns: 0,
            sale: default_sale(),
            required: vec![],
        };
        let history =
            History { header, operations: vec![], lines: vec![], marks: vec![], sealed: true };
        Self { history, names: Names::default(), operations: vec![] }
    }

    fn line(&mut self, words: &mut Words<'_>) -> Read<()> {
        let first = words.peek().map_or("", |word| word.text);
        match first {
            "sale" => self.sku(words),
            "facts" => self.facts(words),
            "mark" => self.mark(words),
            _ if first.starts_with('p') => self.operation(words),
            _ => Err(words.wrong("expected `sale`, `facts`, `mark` or an operation that begins with its process, `p0`")),
        }?;
        words.done()
    }

    fn sku(&mut self, words: &mut Words<'_>) -> Read<()> {
        words.take();
        let name = words.word("the SKU's name")?.text.to_owned();
        let mut sku = SkuFacts { name, capacity: 0, shards: 1, role: SkuRole::Hot, waves: vec![] };
        while words.peek().is_some() {
            let (key, value) = words.pair()?;
            match key {
                "stock" => sku.capacity = words.number(value)?,
                "shards" => sku.shards = words.number(value)?,
                "role" => sku.role = words.json(value, "hot, canary or seat")?,
                "waves" => sku.waves = waves(words, value)?,
                _ => self.fact(words, key, value)?,
            }
        }
        let id: SkuId = self.names.id(&sku.name);
        if id.index() != self.history.header.sale.skus.len() {
            return Err(words.wrong("this SKU was declared before"));
        }
        self.history.header.sale.skus.push(sku);
        Ok(())
    }

    fn facts(&mut self, words: &mut Words<'_>) -> Read<()> {
        words.take();
        while words.peek().is_some() {
            let (key, value) = words.pair()?;
            self.fact(words, key, value)?;
        }
        Ok(())
    }

    fn fact(&mut self, words: &Words<'_>, key: &str, value: &str) -> Read<()> {
        let sale = &mut self.history.header.sale;
        match key {
            "opens" => sale.opens = words.time(value)?,
            "ttl" => sale.ttl = words.time(value)?,
            "earliness" => sale.earliness = words.time(value)?,
            "grace" => sale.grace = words.time(value)?,
            "clock-error" => sale.clock_error = words.time(value)?,
            "release-lag" => sale.release_lag = words.time(value)?,
            "confirm" => sale.confirm = words.json(value, "strict or reacquire")?,
            "checkout" => sale.checkout_extends = value == "extends",
            "late-capture" => sale.late_capture = words.json(value, "refund or rehold")?,
            "sold-out" => {
                sale.sold_out = match value.strip_prefix("stale:") {
                    Some(time) => SoldOutPolicy::Stale(words.time(time)?),
                    None => words.json(value, "exact, shard-local or stale:50ms")?,
                }
            }
            "account-limit" => sale.account_limit = Some(words.number(value)?),
            "instrument-limit" => sale.instrument_limit = Some(words.number(value)?),
            "price" => sale.price = words.number(value)?,
            "currency" => value.clone_into(&mut sale.currency),
            "queue" => queue(sale).method = words.json(value, "fifo or lottery")?,
            "rate" => {
                queue(sale).rate = value.parse().map_err(|_| words.wrong("expected a number"))?
            }
            "burst" => queue(sale).burst = words.number(value)?,
            "required" => {
                self.history.header.required = value.split(',').map(str::to_owned).collect()
            }
            "sealed" => self.history.sealed = value != "no",
            _ => return Err(words.wrong(&format!("there is no fact `{key}`"))),
        }
        Ok(())
    }

    fn operation(&mut self, words: &mut Words<'_>) -> Read<()> {
        let process: ProcessId = words.id("p")?;
        let buyer: BuyerId = match words.peek() {
            Some(word) if word.text.starts_with('b') => self.named(words, "b")?,
            _ => self.name(BuyerId::from_index(process.index()), "b"),
        };
        let (start, end) = words.interval()?;
        let kind = words.vocabulary(CallKind::from_word, CallKind::ALL, "a kind of call")?;
        let mut call = Invocation::of(kind, process, buyer);
        let mut lines = vec![];
        while words.peek().is_some_and(|word| word.text != "->") {
            self.subject(words, &mut call, &mut lines)?;
        }
        words.expect("->")?;
        let answer = self.answer(words, &mut lines)?;
        let id = OpId::from_index(self.operations.len());
        let end = if answer.outcome.is_indeterminate() { Nanos::NEVER } else { end };
        self.operations.push((Operation { id, start, end, call, answer, lines: (0, 0) }, lines));
        Ok(())
    }

    /// One word of what a call is about: a SKU with its quantity, an identifier, or an attribute.
    fn subject(
        &mut self,
        words: &mut Words<'_>,
        call: &mut Invocation,
        lines: &mut Vec<(Side, Line)>,
    ) -> Read<()> {
        let word = words.peek().expect("the caller looked");
        if word.text.contains('=') {
            let (key, value) = words.pair()?;
            match key {
                "key" => call.key = Some(self.value(words, value, "k")?),
                "instrument" => call.instrument = Some(self.value(words, value, "i")?),
                "label" => {
                    call.label = words.known(Label::from_word(value), Label::ALL, "a label")?
                }
                "link" => call.link = Some(words.parse_id(value, "op")?),
                "late" => {
                    let micros = words.time(value)?.0 / 1_000;
                    call.late_us =
                        u32::try_from(micros).map_err(|_| words.wrong("more than an hour late"))?;
                }
                _ => return Err(words.wrong(&format!("there is no attribute `{key}`"))),
            }
            return Ok(());
        }
        if let Some(sku) = self.names.find::<SkuId>(word.text.trim_end_matches(',')) {
            words.take();
            let quantity = words.quantity()?;
            if call.sku.is_none() {
                (call.sku, call.quantity) = (Some(sku), quantity);
            } else {
                lines.push((Side::Call, Line::Item { sku, quantity }));
            }
            return Ok(());
        }
        match word.text.as_bytes()[0] {
            b'h' => call.hold = Some(self.named(words, "h")?),
            b'o' => call.order = Some(self.named(words, "o")?),
            b'c' => call.charge = Some(self.named(words, "c")?),
            _ => return Err(words.wrong("expected a SKU, `h0`, `o0`, `c0`, an attribute or `->`")),
        }
        Ok(())
    }

    fn answer(&mut self, words: &mut Words<'_>, lines: &mut Vec<(Side, Line)>) -> Read<Completion> {
        let first = words.peek().ok_or_else(|| words.wrong("expected an answer"))?.text;
        let mut answer = Completion::of(Outcome::Ok);
        if let Some(class) = first.strip_prefix('?') {
            let class =
                if class.is_empty() { Some(Class::Timeout) } else { Class::from_word(class) };
            answer.outcome = Outcome::Indeterminate(words.known(class, Class::ALL, "a class")?);
            words.take();
        } else if let Some(class) = first.strip_prefix('!') {
            answer.outcome =
                Outcome::Failed(words.known(Class::from_word(class), Class::ALL, "a class")?);
            words.take();
        } else if let Some(class) = Class::from_word(first) {
            answer.outcome = class.outcome();
            words.take();
        }
        while words.peek().is_some() {
            self.answered(words, &mut answer, lines)?;
        }
        Ok(answer)
    }

    fn answered(
        &mut self,
        words: &mut Words<'_>,
        answer: &mut Completion,
        lines: &mut Vec<(Side, Line)>,
    ) -> Read<()> {
        let word = words.take().expect("the caller looked");
        let (key, value) = match word.text.split_once('=') {
            Some(pair) => pair,
            None if word.text == "orders" => return self.orders(words, lines),
            None if word.text == "stock" => return self.stock(words, lines),
            None => (word.text, words.word("what is answered")?.text),
        };
        match key {
            "hold" => answer.hold = Some(self.value(words, value, "h")?),
            "order" => answer.order = Some(self.value(words, value, "o")?),
            "charge" => answer.charge = Some(self.value(words, value, "c")?),
            "state" => {
                answer.state = Some(words.known(State::from_word(value), State::ALL, "a state")?)
            }
            "value" | "position" => answer.value = words.number(value)?,
            "status" => {
                answer.status = value.parse().map_err(|_| words.wrong("expected an HTTP status"))?
            }
            _ => {
                return Err(words.wrong(
                    "expected a class, `hold`, `order`, `charge`, `position`, `orders` or `stock`",
                ));
            }
        }
        Ok(())
    }

    fn orders(&mut self, words: &mut Words<'_>, lines: &mut Vec<(Side, Line)>) -> Read<()> {
        while words
            .peek()
            .is_some_and(|word| word.text.starts_with('o') && !word.text.contains('='))
        {
            let both = words.word("an order")?.text;
            let (order, hold) =
                both.split_once('/').map_or((both, None), |(order, hold)| (order, Some(hold)));
            let order: OrderId = self.value(words, order, "o")?;
            let hold: Option<HoldId> = hold.map(|hold| self.value(words, hold, "h")).transpose()?;
            let sku = self.sku_of(words)?;
            let quantity = words.quantity()?;
            let state = words.vocabulary(State::from_word, State::ALL, "a state")?;
            lines.push((Side::Answer, Line::Order { order, hold, sku, quantity, state }));
        }
        Ok(())
    }

    fn stock(&mut self, words: &mut Words<'_>, lines: &mut Vec<(Side, Line)>) -> Read<()> {
        while words.peek().is_some_and(|word| !word.text.contains('=')) {
            let sku = self.sku_of(words)?;
            let mut figures = [0; 4];
            for (figure, name) in
                figures.iter_mut().zip(["total", "available", "held", "confirmed"])
            {
                words.expect(name)?;
                let text = words.word("a number")?.text.trim_end_matches(',');
                *figure = words.number(text)?;
            }
            let [total, available, held, confirmed] = figures;
            lines.push((Side::Answer, Line::Stock { sku, total, available, held, confirmed }));
        }
        Ok(())
    }

    fn sku_of(&self, words: &mut Words<'_>) -> Read<SkuId> {
        let name = words.word("a SKU")?.text;
        self.names
            .find(name)
            .ok_or_else(|| words.wrong(&format!("the SKU `{name}` is not declared")))
    }

    fn mark(&mut self, words: &mut Words<'_>) -> Read<()> {
        words.take();
        let time = words.word("a time")?.text;
        let at = words.time(time)?;
        let kind = match words.word("the kind of mark")?.text {
            "phase" => MarkKind::Phase(words.vocabulary(
                PhaseName::from_word,
                PhaseName::ALL,
                "a phase",
            )?),
            "fault" => self.fault(words)?,
            "charge" => self.charge(words)?,
            "refund" => self.refund(words)?,
            "delivery" => self.delivery(words)?,
            "note" => MarkKind::Note(self.names.id::<NoteId>(&words.rest())),
            _ => {
                return Err(words
                    .wrong("expected `phase`, `fault`, `charge`, `refund`, `delivery` or `note`"));
            }
        };
        self.history.marks.push(Mark { at, kind });
        Ok(())
    }

    fn fault(&mut self, words: &mut Words<'_>) -> Read<MarkKind> {
        let name: NoteId = self.names.id(words.word("the fault's name")?.text);
        let stage = words.vocabulary(FaultStage::from_word, FaultStage::ALL, "a stage")?;
        let mut target = None;
        while words.peek().is_some() {
            match words.pair()? {
                ("on", value) => target = Some(self.names.id::<NoteId>(value)),
                _ => return Err(words.wrong("expected `on=…`")),
            }
        }
        Ok(MarkKind::Fault { name, target, stage })
    }

    fn charge(&mut self, words: &mut Words<'_>) -> Read<MarkKind> {
        let charge: ChargeId = self.named(words, "c")?;
        let stage = words.vocabulary(ChargeStage::from_word, ChargeStage::ALL, "a stage")?;
        let (mut order, mut hold, mut buyer, mut instrument, mut amount) =
            (None, None, None, None, 0);
        while words.peek().is_some() {
            let (key, value) = words.pair()?;
            match key {
                "order" => order = Some(self.value(words, value, "o")?),
                "hold" => hold = Some(self.value(words, value, "h")?),
                "buyer" => buyer = Some(self.value(words, value, "b")?),
                "instrument" => instrument = Some(self.value(words, value, "i")?),
                "amount" => amount = words.number(value)?,
                _ => {
                    return Err(
                        words.wrong("expected `order`, `hold`, `buyer`, `instrument` or `amount`")
                    );
                }
            }
        }
        Ok(MarkKind::Charge { charge, order, hold, buyer, instrument, amount, stage })
    }

    fn refund(&mut self, words: &mut Words<'_>) -> Read<MarkKind> {
        let refund: RefundId = self.named(words, "r")?;
        let charge: ChargeId = self.named(words, "c")?;
        let stage = words.vocabulary(RefundStage::from_word, RefundStage::ALL, "a stage")?;
        let amount = words.amount_and_status()?.0;
        Ok(MarkKind::Refund { refund, charge, amount, stage })
    }

    fn delivery(&mut self, words: &mut Words<'_>) -> Read<MarkKind> {
        let delivery: DeliveryId = self.named(words, "d")?;
        let charge = match words.peek() {
            Some(word) if DeliveryKind::from_word(word.text).is_none() => {
                Some(self.named(words, "c")?)
            }
            _ => None,
        };
        let kind =
            words.vocabulary(DeliveryKind::from_word, DeliveryKind::ALL, "what the event says")?;
        let label =
            words.vocabulary(DeliveryLabel::from_word, DeliveryLabel::ALL, "how it is meant")?;
        let stage = words.vocabulary(DeliveryStage::from_word, DeliveryStage::ALL, "a stage")?;
        let (amount, status) = words.amount_and_status()?;
        Ok(MarkKind::Delivery { delivery, charge, kind, label, stage, status, amount })
    }

    /// An identifier as the next word.
    fn named<I: Named + Numbered>(&self, words: &mut Words<'_>, letter: &str) -> Read<I> {
        words.word("an identifier")?;
        let text = words.words[words.next - 1].text.trim_end_matches(',');
        self.value(words, text, letter)
    }
    fn value<I: Named + Numbered>(&self, words: &Words<'_>, text: &str, letter: &str) -> Read<I> {
        Ok(self.name(words.parse_id(text, letter)?, letter))
    }
    /// Names everything up to an identifier, so that the dictionary counts as the notation does.
    fn name<I: Named>(&self, id: I, letter: &str) -> I {
        for index in self.names.count(I::NAMESPACE)..=id.place() {
            let _: I = self.names.id(&format!("{letter}{index}"));
        }
        id
    }

    fn finish(mut self) -> (History, Names) {
        for (mut operation, lines) in self.operations {
            let at = |length: usize| u32::try_from(length).expect("fewer than 2^32 lines");
            let from = at(self.history.lines.len());
            self.history.lines.extend(lines);
            operation.lines = (from, at(self.history.lines.len()));
            self.history.operations.push(operation);
        }
        self.history.operations.sort_by_key(|operation| (operation.start, operation.id));
        self.history.marks.sort_by_key(|mark| mark.at);
        (self.history, self.names)
    }
}

fn default_sale() -> SaleFacts {
    SaleFacts {
        skus: vec![],
        opens: Nanos::ZERO,
        ttl: Nanos::from_millis(60_000),
        earliness: Nanos::ZERO,
        grace: Nanos::from_millis(1_000),
        clock_error: Nanos::ZERO,
        release_lag: Nanos::ZERO,
        confirm: ConfirmPolicy::Strict,
        checkout_extends: true,
        late_capture: LateCapture::Refund,
        sold_out: SoldOutPolicy::Exact,
        account_limit: None,
        instrument_limit: None,
        queue: None,
        price: 100,
        currency: "eur".into(),
    }
}

fn queue(sale: &mut SaleFacts) -> &mut QueueFacts {
    sale.queue.get_or_insert(QueueFacts { method: QueueMethod::Fifo, rate: 100.0, burst: 10 })
}

fn waves(words: &Words<'_>, text: &str) -> Read<Vec<Wave>> {
    let wave = |text: &str| {
        let (at, units) =
            text.split_once(':').ok_or_else(|| words.wrong("expected a wave like `3s:100`"))?;
        Ok(Wave { at: words.time(at)?, units: words.number(units)? })
    };
    text.split(',').map(wave).collect()
}

/// An identifier that is written with its number.
trait Numbered: Sized {
    fn numbered(index: usize) -> Self;
}
macro_rules! numbered {
    ($($id:ident)*) => {$(impl Numbered for $id { fn numbered(index: usize) -> Self { Self::from_index(index) } })*};
}
numbered!(OpId ProcessId BuyerId HoldId OrderId KeyId InstrumentId ChargeId RefundId DeliveryId);

impl<'a> Words<'a> {
    fn of(content: &'a str, line: usize) -> Self {
        let mut words = vec![];
        let mut rest = content;
        while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
            let text = &rest[start..];
            let text = text.split(char::is_whitespace).next().unwrap_or(text);
            let offset = content.len() - rest.len() + start;
            words.push(Word { text, column: content[..offset].chars().count() + 1 });
            rest = &rest[start + text.len()..];
        }
        Self { words, next: 0, line, end: content.trim_end().chars().count() + 1 }
    }
    fn peek(&self) -> Option<Word<'a>> {
        self.words.get(self.next).copied()
    }
    fn take(&mut self) -> Option<Word<'a>> {
        let word = self.peek();
        self.next += usize::from(word.is_some());
        word
    }
    fn word(&mut self, what: &str) -> Read<Word<'a>> {
        self.take().ok_or_else(|| self.at_end(&format!("expected {what}")))
    }
    fn at_end(&self, message: &str) -> NotationError {
        NotationError { line: self.line, column: self.end, message: message.to_owned() }
    }
    /// A mistake at the word that was read last, or is next at the beginning of a line.
    fn wrong(&self, message: &str) -> NotationError {
        let column =
            self.words.get(self.next.saturating_sub(1)).map_or(self.end, |word| word.column);
        NotationError { line: self.line, column, message: message.to_owned() }
    }
    fn done(&mut self) -> Read<()> {
        match self.take() {
            None => Ok(()),
            Some(word) => Err(self.wrong(&format!("`{}` means nothing here", word.text))),
        }
    }
    fn expect(&mut self, text: &str) -> Read<()> {
        let word = self.word(&format!("`{text}`"))?;
        if word.text == text { Ok(()) } else { Err(self.wrong(&format!("expected `{text}`"))) }
    }
    fn pair(&mut self) -> Read<(&'a str, &'a str)> {
        let word = self.word("key=value")?;
        word.text.split_once('=').ok_or_else(|| self.wrong("expected key=value"))
    }
    fn number(&self, text: &str) -> Read<u32> {
        text.parse().map_err(|_| self.wrong(&format!("`{text}` is not a number")))
    }
    fn time(&self, text: &str) -> Read<Nanos> {
        units::parse(text).ok_or_else(|| self.wrong(&format!("`{text}` is not a time like `20ms`")))
    }
    fn interval(&mut self) -> Read<(Nanos, Nanos)> {
        let word = self.word("an interval like `2ms..8ms`")?;
        let (start, end) = word
            .text
            .split_once("..")
            .ok_or_else(|| self.wrong("expected an interval like `2ms..8ms`"))?;
        let (start, end) =
            (self.time(start)?, if end == "?" { Nanos::NEVER } else { self.time(end)? });
        if end < start {
            Err(self.wrong("the interval ends before it begins"))
        } else {
            Ok((start, end))
        }
    }
    /// `x3`, or nothing for 1; a comma may follow.
    fn quantity(&mut self) -> Read<u32> {
        let Some(word) = self.peek() else { return Ok(1) };
        let Some(number) = word.text.strip_prefix('x') else { return Ok(1) };
        self.take();
        self.number(number.trim_end_matches(','))
    }
    fn id<I: Numbered>(&mut self, letter: &str) -> Read<I> {
        let text = self.word("an identifier")?.text;
        self.parse_id(text, letter)
    }
    fn parse_id<I: Numbered>(&self, text: &str, letter: &str) -> Read<I> {
        let number = text.strip_prefix(letter).and_then(|number| number.parse::<u32>().ok());
        let number = number.filter(|number| *number < 1 << 24);
        number
            .map(|number| I::numbered(number as usize))
            .ok_or_else(|| self.wrong(&format!("expected `{letter}` and a number, not `{text}`")))
    }
    fn known<T: Copy + std::fmt::Display>(
        &self,
        value: Option<T>,
        all: &[T],
        what: &str,
    ) -> Read<T> {
        value.ok_or_else(|| {
            let all: Vec<String> = all.iter().map(ToString::to_string).collect();
            self.wrong(&format!("expected {what}: {}", all.join(", ")))
        })
    }
    fn vocabulary<T: Copy + std::fmt::Display>(
        &mut self,
        read: impl Fn(&str) -> Option<T>,
        all: &[T],
        what: &str,
    ) -> Read<T> {
        let word = self.word(what)?;
        self.known(read(word.text.trim_end_matches(',')), all, what)
    }
    /// Words that serde knows.
    fn json<T: serde::de::DeserializeOwned>(&self, text: &str, what: &str) -> Read<T> {
        serde_json::from_value(text.into()).map_err(|_| self.wrong(&format!("expected {what}")))
    }
    fn amount_and_status(&mut self) -> Read<(u32, u16)> {
        let (mut amount, mut status) = (0, 0);
        while self.peek().is_some() {
            match self.pair()? {
                ("amount", value) => amount = self.number(value)?,
                ("status", value) => {
                    status = value.parse().map_err(|_| self.wrong("expected an HTTP status"))?
                }
                _ => return Err(self.wrong("expected `amount` or `status`")),
            }
        }
        Ok((amount, status))
    }
    fn rest(&mut self) -> String {
        let rest: Vec<&str> = self.words[self.next..].iter().map(|word| word.text).collect();
        self.next = self.words.len();
        rest.join(" ")
    }
}
