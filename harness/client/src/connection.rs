//! One operation: preparation, the barrier, the record, the request, the answer, the record.

use crate::answer::NextPage;
use crate::buyer::Buyer;
use crate::call::{Answer, Call};
use crate::client::operation_of;
use crate::compile::{Compiled, Operation, Step};
use crate::send::{Got, Sender};
use crate::slot::{Scene, quantity};
use onsale_history::{
    ChargeId, Class, Completion, HoldId, Invocation, Line, Nanos, OpId, OrderId, Outcome, Record,
    RecordError, Scribe,
};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// Pages of a list that are read at most.
const PAGES_MAX: usize = 10_000;
/// Between repetitions of a call, where the target does not say.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// What is waited for just before the commit point.
pub type Gate = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One keep-alive connection of one worker; reconnects by itself before, never inside, an operation.
pub struct Connection {
    compiled: Arc<Compiled>,
    sender: Sender,
    chance: AtomicU64,
    gate: Option<Gate>,
}

impl Connection {
    pub(crate) fn new(compiled: Arc<Compiled>, number: u64) -> Self {
        // 2^32 unique values a connection.
        let chance = AtomicU64::new(compiled.seed.wrapping_add(number << 32));
        Self { sender: Sender::new(&compiled), compiled, chance, gate: None }
    }

    /// Lets the next operation wait for `gate` just before its commit point: connected, rendered, not yet recorded.
    pub fn wait_for(&mut self, gate: Gate) {
        self.gate = Some(gate);
    }

    /// Opens the connections of a mapping, so that the first operation does not pay for it.
    pub async fn warm_up(&mut self) -> std::io::Result<()> {
        self.sender.connect_all(&self.compiled).await
    }

    /// Does one operation: records the invocation, sends, waits, classifies, records the completion.
    ///
    /// # Errors
    /// Only when the record cannot be written: then the run is over. All that the target or the network does is an
    /// [`Answer`].
    pub async fn execute(
        &mut self,
        buyer: &mut Buyer,
        call: &Call,
        scribe: &Scribe,
        record: &mut dyn Record,
    ) -> Result<Answer, RecordError> {
        let compiled = self.compiled.clone();
        let gate = self.gate.take();
        self.sender.begin();
        let Some(operation) = compiled.operations.get(&operation_of(call.kind)) else {
            // What the mapping does not say is never sent.
            let (op, start) = invoke(buyer, call, scribe, record)?;
            return complete(Answer::new(op, start, start, Class::Invalid), record);
        };
        let mut work = Work {
            compiled: &compiled,
            sender: &mut self.sender,
            chance: &self.chance,
            call,
            scribe,
        };
        let ready = work.prepare(buyer, operation).await;
        if let Some(gate) = gate {
            gate.await;
        }
        let ready = match ready {
            Ok(()) => work.sender.ready(&compiled, operation.steps[operation.commit].host).await,
            refused => refused,
        };
        let (op, start) = invoke(buyer, call, scribe, record)?;
        let mut answer = match ready {
            Err(class) => Answer::new(op, start, scribe.clock.now(), class),
            Ok(()) => work.commit(buyer, operation, op, start).await,
        };
        answer.end = scribe.clock.now();
        complete(answer, record)
    }
}

fn late_us(due: Nanos, start: Nanos) -> u32 {
    u32::try_from(start.0.saturating_sub(due.0) / 1000).unwrap_or(u32::MAX)
}

/// Records what is asked, as it is sent.
fn invoke(
    buyer: &Buyer,
    call: &Call,
    scribe: &Scribe,
    record: &mut dyn Record,
) -> Result<(OpId, Nanos), RecordError> {
    let line = |index: usize| {
        let (sku, _) = call.items[index];
        (sku, u32::try_from(quantity(call, index).max(0)).unwrap_or(u32::MAX))
    };
    let first = (!call.items.is_empty()).then(|| line(0));
    let rest = (1..call.items.len()).map(line).map(|(sku, quantity)| Line::Item { sku, quantity });
    let items: Vec<Line> = rest.collect();
    let now = scribe.clock.now();
    let invocation = Invocation {
        label: call.label,
        sku: first.map(|(sku, _)| sku),
        quantity: first.map_or(0, |(_, quantity)| quantity),
        hold: call.hold,
        order: call.order,
        key: call.key,
        instrument: call.instrument,
        charge: call.charge,
        link: call.link,
        late_us: late_us(call.due, now),
        ..Invocation::of(call.kind, call.process, buyer.id)
    };
    Ok((record.invoke(now, &invocation, &items)?, now))
}

