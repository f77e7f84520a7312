//! A hold: admitted by the store, decided by the ledger, answered after its commit.

use super::Gateway;
use super::admit::Admitted;
use super::events::internal;
use super::sale::Sale;
use crate::admission::{Bucket, scripts};
use crate::defect::Defect;
use crate::ledger::{Granted, HoldCommand, HoldLine, Release, Verdict, code_of};
use crate::problem::Refusal;
use onsale_contract::hold::{HoldAnswer, HoldRequest};
use onsale_contract::problem::{ErrorCode, Problem};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Admissions tried before the shopper is asked to come again.
const ROUNDS_MAX: u32 = 60;
/// Pause while units are in doubt.
const DOUBT: Duration = Duration::from_millis(8);

/// A request that was looked through.
pub(super) struct Wish {
    hold_id: String,
    body_hash: String,
    account: String,
    instrument: Option<String>,
    /// One entry a SKU, sorted.
    wants: Vec<(String, i64)>,
}

impl Gateway {
    /// `POST /v1/events/{event}/holds`, of a shopper who may.
    pub(super) async fn hold(
        &self,
        sale: &Sale,
        account: &str,
        key: &str,
        request: HoldRequest,
    ) -> Result<HoldAnswer, Refusal> {
        let wish = self.look_through(sale, account, key, request)?;
        let opens = sale.terms.sale_opens_at_ms;
        if self.clock.wall_ms() < opens && !self.config.defects.has(Defect::OpensEarly) {
            return Err(ErrorCode::NotOpen.into());
        }
        let Some(_lease) = self.in_flight.begin(&wish.hold_id, self.clock.monotonic()) else {
            return Err(Problem::new(ErrorCode::KeyInFlight).retry_after(1).into());
        };
        if let Some(verdict) = self.recall(&wish).await? {
            return self.answer(&wish.hold_id, verdict);
        }
        if self.redis_only() {
            return self.acknowledge(sale, wish).await;
        }
        self.check_then_act(sale, &wish).await?;
        for _ in 0..ROUNDS_MAX {
            let lines = match self
                .admit(sale, &wish.hold_id, &wish.account, &wish.wants)
                .await
                .map_err(|error| internal(&error))?
            {
                Admitted::Yes(lines) => lines,
                Admitted::SoldOut => {
                    self.metrics.holds_sold_out.add();
                    return Err(ErrorCode::SoldOut.into());
                }
                Admitted::AlreadyHolding => return Err(ErrorCode::AlreadyHolding.into()),
                Admitted::Undecided => {
                    tokio::time::sleep(DOUBT).await;
                    continue;
                }
            };
            if let Some(verdict) = self.decide(sale, &wish, lines).await? {
                return self.answer(&wish.hold_id, verdict);
            }
        }
        self.metrics.holds_overloaded.add();
        Err(Problem::new(ErrorCode::Overloaded).retry_after(1).into())
    }

    fn look_through(
        &self,
        sale: &Sale,
        account: &str,
        key: &str,
        request: HoldRequest,
    ) -> Result<Wish, Refusal> {
        let mut wants = BTreeMap::new();
        for item in request.items {
            if item.qty < 1 && !self.config.defects.has(Defect::QuantityUnchecked) {
                return Err(Problem::new(ErrorCode::InvalidRequest)
                    .detail("a quantity must be at least 1")
                    .into());
            }
            if item.qty > 1_000_000 {
                return Err(ErrorCode::LimitExceeded.into());
            }
            if !sale.skus.contains_key(&item.sku) {
                return Err(ErrorCode::SkuNotFound.into());
            }
            *wants.entry(item.sku).or_insert(0) += item.qty;
        }
        if wants.is_empty() {
            return Err(Problem::new(ErrorCode::InvalidRequest)
                .detail("there is nothing to hold")
                .into());
        }
        let wants: Vec<(String, i64)> = wants.into_iter().collect();
        if wants.iter().map(|(_, quantity)| quantity).sum::<i64>()
            > i64::from(sale.terms.account_limit)
        {
            return Err(ErrorCode::LimitExceeded.into());
        }
        let mut key = key.to_owned();
        if self.config.defects.has(Defect::KeyIgnored) {
            key = format!("{key}#{}", self.clock.monotonic().as_nanos());
        }
        let hold_id = format!("h_{}", digest(&[account, &key]));
        let body = format!("{wants:?} {:?}", request.instrument);
        let body_hash = digest(&[&sale.event, &body]);
        Ok(Wish {
            hold_id,
            body_hash,
            account: account.to_owned(),
            instrument: request.instrument,
            wants,
        })
    }

