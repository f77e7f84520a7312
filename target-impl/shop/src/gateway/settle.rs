//! T3 at the gateway: an outcome goes to the ledger, and what follows from it to everybody else. Also T5 and T6.

use super::Gateway;
use crate::admission::scripts;
use crate::defect::Defect;
use crate::ledger::{Attempt, LedgerError, Outcome, OutcomeVerdict, Refund, Removed};
use crate::payments::{ProviderError, RefundAnswer, webhook};
use futures_util::StreamExt;
use futures_util::stream::iter;

/// Requests to the provider at once.
const PROVIDER_WIDTH: usize = 16;

impl Gateway {
    /// Takes an outcome in, from whatever source.
    pub(super) async fn settle(&self, outcome: Outcome) -> Result<OutcomeVerdict, LedgerError> {
        let verdict = self.ledger.outcome(outcome).await?;
        match &verdict {
            OutcomeVerdict::Confirmed { sold, reheld } => {
                self.metrics.orders_confirmed.add();
                self.mark_sold(sold, *reheld).await;
            }
            OutcomeVerdict::RefundDue(removed) => {
                if let Some(removed) = removed {
                    self.release_now(removed).await;
                }
                self.refunds.notify_one();
            }
            OutcomeVerdict::Failed(removed) => {
                self.metrics.payments_failed.add();
                self.release_now(removed).await;
            }
            OutcomeVerdict::Repeated | OutcomeVerdict::Unknown | OutcomeVerdict::Nothing => {}
        }
        Ok(verdict)
    }

    async fn mark_sold(&self, sold: &Removed, reheld: bool) {
        for line in &sold.releases {
            if let Some(sale) = self.sale(&line.bucket.event) {
                sale.sold(&line.bucket.sku, line.quantity);
            }
            if reheld {
                self.rebuild(&line.bucket, Some(line.epoch)).await;
            } else if let Err(error) =
                scripts::confirm(&*self.store, &line.bucket, &sold.hold_id, true, 0).await
            {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the store was not told of a sale"
                );
            }
        }
    }

    /// T5: money goes back. The key counts on only after a final failure, since the provider replays what it stored.
    pub(super) async fn refund_what_is_due(&self) -> Result<(), LedgerError> {
        let due = self.ledger.refunds_due(64).await?;
        iter(due).for_each_concurrent(PROVIDER_WIDTH, |refund| self.refund(refund)).await;
        Ok(())
    }

    async fn refund(&self, refund: Refund) {
        let key = format!("refund:{}:{}", refund.psp_ref, refund.number);
        let result = if self.config.defects.has(Defect::RefundTwice) {
            self.refund_twice(&refund, &key).await
        } else {
            self.provider.refund(&refund.psp_ref, &key, None).await
        };
        let done = match result {
            Ok(answer) => answer == RefundAnswer::Done,
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a refund is tried again under the same key"
                );
                return;
            }
        };
        if done {
            self.metrics.refunds_done.add();
        }
        if let Err(error) = self.ledger.refunded(refund.attempt_id, refund.number, done).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "a refund was not written down"
            );
        }
    }

    /// The defect `refund-twice`: the same money is asked back under two keys.
    async fn refund_twice(
        &self,
        refund: &Refund,
        key: &str,
    ) -> Result<RefundAnswer, ProviderError> {
        let first = self.provider.refund(&refund.psp_ref, key, Some(refund.captured)).await?;
        drop(
            self.provider
                .refund(&refund.psp_ref, &format!("{key}-again"), Some(refund.captured))
                .await,
        );
        Ok(first)
    }

    /// T6: attempts that nobody told us of for a while.
    pub(super) async fn reconcile_attempts(&self) -> Result<(), LedgerError> {
        let due = self.ledger.attempts_due(64).await?;
        iter(due).for_each_concurrent(PROVIDER_WIDTH, |attempt| self.look_at(attempt)).await;
        Ok(())
    }

    async fn look_at(&self, attempt: Attempt) {
        let Attempt { checkout, overdue } = attempt;
        let id = checkout.attempt_id.clone();
        match &checkout.psp_ref {
            Some(psp_ref) if !overdue => match self.provider.find(psp_ref).await {
                Ok(intent) => {
                    if let Some(outcome) = webhook::outcome_of(&intent)
                        && let Err(error) = self.settle(outcome).await
                    {
                        tracing::error!(
                            error = &error as &dyn std::error::Error,
                            "an outcome was not written down"
                        );
                    }
                }
                Err(error) => tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a payment was not found out about"
                ),
            },
            _ if overdue => drop(self.cancel_payment(&checkout).await),
            _ => {}
        }
        if let Err(error) = self.ledger.attempt_seen(id).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "a look at a payment was not written down"
            );
        }
    }

    /// T6: events that no webhook carried.
    pub(super) async fn reconcile_events(&self) -> Result<(), LedgerError> {
        let events = match self.provider.undelivered().await {
            Ok(events) => events,
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the provider's events were not read"
                );
                return Ok(());
            }
        };
        let outcomes = events.iter().rev().filter_map(webhook::outcome).filter(|outcome| {
            outcome.event_id.as_ref().is_some_and(|event| !self.reconciled.knows(event))
        });
        iter(outcomes.collect::<Vec<_>>())
            .for_each_concurrent(PROVIDER_WIDTH, |outcome| self.reconcile_event(outcome))
            .await;
        Ok(())
    }

    /// An event is forgotten only once it is in the ledger; one of an unknown payment is looked at again.
    async fn reconcile_event(&self, outcome: Outcome) {
        let event = outcome.event_id.clone().unwrap_or_default();
        match self.settle(outcome).await {
            Ok(OutcomeVerdict::Unknown) => {}
            Ok(_) => self.reconciled.learn(&event),
            Err(error) => tracing::error!(
                error = &error as &dyn std::error::Error,
                "an event was not taken in"
            ),
        }
    }
}
