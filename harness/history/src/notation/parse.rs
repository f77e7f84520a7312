//! From lines to a history.

use super::facts::default_sale;
use super::words::{NotationError, Numbered, Read, Word, Words, is_numbered};
use crate::{
    BuyerId, CallKind, Class, Completion, Header, History, HoldId, Invocation, Label, Line, Named,
    Names, Nanos, OpId, Operation, OrderId, Outcome, ProcessId, Side, SkuId, State,
};

/// Identifiers may be as large as this, or as the text is long: what a short text can make a reader count to has a limit.
const NUMBER_MAX: usize = 1 << 16;

/// Reads a history. Every identifier gets a name in the dictionary: its own notation.
///
/// # Errors
/// At the first word that means nothing.
pub fn parse(text: &str) -> Result<(History, Names), NotationError> {
    let mut reader = Reader::new(NUMBER_MAX.max(text.len()));
    for (index, line) in text.lines().enumerate() {
        let mut words = Words::of(line, index + 1);
        if !words.is_empty() {
            reader.line(&mut words)?;
        }
    }
    Ok(reader.finish())
}

/// What was read so far.
pub(super) struct Reader {
    pub(super) history: History,
    pub(super) names: Names,
    operations: Vec<(Operation, Vec<(Side, Line)>)>,
    number_max: usize,
}

impl Reader {
    fn new(number_max: usize) -> Self {
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
        Self { history, names: Names::default(), operations: vec![], number_max }
    }

    fn line(&mut self, words: &mut Words<'_>) -> Read<()> {
        let first = words.peek().expect("the caller looked");
        match first.text {
            "sale" => self.sku(words),
            "facts" => self.facts(words),
            "mark" => self.mark(words),
            text if text.starts_with('p') => self.operation(words),
            _ => Err(first.wrong("expected `sale`, `facts`, `mark` or an operation that begins with its process, `p0`")),
        }?;
        words.done()
    }

    fn operation(&mut self, words: &mut Words<'_>) -> Read<()> {
        let first = words.word("a process")?;
        let process: ProcessId = first.id("p")?;
        let buyer: BuyerId = match words.peek() {
            Some(word) if word.text.starts_with('b') => self.named(words, "b")?,
            _ => self.name(BuyerId::from_index(process.index()), "b", first)?,
        };
        let interval = words.word("an interval like `2ms..8ms`")?;
        let (start, end) = times(interval)?;
        let kind = words.one_of(CallKind::from_word, CallKind::ALL, "a kind of call")?;
        let mut call = Invocation::of(kind, process, buyer);
        let mut lines = vec![];
        while let Some(word) = words.peek().filter(|word| word.text != "->") {
            words.take();
            self.subject(word, words, &mut call, &mut lines)?;
        }
        words.expect("->")?;
        let answer = self.answer(words, &mut lines)?;
        let id = OpId::from_index(self.operations.len());
        let end = match (answer.outcome.is_indeterminate(), end) {
            (true, _) => Nanos::NEVER,
            (false, Some(end)) => end,
            (false, None) => return Err(interval.wrong("what was answered has an end")),
        };
        self.operations.push((Operation { id, start, end, call, answer, lines: (0, 0) }, lines));
        Ok(())
    }

    /// One word of what a call is about: a SKU with its quantity, an identifier, or an attribute.
    fn subject(
        &mut self,
        word: Word<'_>,
        words: &mut Words<'_>,
        call: &mut Invocation,
        lines: &mut Vec<(Side, Line)>,
    ) -> Read<()> {
        if word.is_pair() {
            return self.attribute(word, call);
        }
        if word.is_quoted() || !is_numbered(word.text) {
            let Some(sku) = self.names.find::<SkuId>(&word.without_comma().name()?) else {
                return Err(word.wrong("expected a SKU, `h0`, `o0`, `c0`, an attribute or `->`"));
            };
            let quantity = words.quantity()?;
            if call.sku.is_none() {
                (call.sku, call.quantity) = (Some(sku), quantity);
            } else {
                lines.push((Side::Call, Line::Item { sku, quantity }));
            }
            return Ok(());
        }
        match word.text.as_bytes()[0] {
            b'h' => call.hold = Some(self.value(word, "h")?),
            b'o' => call.order = Some(self.value(word, "o")?),
            b'c' => call.charge = Some(self.value(word, "c")?),
            _ => return Err(word.wrong("a quantity stands after its SKU")),
        }
        Ok(())
    }

    fn attribute(&mut self, word: Word<'_>, call: &mut Invocation) -> Read<()> {
        let (key, value) = word.split("=").expect("the caller looked");
        match key.text {
            "key" => call.key = Some(self.value(value, "k")?),
            "instrument" => call.instrument = Some(self.value(value, "i")?),
            "label" => call.label = value.one_of(Label::from_word, Label::ALL, "a label")?,
            "link" => call.link = Some(value.id("op")?),
            "late" => {
                let micros = value.time()?.0 / 1_000;
                call.late_us =
                    u32::try_from(micros).map_err(|_| value.wrong("more than an hour late"))?;
            }
            _ => return Err(key.wrong(format!("there is no attribute `{}`", key.text))),
        }
        Ok(())
    }

