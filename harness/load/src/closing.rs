//! After the load: resolve what nobody knows, drain what is left, read what everybody has.

use crate::pool::Unresolved;
use crate::swarm::{KEYS_EACH, LoadError, Swarm};
use onsale_client::{Answer, Buyer, Call, Connection};
use onsale_history::{
    BuyerId, CallKind, Class, InstrumentId, KeyId, Label, Nanos, ProcessId, Record, RecordError,
    Scribe, SkuId,
};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Hands that do the closing work side by side.
const HANDS: usize = 16;
/// An operation is tried again so often before it stays unknown.
const TRIES_MAX: u32 = 60;
const PAUSE: Duration = Duration::from_millis(100);
/// So many buyers must hear "sold out" before a SKU counts as drained.
const REFUSALS: u32 = 4;
/// A drain may take so many buyers for each SKU, beside those who get something.
const BUYERS_PER_SKU_MAX: usize = 40;

/// Each closing phase may take so long. A target that has gone mad leaves the rest unknown, and the run says so.
const PHASE_MAX: Nanos = Nanos::from_millis(15_000);

/// One pair of hands: a connection and a log.
struct Hand {
    /// When the phase must be over.
    deadline: Nanos,
    connection: Connection,
    record: Box<dyn Record>,
    scribe: Scribe,
}

impl Hand {
    async fn ask(&mut self, buyer: &mut Buyer, call: &Call) -> Result<Answer, RecordError> {
        self.connection.execute(buyer, call, &self.scribe, &mut *self.record).await
    }
    fn now(&self) -> Nanos {
        self.scribe.clock.now()
    }
    fn is_late(&self) -> bool {
        self.now() > self.deadline
    }
}

/// What a drain has seen of each SKU.
struct Drain {
    left: BTreeMap<SkuId, u32>,
    buyers_left: usize,
}

impl Swarm {
    fn hand(&self) -> Result<Hand, RecordError> {
        let config = &self.config;
        Ok(Hand {
            deadline: config.scribe.clock.now().plus(PHASE_MAX),
            connection: config.client.connection(),
            record: (config.recorders)()?,
            scribe: config.scribe.clone(),
        })
    }

