//! Admission of a hold's lines: the shopper's own shard first, then around the ring; all lines or none.

use super::Gateway;
use super::sale::{Sale, Sku};
use crate::admission::{AdmissionError, scripts};
use crate::defect::Defect;
use crate::ledger::{HoldLine, Release};
use std::sync::atomic::Ordering;

/// What became of an admission.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Admitted {
    /// Every line, from these shards.
    Yes(Vec<HoldLine>),
    /// Not enough units, and none in doubt.
    SoldOut,
    /// Units are in doubt: ask again soon.
    Undecided,
    /// The account holds units already.
    AlreadyHolding,
}

impl Gateway {
    /// Admits every line of a hold.
    pub(super) async fn admit(
        &self,
        sale: &Sale,
        hold_id: &str,
        account: &str,
        wants: &[(String, i64)],
    ) -> Result<Admitted, AdmissionError> {
        let mut lines = Vec::with_capacity(wants.len());
        for (sku, quantity) in wants {
            let known = sale.skus.get(sku).expect("the request's SKUs were looked up");
            match self.admit_line(sale, known, hold_id, account, *quantity).await? {
                Admitted::Yes(line) => lines.extend(line),
                refused => {
                    self.withdraw(sale, hold_id, &lines).await;
                    return Ok(refused);
                }
            }
        }
        Ok(Admitted::Yes(lines))
    }

    /// Some line certainly cannot be had, by what is remembered.
    pub(super) fn is_sold_out(&self, sale: &Sale, wants: &[(String, i64)]) -> bool {
        let now = self.clock.monotonic();
        let short = |(sku, quantity): &(String, i64)| {
            sale.skus[sku].shards.iter().all(|shard| shard.mirror.is_short_of(*quantity, now))
        };
        wants.iter().any(short)
    }

    async fn admit_line(
        &self,
        sale: &Sale,
        sku: &Sku,
        hold_id: &str,
        account: &str,
        quantity: i64,
    ) -> Result<Admitted, AdmissionError> {
        let defects = &self.config.defects;
        if defects.has(Defect::SoldOutCached) && sku.sold_out.load(Ordering::Relaxed) {
            return Ok(Admitted::SoldOut);
        }
        let (start, count) = (sku.start_of(account), sku.shards.len());
        let probes = if defects.has(Defect::NoRingFallback) { 1 } else { count };
        let mut undecided = false;
        for offset in 0..probes {
            let shard = &sku.shards[(start + offset) % count];
            let unlimited = defects.has(Defect::ReserveWithoutCheck);
            if !unlimited && shard.mirror.is_short_of(quantity, self.clock.monotonic()) {
                continue;
            }
            let now_ms = self.lease_clock.now_ms();
            let ask = scripts::Admission {
                hold: hold_id,
                quantity,
                account,
                now_ms,
                ends_ms: now_ms + sale.terms.hold_ttl_ms,
                one_hold: sale.terms.one_hold,
                pending: !self.redis_only(),
            };
            let reply = match scripts::hold(&*self.store, &shard.bucket, ask).await {
                Err(AdmissionError::NotBuilt { .. }) => {
                    self.rebuild(&shard.bucket, None).await;
                    undecided = true;
                    continue;
                }
                reply => reply?,
            };
            self.hear(shard, &reply);
            match reply.status {
                1 | 2 => {
                    let (sku, shard, epoch) =
                        (sku.terms.sku.clone(), shard.bucket.shard, reply.epoch);
                    return Ok(Admitted::Yes(vec![HoldLine {
                        sku,
                        shard,
                        quantity,
                        epoch,
                        fallback: offset > 0,
                    }]));
                }
                -2 => return Ok(Admitted::AlreadyHolding),
                status => undecided |= status == -1,
            }
        }
        if !undecided {
            sku.sold_out.store(true, Ordering::Relaxed);
        }
        Ok(if undecided { Admitted::Undecided } else { Admitted::SoldOut })
    }

    /// Takes admissions back that the ledger does not want.
    pub(super) async fn withdraw(&self, sale: &Sale, hold_id: &str, lines: &[HoldLine]) {
        for line in lines {
            let bucket = crate::admission::Bucket {
                event: sale.event.clone(),
                sku: line.sku.clone(),
                shard: line.shard,
            };
            let release = Release {
                bucket,
                epoch: line.epoch,
                hold_id: hold_id.to_owned(),
                quantity: line.quantity,
            };
            if let Err(error) = self.release(&release).await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "an admission is left to the pending reaper"
                );
            }
        }
    }
}