    fn answer(&mut self, words: &mut Words<'_>, lines: &mut Vec<(Side, Line)>) -> Read<Completion> {
        let first = words.word("an answer")?;
        let class = |word: Word<'_>| word.one_of(Class::from_word, Class::ALL, "a class");
        let mut answer = Completion::of(Outcome::Ok);
        if first.text == "?" {
            answer.outcome = Outcome::Indeterminate(Class::Timeout);
        } else if let Some(word) = first.after('?') {
            answer.outcome = Outcome::Indeterminate(class(word)?);
        } else if let Some(word) = first.after('!') {
            answer.outcome = Outcome::Failed(class(word)?);
        } else if let Some(class) = Class::from_word(first.text) {
            answer.outcome = class.outcome();
        } else {
            self.answered(first, words, &mut answer, lines)?;
        }
        while let Some(word) = words.take() {
            self.answered(word, words, &mut answer, lines)?;
        }
        Ok(answer)
    }

    fn answered(
        &mut self,
        word: Word<'_>,
        words: &mut Words<'_>,
        answer: &mut Completion,
        lines: &mut Vec<(Side, Line)>,
    ) -> Read<()> {
        let (key, value) = match word.text {
            "orders" => return self.orders(words, lines),
            "stock" => return self.stock(words, lines),
            "hold" | "order" | "charge" | "state" | "value" | "position" | "status" => {
                (word, words.word("what is answered")?)
            }
            _ => word.split("=").unwrap_or((word, word)),
        };
        match key.text {
            "hold" => answer.hold = Some(self.value(value, "h")?),
            "order" => answer.order = Some(self.value(value, "o")?),
            "charge" => answer.charge = Some(self.value(value, "c")?),
            "state" => {
                answer.state = Some(value.one_of(State::from_word, State::ALL, "a state")?);
            }
            "value" | "position" => answer.value = value.number()?,
            "status" => answer.status = value.status()?,
            _ => {
                return Err(key.wrong(
                    "expected a class, `hold`, `order`, `charge`, `position`, `orders` or `stock`",
                ));
            }
        }
        Ok(())
    }

    fn orders(&mut self, words: &mut Words<'_>, lines: &mut Vec<(Side, Line)>) -> Read<()> {
        while let Some(both) = words.peek().filter(|word| {
            word.after('o').is_some_and(|rest| rest.text.starts_with(|c: char| c.is_ascii_digit()))
        }) {
            words.take();
            let (order, hold) = both.split("/").map_or((both, None), |(o, h)| (o, Some(h)));
            let order: OrderId = self.value(order, "o")?;
            let hold: Option<HoldId> = hold.map(|hold| self.value(hold, "h")).transpose()?;
            let sku = self.sku_of(words)?;
            let quantity = words.quantity()?;
            let state = words.one_of(State::from_word, State::ALL, "a state")?;
            lines.push((Side::Answer, Line::Order { order, hold, sku, quantity, state }));
        }
        Ok(())
    }

    fn stock(&mut self, words: &mut Words<'_>, lines: &mut Vec<(Side, Line)>) -> Read<()> {
        while words.peek().is_some_and(|word| !word.is_pair()) {
            let sku = self.sku_of(words)?;
            let mut figures = [0; 4];
            for (figure, name) in
                figures.iter_mut().zip(["total", "available", "held", "confirmed"])
            {
                words.expect(name)?;
                *figure = words.word("a number")?.without_comma().number()?;
            }
            let [total, available, held, confirmed] = figures;
            lines.push((Side::Answer, Line::Stock { sku, total, available, held, confirmed }));
        }
        Ok(())
    }

    fn sku_of(&self, words: &mut Words<'_>) -> Read<SkuId> {
        let word = words.word("a SKU")?.without_comma();
        self.names
            .find(&word.name()?)
            .ok_or_else(|| word.wrong(format!("there is no SKU `{}`", word.text)))
    }

    /// An identifier as the next word.
    pub(super) fn named<I: Named + Numbered>(
        &self,
        words: &mut Words<'_>,
        letter: &str,
    ) -> Read<I> {
        self.value(words.word("an identifier")?.without_comma(), letter)
    }
    /// This word as an identifier.
    pub(super) fn value<I: Named + Numbered>(&self, word: Word<'_>, letter: &str) -> Read<I> {
        self.name(word.id(letter)?, letter, word)
    }
    /// Names everything up to an identifier, so that the dictionary counts as the notation does.
    fn name<I: Named>(&self, id: I, letter: &str, word: Word<'_>) -> Read<I> {
        if id.place() >= self.number_max {
            return Err(word.wrong("so large a number would leave too many unused"));
        }
        for index in self.names.count(I::NAMESPACE)..=id.place() {
            let _: I = self.names.id(&format!("{letter}{index}"));
        }
        Ok(id)
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

/// `2ms..8ms`, or `2ms..?`
fn times(word: Word<'_>) -> Read<(Nanos, Option<Nanos>)> {
    let (start, end) =
        word.split("..").ok_or_else(|| word.wrong("expected an interval like `2ms..8ms`"))?;
    let start = start.time()?;
    let end = if end.text == "?" { None } else { Some(end.time()?) };
    if end.is_some_and(|end| end < start || end == Nanos::NEVER) {
        return Err(word.wrong("the interval ends before it begins"));
    }
    Ok((start, end))
}
