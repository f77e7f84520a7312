//! Reads the upper part of a case: a sale, its operations, one a line, and what the provider and the harness marked.
//!
//! ```text
//! # A comment.
//! sale  ttl=60s grace=2s lag=5ms earliness=0ms opens=0ms account-limit=4 card-limit=4 price=100 seed-words…
//! sku   A stock=1 shards=1 role=canary waves=0ms:1,20ms:2
//! p0    0ms..5ms   hold A x2 + B x1 key=k0 card=i0 label=replay link=0 by=b0 -> hold h0 ttl=60s
//! p1    2ms..      hold A -> ?
//! p0    6ms..7ms   list-orders label=final -> o0 h0 A x1 confirmed, o1 - A x1 expired
//! p0    6ms..7ms   stock -> A total=1 available=0 held=1 confirmed=0
//! mark  9ms        charge c0 captured 100 hold=h0 order=o0 by=b0
//! mark  9ms        refund r0 c0 succeeded 100
//! mark  9ms        delivery d0 c0 succeeded genuine answered 200 100
//! mark  10ms       phase drain-1
//! ```
//!
//! `sale A stock=1 ttl=60s` is short for a sale of one SKU. A process `p3` acts for buyer `b3` unless `by=` says otherwise.
//! `link=2` is the operation on the third operation line. `unsealed` on a line of its own leaves the record open.

use onsale_history::{
    CallKind, ChargeStage, Class, Completion, ConfirmPolicy, DeliveryKind, DeliveryLabel,
    DeliveryStage, FaultStage, Header, History, Invocation, Label, LateCapture, Line, Mark,
    MarkKind, Named, Names, Nanos, OpId, Operation, Outcome, PhaseName, ProcessId, QueueFacts,
    QueueMethod, RefundStage, SaleFacts, Side, SkuFacts, SkuId, SkuRole, SoldOutPolicy, State,
    Wave,
};

/// Reads a history; a mistake names its line.
pub(crate) fn parse(text: &str) -> Result<(History, Names), String> {
    let mut reader = Reader::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some((first, rest)) = words.split_first() {
            reader
                .line(first, rest)
                .map_err(|why| format!("line {}: {why}: `{}`", number + 1, line.trim()))?;
        }
    }
    Ok(reader.finish())
}

struct Reader {
    names: Names,
    sale: SaleFacts,
    required: Vec<String>,
    operations: Vec<(Operation, Vec<(Side, Line)>)>,
    marks: Vec<Mark>,
    sealed: bool,
}

impl Default for Reader {
    fn default() -> Self {
        let sale = SaleFacts {
            skus: vec![],
            opens: Nanos::ZERO,
            ttl: Nanos::from_millis(60_000),
            earliness: Nanos::ZERO,
            grace: Nanos::from_millis(2_000),
            clock_error: Nanos::ZERO,
            release_lag: Nanos::ZERO,
            confirm: ConfirmPolicy::Strict,
            checkout_extends: true,
            late_capture: LateCapture::Refund,
            sold_out: SoldOutPolicy::ShardLocal,
            account_limit: None,
            instrument_limit: None,
            queue: None,
            price: 100,
            currency: "eur".into(),
        };
        Self {
            names: Names::default(),
            sale,
            required: vec![],
            operations: vec![],
            marks: vec![],
            sealed: true,
        }
    }
}

impl Reader {
    fn line(&mut self, first: &str, rest: &[&str]) -> Result<(), String> {
        match first {
            "sale" => self.sale(rest),
            "sku" => self.sku(rest),
            "queue" => self.queue(rest),
            "mark" => self.mark(rest),
            "required" => {
                self.required.extend(rest.iter().map(|&word| word.to_owned()));
                Ok(())
            }
            "unsealed" => {
                self.sealed = false;
                Ok(())
            }
            process => self.operation(process, rest),
        }
    }