    /// The verdict that was told before.
    async fn recall(&self, wish: &Wish) -> Result<Option<Verdict>, Refusal> {
        if let Some((command, granted)) = self.acknowledged.get(&wish.hold_id) {
            let same = command.body_hash == wish.body_hash;
            return Ok(Some(if same {
                Verdict::Held(Granted { replayed: true, ..granted })
            } else {
                Verdict::KeyReused
            }));
        }
        if !self.told.knows(&wish.hold_id) {
            return Ok(None);
        }
        self.ledger
            .recall(wish.hold_id.clone(), wish.body_hash.clone())
            .await
            .map_err(|error| internal(&error))
    }

    /// The defect `limit-check-then-act`: a look at the limit, and time for others before it is acted upon.
    async fn check_then_act(&self, sale: &Sale, wish: &Wish) -> Result<(), Refusal> {
        if !self.config.defects.has(Defect::LimitCheckThenAct) {
            return Ok(());
        }
        let has = self
            .ledger
            .account_units(sale.event.clone(), wish.account.clone())
            .await
            .map_err(|error| internal(&error))?;
        tokio::time::sleep(Duration::from_millis(30)).await;
        let fits = i64::from(has) + wish.units() <= i64::from(sale.terms.account_limit);
        if fits { Ok(()) } else { Err(ErrorCode::LimitExceeded.into()) }
    }

    /// Lets the ledger decide on what was admitted; nothing if the admission was not good any more.
    async fn decide(
        &self,
        sale: &Sale,
        wish: &Wish,
        lines: Vec<HoldLine>,
    ) -> Result<Option<Verdict>, Refusal> {
        let verdict = self.waiters.wait(&wish.hold_id);
        if let Err(error) = self.append(sale, wish.command(sale, &lines, None)).await {
            self.withdraw(sale, &wish.hold_id, &lines).await;
            tracing::warn!(error = &error as &dyn std::error::Error, "an intent was not taken");
            return Err(Problem::new(ErrorCode::Overloaded).retry_after(1).into());
        }
        let verdict = verdict.await.ok().flatten();
        if !matches!(verdict, Some(Verdict::Fenced(..) | Verdict::Exhausted(..))) {
            self.told.learn(&wish.hold_id);
        }
        let Some(verdict) = verdict else { return Err(ErrorCode::Internal.into()) };
        match verdict {
            Verdict::Fenced(sku, shard, epoch) => {
                self.metrics.admissions_fenced.add();
                self.withdraw(sale, &wish.hold_id, &lines).await;
                self.catch_up(&Bucket { event: sale.event.clone(), sku, shard }, epoch, false)
                    .await;
                Ok(None)
            }
            Verdict::Exhausted(sku, shard, epoch) => {
                self.withdraw(sale, &wish.hold_id, &lines).await;
                self.catch_up(&Bucket { event: sale.event.clone(), sku, shard }, epoch, true).await;
                Ok(None)
            }
            Verdict::Held(granted) => {
                self.mark_held(sale, wish, &lines, &granted).await;
                Ok(Some(Verdict::Held(granted)))
            }
            refused => {
                self.withdraw(sale, &wish.hold_id, &lines).await;
                Ok(Some(refused))
            }
        }
    }

    async fn append(
        &self,
        sale: &Sale,
        command: HoldCommand,
    ) -> Result<(), crate::orders::QueueError> {
        let first = &command.lines[0];
        let bucket =
            Bucket { event: sale.event.clone(), sku: first.sku.clone(), shard: first.shard };
        let slot = usize::from(crate::admission::slot(bucket.keys()[0].as_bytes()));
        self.queue.append(slot % self.queue.lanes(), command).await
    }

    /// The store learns what the ledger decided: these units are no longer in doubt.
    async fn mark_held(&self, sale: &Sale, wish: &Wish, lines: &[HoldLine], granted: &Granted) {
        for line in lines {
            let bucket =
                Bucket { event: sale.event.clone(), sku: line.sku.clone(), shard: line.shard };
            let elsewhere = !granted.lines.contains(&(line.sku.clone(), line.shard));
            let twice = self.config.defects.has(Defect::FallbackSellsTwice) && line.fallback;
            if elsewhere || twice {
                let release = Release {
                    bucket,
                    epoch: line.epoch,
                    hold_id: wish.hold_id.clone(),
                    quantity: line.quantity,
                };
                drop(self.release(&release).await);
                continue;
            }
            if let Ok(reply) =
                scripts::confirm(&*self.store, &bucket, &wish.hold_id, false, granted.ends_ms).await
                && let Some(shard) = sale.shard(&bucket)
            {
                self.hear(shard, &reply);
            }
        }
    }

