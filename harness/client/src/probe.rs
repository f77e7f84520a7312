//! Does a target keep the contract, as its mapping says it? One buyer goes the whole way.

use crate::call::{Answer, Call, Token};
use crate::client::Client;
use crate::{Buyer, Connection};
use onsale_history::{
    CallKind, Class, HoldId, KeyId, Label, Memory, ProcessId, RecordError, Scribe, SkuId, State,
};
use std::sync::Arc;
use std::time::Duration;

/// Polls of the queue, and of an order that is being paid, at most.
const ASKS_MAX: u32 = 200;
/// Between them.
const PAUSE: Duration = Duration::from_millis(100);
/// Numbers that are tried for a puzzle at most.
const TRIES_MAX: u64 = 1 << 24;

/// Checks of what a target does, not of how it speaks: in a run, rules judge these from many occasions.
const JUDGED: [&str; 9] = [
    "the provider takes the payment",
    "a hold without a token is refused",
    "the same key gives the same hold",
    "the same key with another body is refused",
    "a hold reads as held",
    "a paid order is confirmed",
    "the buyer's orders are listed",
    "another unit can be held",
    "a hold can be given back",
];

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What should be so.
    pub name: &'static str,
    /// It is.
    pub passed: bool,
    /// What was seen.
    pub seen: String,
    /// What the target had told the buyer by then.
    pub variables: Vec<(String, Arc<str>)>,
}

/// All that was looked at, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// The checks. After a failure that makes the rest pointless, there are no more.
    pub checks: Vec<Check>,
}

impl Check {
    /// It failed, and no rule of a run would say so: the target does not speak the contract as mapped.
    pub fn is_mute(&self) -> bool {
        !self.passed && !JUDGED.contains(&self.name)
    }
}

impl Probe {
    /// Everything was as it should be.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.passed)
    }
}

/// Sends one buyer through everything that the mapping offers. The sale must be open, and have a unit of `sku`.
pub async fn probe(client: &Client, scribe: &Scribe, sku: &str) -> Result<Probe, RecordError> {
    let buyer = client.buyer(scribe.names.id("probe"));
    let mut road = Road {
        client,
        scribe,
        connection: client.connection(),
        record: Memory::default(),
        buyer,
        sku: scribe.names.id(sku),
        keys: 0,
        probe: Probe::default(),
    };
    if road.enter().await? {
        road.buy().await?;
    }
    Ok(road.probe)
}

struct Road<'a> {
    client: &'a Client,
    scribe: &'a Scribe,
    connection: Connection,
    record: Memory,
    buyer: Buyer,
    sku: SkuId,
    keys: u32,
    probe: Probe,
}