    fn sale(&mut self, rest: &[&str]) -> Result<(), String> {
        let mut sku: Vec<&str> = vec![];
        for &word in rest {
            let Some((key, value)) = word.split_once('=') else {
                match word {
                    "reacquire" => self.sale.confirm = ConfirmPolicy::Reacquire,
                    "rehold" => self.sale.late_capture = LateCapture::Rehold,
                    "checkout-does-not-extend" => self.sale.checkout_extends = false,
                    "exact" => self.sale.sold_out = SoldOutPolicy::Exact,
                    name => sku.push(name),
                }
                continue;
            };
            match key {
                "ttl" => self.sale.ttl = time(value)?,
                "grace" => self.sale.grace = time(value)?,
                "lag" => self.sale.release_lag = time(value)?,
                "earliness" => self.sale.earliness = time(value)?,
                "opens" => self.sale.opens = time(value)?,
                "clock-error" => self.sale.clock_error = time(value)?,
                "stale" => self.sale.sold_out = SoldOutPolicy::Stale(time(value)?),
                "account-limit" => self.sale.account_limit = Some(number(value)?),
                "card-limit" => self.sale.instrument_limit = Some(number(value)?),
                "price" => self.sale.price = number(value)?,
                _ => sku.push(word),
            }
        }
        if sku.is_empty() { Ok(()) } else { self.sku(&sku) }
    }

    fn sku(&mut self, rest: &[&str]) -> Result<(), String> {
        let (&name, rest) = rest.split_first().ok_or("a SKU has a name")?;
        let mut facts = SkuFacts {
            name: name.into(),
            capacity: 1,
            shards: 1,
            role: SkuRole::Hot,
            waves: vec![],
        };
        for word in rest {
            let (key, value) = word.split_once('=').ok_or("key=value")?;
            match key {
                "stock" => facts.capacity = number(value)?,
                "shards" => facts.shards = number(value)?,
                "role" => {
                    facts.role = match value {
                        "hot" => SkuRole::Hot,
                        "canary" => SkuRole::Canary,
                        "seat" => SkuRole::Seat,
                        _ => return Err("hot, canary or seat".into()),
                    }
                }
                "waves" => {
                    for wave in value.split(',') {
                        let (at, units) = wave.split_once(':').ok_or("at:units")?;
                        facts.waves.push(Wave { at: time(at)?, units: number(units)? });
                    }
                }
                _ => return Err(format!("a SKU has no `{key}`")),
            }
        }
        let _: SkuId = self.names.id(name);
        self.sale.skus.push(facts);
        Ok(())
    }

    fn queue(&mut self, rest: &[&str]) -> Result<(), String> {
        let mut facts = QueueFacts { method: QueueMethod::Fifo, rate: 100.0, burst: 1 };
        for word in rest {
            match word.split_once('=') {
                Some(("rate", value)) => facts.rate = f64::from(number(value)?),
                Some(("burst", value)) => facts.burst = number(value)?,
                None if *word == "fifo" => facts.method = QueueMethod::Fifo,
                None if *word == "lottery" => facts.method = QueueMethod::Lottery,
                _ => return Err(format!("a queue has no `{word}`")),
            }
        }
        self.sale.queue = Some(facts);
        Ok(())
    }

    fn id<I: Named>(&self, name: &str) -> I {
        self.names.id(name)
    }

    fn sku_id(&self, name: &str) -> Result<SkuId, String> {
        let known = self.sale.skus.iter().position(|sku| sku.name == name);
        known.map(SkuId::from_index).ok_or_else(|| format!("no SKU `{name}`"))
    }

    fn operation(&mut self, process: &str, rest: &[&str]) -> Result<(), String> {
        let index: usize = process
            .strip_prefix('p')
            .and_then(|n| n.parse().ok())
            .ok_or("a process is p0, p1, …")?;
        let (&span, rest) = rest.split_first().ok_or("an operation has a span")?;
        let (start, end) = span.split_once("..").ok_or("a span is start..end")?;
        let (start, mut end) =
            (time(start)?, if end.is_empty() { Nanos::NEVER } else { time(end)? });
        let arrow = rest
            .iter()
            .position(|&word| word == "->")
            .ok_or("an operation has `->` and an answer")?;
        let (&kind, asked) = rest[..arrow].split_first().ok_or("an operation has a kind")?;
        let kind = CallKind::from_word(kind).ok_or("a kind of call")?;
        let mut call =
            Invocation::of(kind, ProcessId::from_index(index), self.id(&format!("b{index}")));
        let mut lines = vec![];
        self.asked(&mut call, asked, &mut lines)?;
        let answer = self.answer(kind, &rest[arrow + 1..], &mut lines)?;
        if answer.outcome.is_indeterminate() {
            end = Nanos::NEVER;
        }
        let id = OpId::from_index(self.operations.len());
        self.operations.push((Operation { id, start, end, call, answer, lines: (0, 0) }, lines));
        Ok(())
    }