    /// Every operation whose outcome nobody knows is asked again with its key until somebody does. Gives the number that
    /// stays unknown.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub async fn resolve(&self) -> Result<usize, LoadError> {
        let open = std::mem::take(&mut *self.pool.unresolved.lock().expect("no holder panics"));
        let queue = Arc::new(Mutex::new(VecDeque::from(open)));
        let unknown = Arc::new(Mutex::new(0));
        self.with_hands(|mut hand| {
            let (queue, unknown, pool) = (queue.clone(), unknown.clone(), self.pool.clone());
            async move {
                while let Some(mut next) = pop(&queue) {
                    if resolve_one(&mut hand, &mut next).await? {
                        pool.remember(&next.buyer);
                    } else {
                        *unknown.lock().expect("no holder panics") += 1;
                    }
                }
                Ok(())
            }
        })
        .await?;
        let unknown = *unknown.lock().expect("no holder panics");
        Ok(unknown)
    }

    /// Fresh buyers take what is left until every SKU answers "sold out" to several of them.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub async fn drain(&self, label: Label) -> Result<(), LoadError> {
        let sale = &self.config.workload.sale;
        let skus = sale.skus.len() + (sale.canaries.count + sale.seats) as usize;
        let left = (0..skus).map(|index| (SkuId::from_index(index), REFUSALS)).collect();
        let units: usize = sale.skus.iter().map(|sku| sku.stock as usize).sum::<usize>() + skus * 4;
        let drain =
            Arc::new(Mutex::new(Drain { left, buyers_left: skus * BUYERS_PER_SKU_MAX + units }));
        let stop = self.config.stop.clone();
        self.with_hands(|mut hand| {
            let (drain, stop) = (drain.clone(), stop.clone());
            async move {
                loop {
                    {
                        let mut drain = drain.lock().expect("no holder panics");
                        if drain.left.is_empty()
                            || drain.buyers_left == 0
                            || *stop.borrow()
                            || hand.is_late()
                        {
                            return Ok(());
                        }
                        drain.buyers_left -= 1;
                    }
                    self.drain_as_one(&mut hand, &drain, label).await?;
                }
            }
        })
        .await
    }

    async fn drain_as_one(
        &self,
        hand: &mut Hand,
        drain: &Mutex<Drain>,
        label: Label,
    ) -> Result<(), RecordError> {
        let number = self.accounts.fetch_add(1, Ordering::Relaxed) as usize;
        let names = &self.config.scribe.names;
        let id: BuyerId = names.id(&format!("buyer-{number}"));
        let card: InstrumentId = names.id(&format!("card-{number}"));
        let mut buyer = self.config.client.buyer(id);
        if !self.come_in(hand, &mut buyer).await? {
            return Ok(());
        }
        let mut room = i64::from(self.config.workload.sale.account_limit);
        let mut keys = 0;
        let list: Vec<SkuId> =
            drain.lock().expect("no holder panics").left.keys().copied().collect();
        // Buyers begin at different SKUs, so that each is asked by several at a time.
        let from = number % list.len().max(1);
        for sku in list[from..].iter().chain(&list[..from]) {
            let mut quantity = room;
            while quantity > 0 {
                let mut call = Call::of(CallKind::Hold, process(id), hand.now());
                let key = number * KEYS_EACH + keys.min(KEYS_EACH - 1);
                keys += 1;
                call.key = Some(names.id::<KeyId>(&format!("key-{key}")));
                (call.label, call.items, call.instrument) =
                    (label, vec![(*sku, quantity)], Some(card));
                let answer = ask_until_known(hand, &mut buyer, call).await?;
                match answer.class {
                    Class::Ok => {
                        self.pool.remember(&buyer);
                        room -= quantity;
                        quantity = quantity.min(room);
                    }
                    Class::SoldOut if quantity > 1 => quantity /= 2,
                    Class::SoldOut => {
                        let mut drain = drain.lock().expect("no holder panics");
                        if let Some(left) = drain.left.get_mut(sku) {
                            *left -= 1;
                            if *left == 0 {
                                drain.left.remove(sku);
                            }
                        }
                        break;
                    }
                    // Anything else (a token past its time, a limit) ends this buyer; the next one goes on.
                    _ => return Ok(()),
                }
            }
            if room == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Puzzle, queue, admission.
    async fn come_in(&self, hand: &mut Hand, buyer: &mut Buyer) -> Result<bool, RecordError> {
        let sale = &self.config.workload.sale;
        let Some(queue) = &sale.queue else { return Ok(true) };
        for _ in 0..TRIES_MAX {
            if hand.is_late() {
                break;
            }
            let mut join = Call::of(CallKind::Join, process(buyer.id), hand.now());
            if sale.puzzle.scheme != onsale_plan::PuzzleScheme::None {
                let ask = Call::of(CallKind::Challenge, process(buyer.id), hand.now());
                let answer = hand.ask(buyer, &ask).await?;
                let Some(challenge) = answer.challenge else {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                };
                join.puzzle =
                    tokio::task::block_in_place(|| onsale_pow::solve_json(&challenge, 1 << 28))
                        .ok()
                        .flatten();
                join.due = hand.now();
            }
            if !hand.ask(buyer, &join).await?.outcome.is_ok() {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            for _ in 0..TRIES_MAX {
                if hand.is_late() {
                    break;
                }
                let poll = Call::of(CallKind::Poll, process(buyer.id), hand.now());
                match hand.ask(buyer, &poll).await?.class {
                    Class::Ok => return Ok(true),
                    Class::Expired | Class::Denied | Class::NotFound => break,
                    _ => tokio::time::sleep(queue.poll_every.min(PAUSE)).await,
                }
            }
        }
        Ok(false)
    }

    /// Every buyer who ever held or ordered lists what they have; then one reading of the stock.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub async fn final_reads(&self) -> Result<(), LoadError> {
        let customers = std::mem::take(&mut *self.pool.customers.lock().expect("no holder panics"));
        let queue = Arc::new(Mutex::new(customers.into_values().collect::<VecDeque<_>>()));
        self.with_hands(|mut hand| {
            let queue = queue.clone();
            async move {
                while let Some(mut buyer) = pop(&queue) {
                    let mut call = Call::of(CallKind::ListOrders, process(buyer.id), hand.now());
                    call.label = Label::Final;
                    ask_until_known(&mut hand, &mut buyer, call).await?;
                }
                Ok(())
            }
        })
        .await?;
        let mut hand = self.hand()?;
        let mut reader = self.config.client.buyer(BuyerId::from_index(0));
        let mut call = Call::of(CallKind::Stock, process(reader.id), hand.now());
        call.label = Label::Final;
        ask_until_known(&mut hand, &mut reader, call).await?;
        Ok(())
    }

    async fn with_hands<'a, F, W>(&'a self, work: F) -> Result<(), LoadError>
    where
        F: Fn(Hand) -> W,
        W: Future<Output = Result<(), RecordError>> + 'a,
    {
        let hands: Result<Vec<W>, RecordError> =
            (0..HANDS).map(|_| Ok(work(self.hand()?))).collect();
        for done in futures(hands?).await {
            done?;
        }
        Ok(())
    }
}