impl Road<'_> {
    fn call(&self, kind: CallKind) -> Call {
        let mut call = Call::of(kind, ProcessId::from_index(0), self.scribe.clock.now());
        call.instrument = Some(self.scribe.names.id("card-probe"));
        call
    }

    fn key(&mut self) -> KeyId {
        self.keys += 1;
        self.scribe.names.id(&format!("key-probe-{}", self.keys))
    }

    async fn ask(&mut self, call: &Call) -> Result<Answer, RecordError> {
        self.connection.execute(&mut self.buyer, call, self.scribe, &mut self.record).await
    }

    /// Notes a check; says whether it passed.
    fn note(&mut self, name: &'static str, passed: bool, answer: &Answer) -> bool {
        let variables = self
            .buyer
            .variables()
            .into_iter()
            .map(|(name, text)| (name.to_owned(), text))
            .collect();
        let seen = match answer.status {
            0 => answer.class.word().to_owned(),
            status => format!("{} (status {status})", answer.class.word()),
        };
        self.probe.checks.push(Check { name, passed, seen, variables });
        passed
    }

    async fn expect(
        &mut self,
        name: &'static str,
        call: &Call,
        classes: &[Class],
    ) -> Result<(bool, Answer), RecordError> {
        let answer = self.ask(call).await?;
        let passed = classes.contains(&answer.class);
        Ok((self.note(name, passed, &answer), answer))
    }

    /// Landing, stock, puzzle, queue.
    async fn enter(&mut self) -> Result<bool, RecordError> {
        const OK: &[Class] = &[Class::Ok];
        if self.client.offers(CallKind::Landing)
            && !self
                .expect("the landing data can be read", &self.call(CallKind::Landing), OK)
                .await?
                .0
        {
            return Ok(false);
        }
        if self.client.offers(CallKind::Stock) {
            let answer = self.ask(&self.call(CallKind::Stock)).await?;
            self.note(
                "the stock is told by SKU",
                answer.class == Class::Ok && !answer.lines.is_empty(),
                &answer,
            );
        }
        if !self.client.offers(CallKind::Join) {
            return Ok(true);
        }
        let mut join = self.call(CallKind::Join);
        if self.client.offers(CallKind::Challenge) {
            let (passed, answer) =
                self.expect("a puzzle is given", &self.call(CallKind::Challenge), OK).await?;
            let solved = answer
                .challenge
                .as_deref()
                .and_then(|puzzle| onsale_pow::solve_json(puzzle, TRIES_MAX).ok());
            if !passed || !self.note("the puzzle can be solved", solved.is_some(), &answer) {
                return Ok(false);
            }
            join.puzzle = solved.flatten();
        }
        if !self
            .expect("a shopper can join the queue", &join, &[Class::Ok, Class::Pending])
            .await?
            .0
        {
            return Ok(false);
        }
        self.wait_for_admission().await
    }

    async fn wait_for_admission(&mut self) -> Result<bool, RecordError> {
        if !self.client.offers(CallKind::Poll) {
            return Ok(true);
        }
        let mut answer = self.ask(&self.call(CallKind::Poll)).await?;
        for _ in 1..ASKS_MAX {
            if answer.class != Class::Queued {
                break;
            }
            tokio::time::sleep(PAUSE).await;
            answer = self.ask(&self.call(CallKind::Poll)).await?;
        }
        Ok(self.note("a shopper is admitted", answer.class == Class::Ok, &answer))
    }

    fn hold_call(&mut self) -> Call {
        let mut call = self.call(CallKind::Hold);
        call.items = vec![(self.sku, 1)];
        call.key = Some(self.key());
        call
    }

    /// Hold, repeat, release, checkout, pay, read.
    async fn buy(&mut self) -> Result<(), RecordError> {
        if self.client.offers(CallKind::Join) {
            let mut bare = self.hold_call();
            (bare.token, bare.label) = (Token::Absent, Label::NoToken);
            self.expect("a hold without a token is refused", &bare, &[Class::Denied]).await?;
        }
        let ask = self.hold_call();
        let (passed, held) = self.expect("a unit can be held", &ask, &[Class::Ok]).await?;
        let Some(hold) = held.hold.filter(|_| passed) else { return Ok(()) };
        let again = Call { label: Label::Replay, link: Some(held.op), ..ask.clone() };
        let answer = self.ask(&again).await?;
        self.note("the same key gives the same hold", answer.hold == Some(hold), &answer);
        let other = Call { label: Label::OtherBody, link: Some(held.op), ..ask };
        self.expect(
            "the same key with another body is refused",
            &other,
            &[Class::Invalid, Class::Conflict],
        )
        .await?;
        if self.client.offers(CallKind::ReadHold) {
            let mut read = self.call(CallKind::ReadHold);
            read.hold = Some(hold);
            let answer = self.ask(&read).await?;
            self.note("a hold reads as held", answer.state == Some(State::Held), &answer);
        }
        self.pay_for(hold).await?;
        self.give_back().await
    }

    async fn pay_for(&mut self, hold: HoldId) -> Result<(), RecordError> {
        if !self.client.offers(CallKind::Checkout) {
            return Ok(());
        }
        let mut checkout = self.call(CallKind::Checkout);
        (checkout.hold, checkout.key) = (Some(hold), Some(self.key()));
        let (passed, ordered) =
            self.expect("a hold becomes an order", &checkout, &[Class::Ok, Class::Pending]).await?;
        let Some(order) = ordered.order.filter(|_| passed) else { return Ok(()) };
        if self.client.offers(CallKind::Pay) {
            let mut pay = self.call(CallKind::Pay);
            (pay.order, pay.hold, pay.charge, pay.key) =
                (Some(order), Some(hold), ordered.charge, Some(self.key()));
            self.expect("the provider takes the payment", &pay, &[Class::Ok, Class::Pending])
                .await?;
        }
        if self.client.offers(CallKind::ReadOrder) {
            let mut read = self.call(CallKind::ReadOrder);
            read.order = Some(order);
            let mut answer = self.ask(&read).await?;
            for _ in 1..ASKS_MAX {
                if answer.state != Some(State::PendingPayment) {
                    break;
                }
                tokio::time::sleep(PAUSE).await;
                answer = self.ask(&read).await?;
            }
            self.note("a paid order is confirmed", answer.state == Some(State::Confirmed), &answer);
        }
        if self.client.offers(CallKind::ListOrders) {
            let answer = self.ask(&self.call(CallKind::ListOrders)).await?;
            self.note(
                "the buyer's orders are listed",
                answer.class == Class::Ok && !answer.lines.is_empty(),
                &answer,
            );
        }
        Ok(())
    }

    async fn give_back(&mut self) -> Result<(), RecordError> {
        if !self.client.offers(CallKind::Release) {
            return Ok(());
        }
        let ask = self.hold_call();
        let (passed, held) = self.expect("another unit can be held", &ask, &[Class::Ok]).await?;
        if passed {
            let mut release = self.call(CallKind::Release);
            (release.hold, release.key) = (held.hold, Some(self.key()));
            self.expect("a hold can be given back", &release, &[Class::Ok]).await?;
        }
        Ok(())
    }
}