    fn asked(
        &self,
        call: &mut Invocation,
        words: &[&str],
        lines: &mut Vec<(Side, Line)>,
    ) -> Result<(), String> {
        let mut items: Vec<(SkuId, u32)> = vec![];
        for &word in words {
            if let Some((key, value)) = word.split_once('=') {
                match key {
                    "key" => call.key = Some(self.id(value)),
                    "card" => call.instrument = Some(self.id(value)),
                    "by" => call.buyer = self.id(value),
                    "charge" => call.charge = Some(self.id(value)),
                    "label" => call.label = Label::from_word(value).ok_or("a label")?,
                    "link" => call.link = Some(OpId::from_index(number(value)? as usize)),
                    _ => return Err(format!("a call has no `{key}`")),
                }
            } else if let Some(count) = word.strip_prefix('x').filter(|n| n.parse::<u32>().is_ok())
            {
                items.last_mut().ok_or("units of what?")?.1 = number(count)?;
            } else if word == "+" {
            } else if call.kind == CallKind::Hold {
                items.push((self.sku_id(word)?, 1));
            } else if word.starts_with('o') {
                call.order = Some(self.id(word));
            } else {
                call.hold = Some(self.id(word));
            }
        }
        if let Some((&(sku, quantity), more)) = items.split_first() {
            (call.sku, call.quantity) = (Some(sku), quantity);
            lines.extend(
                more.iter().map(|&(sku, quantity)| (Side::Call, Line::Item { sku, quantity })),
            );
        }
        Ok(())
    }

    fn answer(
        &self,
        kind: CallKind,
        words: &[&str],
        lines: &mut Vec<(Side, Line)>,
    ) -> Result<Completion, String> {
        let (&first, rest) = words.split_first().ok_or("an answer")?;
        if first == "?" {
            let class = rest
                .first()
                .map_or(Some(Class::Timeout), |word| Class::from_word(word))
                .ok_or("a class")?;
            return Ok(Completion::of(Outcome::Indeterminate(class)));
        }
        let lists = matches!(kind, CallKind::ListOrders | CallKind::Stock);
        if let Some(class) = Class::from_word(first).filter(|class| *class != Class::Ok) {
            let mut answer = Completion::of(class.outcome());
            self.details(&mut answer, rest)?;
            return Ok(answer);
        }
        let mut answer = Completion::of(Outcome::Ok);
        if lists && first != "ok" && first != "none" {
            for line in words.join(" ").split(',') {
                lines.push((
                    Side::Answer,
                    self.listed(kind, &line.split_whitespace().collect::<Vec<_>>())?,
                ));
            }
        } else {
            self.details(&mut answer, words)?;
        }
        Ok(answer)
    }