fn complete(answer: Answer, record: &mut dyn Record) -> Result<Answer, RecordError> {
    let completion = Completion {
        outcome: answer.outcome,
        hold: answer.hold,
        order: answer.order,
        charge: answer.charge,
        state: answer.state,
        value: answer.value,
        status: answer.status,
    };
    record.complete(answer.end, answer.op, &completion, &answer.lines)?;
    Ok(answer)
}

impl Answer {
    fn new(op: OpId, start: Nanos, end: Nanos, class: Class) -> Self {
        Self {
            op,
            start,
            end,
            class,
            outcome: class.outcome(),
            status: 0,
            hold: None,
            order: None,
            charge: None,
            state: None,
            value: 0,
            lines: vec![],
            retry_after: None,
            challenge: None,
        }
    }
    fn settle(&mut self, class: Class) {
        self.class = class;
        self.outcome = class.outcome();
    }
    /// Nobody knows any more.
    fn weaken(&mut self) {
        if let Outcome::Failed(class) = self.outcome {
            self.outcome = Outcome::Indeterminate(class);
        }
    }
}

/// One operation at work.
struct Work<'a> {
    compiled: &'a Compiled,
    sender: &'a mut Sender,
    chance: &'a AtomicU64,
    call: &'a Call,
    scribe: &'a Scribe,
}