/// All of them, side by side, on this task.
async fn futures<T>(all: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut all: Vec<_> = all.into_iter().map(|one| (Box::pin(one), None)).collect();
    std::future::poll_fn(|context| {
        let mut waiting = false;
        for (future, done) in &mut all {
            if done.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(value) => *done = Some(value),
                    std::task::Poll::Pending => waiting = true,
                }
            }
        }
        if waiting { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
    })
    .await;
    all.into_iter().filter_map(|(_, done)| done).collect()
}

fn pop<T>(queue: &Mutex<VecDeque<T>>) -> Option<T> {
    queue.lock().expect("no holder panics").pop_front()
}

fn process(buyer: BuyerId) -> ProcessId {
    ProcessId::from_index(buyer.index() * 2)
}

async fn resolve_one(hand: &mut Hand, open: &mut Unresolved) -> Result<bool, RecordError> {
    let mut call =
        Call { label: Label::Resolve, link: Some(open.op), due: hand.now(), ..open.call.clone() };
    if open.call.kind == CallKind::Challenge {
        return Ok(true);
    }
    // Another body under a known key stays one: with its own body the key would answer for the first request.
    if open.call.label == Label::OtherBody {
        call.label = Label::OtherBody;
    }
    let answer = ask_until_known(hand, &mut open.buyer, call).await?;
    Ok(!answer.outcome.is_indeterminate())
}

/// The same request until there is an answer; what a busy or absent target did not take is asked again too.
async fn ask_until_known(
    hand: &mut Hand,
    buyer: &mut Buyer,
    mut call: Call,
) -> Result<Answer, RecordError> {
    let mut tries = 0;
    loop {
        let answer = hand.ask(buyer, &call).await?;
        tries += 1;
        let open = answer.outcome.is_indeterminate()
            || matches!(answer.class, Class::Busy | Class::Unreachable);
        if !open || tries >= TRIES_MAX || hand.is_late() {
            return Ok(answer);
        }
        if answer.outcome.is_indeterminate()
            && !matches!(call.label, Label::Final | Label::OtherBody)
        {
            call.link.get_or_insert(answer.op);
            call.label = Label::Resolve;
        }
        tokio::time::sleep(answer.retry_after.unwrap_or(PAUSE).min(PAUSE * 5)).await;
        call.due = hand.now();
    }
}