    fn details(&self, answer: &mut Completion, words: &[&str]) -> Result<(), String> {
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let mut next = || words.next().copied().ok_or_else(|| format!("`{word}` of what?"));
            match word {
                "ok" | "none" => {}
                "hold" => answer.hold = Some(self.id(next()?)),
                "order" => answer.order = Some(self.id(next()?)),
                "charge" => answer.charge = Some(self.id(next()?)),
                "state" => answer.state = Some(State::from_word(next()?).ok_or("a state")?),
                "value" => answer.value = number(next()?)?,
                _ => match word.split_once('=') {
                    Some(("ttl", value)) => {
                        answer.value =
                            u32::try_from(time(value)?.0 / 1_000_000).map_err(|_| "too long")?;
                    }
                    Some(("status", value)) => {
                        answer.status = u16::try_from(number(value)?).map_err(|_| "a status")?;
                    }
                    _ => return Err(format!("an answer has no `{word}`")),
                },
            }
        }
        Ok(())
    }

    fn listed(&self, kind: CallKind, words: &[&str]) -> Result<Line, String> {
        if kind == CallKind::ListOrders {
            let [order, hold, sku, units, state] = words else {
                return Err("order hold SKU xN state".into());
            };
            return Ok(Line::Order {
                order: self.id(order),
                hold: (*hold != "-").then(|| self.id(hold)),
                sku: self.sku_id(sku)?,
                quantity: number(units.trim_start_matches('x'))?,
                state: State::from_word(state).ok_or("a state")?,
            });
        }
        let (sku, parts) = words.split_first().ok_or("a SKU")?;
        let part = |name: &str| -> Result<u32, String> {
            let found = parts.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            number(found.ok_or_else(|| format!("`{name}`"))?)
        };
        Ok(Line::Stock {
            sku: self.sku_id(sku)?,
            total: part("total")?,
            available: part("available")?,
            held: part("held")?,
            confirmed: part("confirmed")?,
        })
    }

    fn mark(&mut self, words: &[&str]) -> Result<(), String> {
        let [at, kind, rest @ ..] = words else {
            return Err("a mark has an instant and a kind".into());
        };
        let value =
            |name: &str| rest.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        let kind = match (*kind, rest) {
            ("phase", [name]) => MarkKind::Phase(PhaseName::from_word(name).ok_or("a phase")?),
            ("fault", [name, stage]) => MarkKind::Fault {
                name: self.id(name),
                target: None,
                stage: FaultStage::from_word(stage).ok_or("a stage of a fault")?,
            },
            ("charge", [charge, stage, amount, ..]) => MarkKind::Charge {
                charge: self.id(charge),
                order: value("order").map(|name| self.id(name)),
                hold: value("hold").map(|name| self.id(name)),
                buyer: value("by").map(|name| self.id(name)),
                instrument: value("card").map(|name| self.id(name)),
                amount: number(amount)?,
                stage: ChargeStage::from_word(stage).ok_or("a stage of a charge")?,
            },
            ("refund", [refund, charge, stage, amount]) => MarkKind::Refund {
                refund: self.id(refund),
                charge: self.id(charge),
                amount: number(amount)?,
                stage: RefundStage::from_word(stage).ok_or("a stage of a refund")?,
            },
            ("delivery", [delivery, charge, kind, label, stage, status, amount]) => {
                MarkKind::Delivery {
                    delivery: self.id(delivery),
                    charge: (*charge != "-").then(|| self.id(charge)),
                    kind: DeliveryKind::from_word(kind).ok_or("a kind of delivery")?,
                    label: DeliveryLabel::from_word(label).ok_or("a label of a delivery")?,
                    stage: DeliveryStage::from_word(stage).ok_or("a stage of a delivery")?,
                    status: u16::try_from(number(status)?).map_err(|_| "a status")?,
                    amount: number(amount)?,
                }
            }
            _ => return Err("phase, fault, charge, refund or delivery, with its parts".into()),
        };
        self.marks.push(Mark { at: time(at)?, kind });
        Ok(())
    }

    fn finish(self) -> (History, Names) {
        let header = Header {
            format: Header::FORMAT,
            run: "case".into(),
            workload: "case".into(),
            target: "none".into(),
            harness: "none".into(),
            seed: 0,
            epoch_unix_ns: 0,
            sale: self.sale,
            required: self.required,
        };
        let mut history = History {
            header,
            operations: vec![],
            lines: vec![],
            marks: self.marks,
            sealed: self.sealed,
        };
        for (mut operation, lines) in self.operations {
            let from = u32::try_from(history.lines.len()).expect("a case is small");
            history.lines.extend(lines);
            operation.lines = (from, u32::try_from(history.lines.len()).expect("a case is small"));
            history.operations.push(operation);
        }
        history.operations.sort_by_key(|op| (op.start, op.id));
        history.marks.sort_by_key(|mark| mark.at);
        (history, self.names)
    }
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn time(text: &str) -> Result<Nanos, String> {
    let (digits, factor) =
        match (text.strip_suffix("ms"), text.strip_suffix("us"), text.strip_suffix('s')) {
            (Some(digits), ..) => (digits, 1_000_000),
            (None, Some(digits), _) => (digits, 1_000),
            (None, None, Some(digits)) => (digits, 1_000_000_000),
            _ => return Err(format!("`{text}` is not a time: 5ms, 2s, 100us")),
        };
    digits
        .parse::<u64>()
        .map(|count| Nanos(count * factor))
        .map_err(|_| format!("`{text}` is not a time"))
}