impl Work<'_> {
    /// Login and the steps before the commit point. They take no effect; what goes wrong is definite.
    async fn prepare(&mut self, buyer: &mut Buyer, operation: &Operation) -> Result<(), Class> {
        if !buyer.logged_in {
            let login = self.compiled.logins.get(&operation.role).map_or(&[][..], Vec::as_slice);
            for step in login {
                self.preparation(buyer, step).await?;
            }
            buyer.logged_in = !login.is_empty();
        }
        for step in &operation.steps[..operation.commit] {
            self.preparation(buyer, step).await?;
        }
        Ok(())
    }

    async fn preparation(&mut self, buyer: &mut Buyer, step: &Step) -> Result<(), Class> {
        self.sender.ready(self.compiled, step.host).await?;
        let got = self.send(buyer, step, None).await;
        self.capture(buyer, step, &got, None);
        match got.class {
            Class::Ok | Class::Pending => Ok(()),
            // The request that would have had an effect never left.
            Class::Timeout | Class::Disconnected | Class::Error | Class::Unknown => {
                Err(Class::Unreachable)
            }
            refused => Err(refused),
        }
    }

    /// The commit step and what follows it.
    async fn commit(
        &mut self,
        buyer: &mut Buyer,
        operation: &Operation,
        op: OpId,
        start: Nanos,
    ) -> Answer {
        let mut answer = Answer::new(op, start, start, Class::Unknown);
        let mut committed = false;
        for (index, step) in operation.steps.iter().enumerate().skip(operation.commit) {
            if committed && let Err(class) = self.sender.ready(self.compiled, step.host).await {
                answer.settle(class);
                answer.weaken();
                break;
            }
            let got = self.repeat(buyer, step, &mut answer).await;
            answer.status = got.status();
            answer.retry_after = got.retry_after();
            let told = index == operation.acknowledge;
            self.tell(buyer, operation, step, &got, told, &mut answer);
            if answer.class == Class::Ok && told && operation.lines.is_some() {
                self.lines(buyer, operation, step, got, &mut answer).await;
            }
            if !answer.outcome.is_ok() {
                if committed {
                    answer.weaken();
                }
                break;
            }
            committed = true;
        }
        answer
    }

    /// Sends a step, and again while the mapping says so. An attempt that nobody knows of is not forgotten.
    async fn repeat(&mut self, buyer: &mut Buyer, step: &Step, answer: &mut Answer) -> Got {
        let mut got = self.send(buyer, step, None).await;
        let mut left = self.compiled.retries.get(&got.class).copied().unwrap_or(0);
        let mut doubtful = false;
        while left > 0 && self.compiled.retries.contains_key(&got.class) {
            left -= 1;
            doubtful |= got.outcome().is_indeterminate();
            let asked = got.retry_after().filter(|_| self.compiled.heed_retry_after);
            tokio::time::sleep(asked.unwrap_or(RETRY_PAUSE)).await;
            if self.sender.ready(self.compiled, step.host).await.is_err() {
                break;
            }
            got = self.send(buyer, step, None).await;
        }
        answer.settle(got.class);
        answer.outcome = got.outcome();
        if doubtful {
            answer.weaken();
        }
        got
    }

    /// What an answer tells: to the caller, and to the buyer's memory.
    fn tell(
        &mut self,
        buyer: &mut Buyer,
        operation: &Operation,
        step: &Step,
        got: &Got,
        told: bool,
        answer: &mut Answer,
    ) {
        let Some(response) = &got.response else { return };
        let before = answer.class;
        if told {
            operation.reader.read(
                self.compiled,
                &self.scribe.names,
                response,
                got.json.as_ref(),
                answer,
            );
            let happened = matches!(answer.class, Class::Ok | Class::Pending);
            if happened && !operation.reader.is_complete(self.call.kind, answer) {
                answer.class = Class::Unknown;
            }
        }
        if !self.capture(buyer, step, got, Some(answer)) {
            answer.class = Class::Unknown;
        }
        if answer.class != before {
            answer.settle(answer.class);
        }
    }

    /// Keeps what a step captures; false if an `ok` answer lacks what is required.
    fn capture(
        &mut self,
        buyer: &mut Buyer,
        step: &Step,
        got: &Got,
        answer: Option<&Answer>,
    ) -> bool {
        let Some(response) = &got.response else { return true };
        if step.cookies {
            for header in response.headers("set-cookie") {
                buyer.keep_cookie(header);
            }
        }
        let mut complete = true;
        for capture in &step.captures {
            let found = capture.picker.text(response, got.json.as_ref());
            let text = found.map(|text| Arc::from(&*text)).or_else(|| capture.default.clone());
            match text {
                Some(text) => {
                    self.sender.locals[capture.variable] = Some(Arc::clone(&text));
                    let of = self.compiled.variables[capture.variable]
                        .per
                        .and_then(|per| self.key(per, answer));
                    buyer.keep(capture.variable, of, text);
                }
                None => complete &= !(capture.required && got.outcome().is_ok()),
            }
        }
        complete
    }

    fn key(&self, per: onsale_plan::Keyed, answer: Option<&Answer>) -> Option<usize> {
        use onsale_plan::Keyed;
        match per {
            Keyed::Hold => {
                answer.and_then(|answer| answer.hold).or(self.call.hold).map(HoldId::index)
            }
            Keyed::Order => {
                answer.and_then(|answer| answer.order).or(self.call.order).map(OrderId::index)
            }
            Keyed::Charge => {
                answer.and_then(|answer| answer.charge).or(self.call.charge).map(ChargeId::index)
            }
        }
    }

    /// All pages of a list. A list that cannot be read to its end is not known.
    async fn lines(
        &mut self,
        buyer: &mut Buyer,
        operation: &Operation,
        step: &Step,
        first: Got,
        answer: &mut Answer,
    ) {
        let Some(reader) = &operation.lines else { return };
        let (mut got, mut read) = (first, 0);
        for _ in 0..PAGES_MAX {
            let Some(json) = got.json.as_ref().filter(|_| got.class == Class::Ok) else {
                answer.lines.clear();
                answer.settle(if got.class == Class::Ok { Class::Unknown } else { got.class });
                return;
            };
            if !reader.read(self.compiled, &self.scribe.names, json, &mut answer.lines) {
                break;
            }
            let here = reader.count(json);
            read += here;
            let next = reader.next(json, read, here);
            if let NextPage::None = next {
                return;
            }
            if let Err(class) = self.sender.ready(self.compiled, step.host).await {
                got = Got::nothing(class);
                continue;
            }
            got = self.send(buyer, step, Some(&next)).await;
        }
        answer.lines.clear();
        answer.settle(Class::Unknown);
    }

    async fn send(&mut self, buyer: &Buyer, step: &Step, page: Option<&NextPage>) -> Got {
        let locals = std::mem::take(&mut self.sender.locals);
        let cursor = match page {
            Some(NextPage::Cursor(cursor)) => Some(cursor.as_str()),
            _ => None,
        };
        let scene = Scene {
            call: self.call,
            buyer,
            names: &self.scribe.names,
            locals: &locals,
            cursor,
            now: self.scribe.clock.now(),
            epoch_unix_ms: self.compiled.epoch_unix_ms,
            chance: self.chance,
            line: 0,
        };
        let url = match page {
            Some(NextPage::Url(url)) => Some(url.as_str()),
            _ => None,
        };
        self.sender.render(self.compiled, step, &scene, url);
        self.sender.locals = locals;
        self.sender.exchange(self.compiled, step).await
    }
}