    /// `--admission redis-only`: the script is the decision, and the ledger hears of it later.
    async fn acknowledge(&self, sale: &Sale, wish: Wish) -> Result<HoldAnswer, Refusal> {
        if self.is_sold_out(sale, &wish.wants) {
            self.metrics.holds_sold_out.add();
            return Err(ErrorCode::SoldOut.into());
        }
        let _one = self.limits.lock().await;
        let stored = self
            .ledger
            .account_units(sale.event.clone(), wish.account.clone())
            .await
            .map_err(|error| internal(&error))?;
        let has = i64::from(stored) + self.acknowledged.units(&sale.event, &wish.account);
        if has + wish.units() > i64::from(sale.terms.account_limit) {
            return Err(ErrorCode::LimitExceeded.into());
        }
        match self
            .admit(sale, &wish.hold_id, &wish.account, &wish.wants)
            .await
            .map_err(|error| internal(&error))?
        {
            Admitted::Yes(lines) => {
                let until_ms = self.lease_clock.now_ms() + sale.terms.hold_ttl_ms;
                let granted = Granted {
                    fence: lines[0].epoch,
                    until_ms,
                    ends_ms: until_ms,
                    replayed: false,
                    lines: Vec::new(),
                };
                let command = wish.command(sale, &lines, Some(until_ms));
                self.acknowledged.insert(command.clone(), granted.clone());
                if self.append(sale, command).await.is_err() {
                    self.acknowledged.remove(&wish.hold_id);
                    self.withdraw(sale, &wish.hold_id, &lines).await;
                    return Err(Problem::new(ErrorCode::Overloaded).retry_after(1).into());
                }
                self.answer(&wish.hold_id, Verdict::Held(granted))
            }
            Admitted::AlreadyHolding => Err(ErrorCode::AlreadyHolding.into()),
            Admitted::SoldOut | Admitted::Undecided => {
                self.metrics.holds_sold_out.add();
                Err(ErrorCode::SoldOut.into())
            }
        }
    }

    fn answer(&self, hold_id: &str, verdict: Verdict) -> Result<HoldAnswer, Refusal> {
        let granted = match verdict {
            Verdict::Held(granted) => granted,
            Verdict::Refused(reason) => {
                self.metrics.holds_limited.add();
                return Err(code_of(&reason).into());
            }
            Verdict::KeyReused => return Err(ErrorCode::KeyReused.into()),
            Verdict::Fenced(..) | Verdict::Exhausted(..) => unreachable!("these are no verdicts"),
        };
        let counter = if granted.replayed {
            &self.metrics.holds_replayed
        } else {
            &self.metrics.holds_granted
        };
        counter.add();
        let now = self.lease_clock.now_ms();
        Ok(HoldAnswer {
            hold_id: hold_id.to_owned(),
            fence: granted.fence,
            expires_at_ms: granted.until_ms,
            server_time_ms: now,
            ttl_ms: granted.until_ms.saturating_sub(now),
        })
    }
}

impl Wish {
    fn units(&self) -> i64 {
        self.wants.iter().map(|(_, quantity)| quantity).sum()
    }
    fn command(
        &self,
        sale: &Sale,
        lines: &[HoldLine],
        acknowledged_until_ms: Option<u64>,
    ) -> HoldCommand {
        HoldCommand {
            hold_id: self.hold_id.clone(),
            body_hash: self.body_hash.clone(),
            event: sale.event.clone(),
            account: self.account.clone(),
            instrument: self.instrument.clone(),
            lines: lines.to_vec(),
            acknowledged_until_ms,
        }
    }
}

/// A short identifier made of some texts.
pub(super) fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(u64::try_from(part.len()).expect("texts are short").to_le_bytes());
        hash.update(part.as_bytes());
    }
    hex::encode(&hash.finalize()[..16])
}

/// Carries a hold through even if the shopper hangs up in the middle.
pub(super) async fn hold_to_the_end(
    gateway: Arc<Gateway>,
    sale: Arc<Sale>,
    account: String,
    key: String,
    request: HoldRequest,
) -> Result<HoldAnswer, Refusal> {
    let work = tokio::spawn(async move { gateway.hold(&sale, &account, &key, request).await });
    work.await.unwrap_or_else(|_| Err(ErrorCode::Internal.into()))
}
