//! Events: configured, opened after a restart, and their waves.

use super::Gateway;
use super::sale::Sale;
use super::service::StartError;
use crate::ledger::Configured;
use crate::problem::Refusal;
use onsale_contract::admin::EventConfig;
use onsale_contract::problem::{ErrorCode, Problem};
use std::sync::Arc;

impl Gateway {
    /// `PUT /v1/admin/events/{event}`.
    pub(super) async fn configure(&self, event: &str, terms: EventConfig) -> Result<(), Refusal> {
        if let Some(why) = nonsense(&terms) {
            return Err(Problem::new(ErrorCode::InvalidRequest).detail(why).into());
        }
        let stored =
            self.ledger.configure(event.to_owned(), terms.clone(), self.clock.wall_ms()).await;
        match stored.map_err(|error| internal(&error))? {
            Configured::Unchanged => Ok(()),
            Configured::Shrinks(why) => {
                Err(Problem::new(ErrorCode::StateConflict).detail(why).into())
            }
            Configured::Stored(_) => {
                self.open(event, terms).await.map_err(|error| internal(&error))
            }
        }
    }

    /// Builds the buckets of a stored event in the admission store and tells everybody of it.
    pub(super) async fn open(&self, event: &str, terms: EventConfig) -> Result<(), StartError> {
        let sale = Arc::new(Sale::new(event, terms));
        sale.learn(&self.ledger.counts(event.to_owned()).await.map_err(StartError::Ledger)?);
        let rebuilds = sale.shards().map(|shard| self.rebuild_as(shard, None));
        for rebuilt in futures_util::future::join_all(rebuilds).await {
            rebuilt?;
        }
        self.announce(&sale);
        Ok(())
    }

    /// Releases what is due.
    pub(super) async fn release_waves(&self) {
        let now = self.clock.wall_ms();
        let due = self.all_sales().iter().any(|sale| {
            sale.skus.values().any(|sku| {
                sku.terms.waves.iter().any(|wave| {
                    wave.at_ms <= now && wave.units.min(sku.terms.stock) > sku.released()
                })
            })
        });
        if !due {
            return;
        }
        match self.ledger.release_waves(now).await {
            Ok(grown) => {
                for bucket in &grown {
                    self.rebuild(bucket, None).await;
                }
                for sale in self.all_sales() {
                    if let Ok(counts) = self.ledger.counts(sale.event.clone()).await {
                        sale.learn(&counts);
                    }
                }
            }
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "a wave was not released"
                );
            }
        }
    }
}

fn nonsense(terms: &EventConfig) -> Option<String> {
    let mut seen = std::collections::BTreeSet::new();
    for sku in &terms.skus {
        if sku.shards > 1_024 {
            return Some(format!("`{}` has more than 1024 shards", sku.sku));
        }
        if sku.sku.contains(['{', '}', '|']) || sku.sku.is_empty() {
            return Some(format!("`{}` is not a name for a SKU", sku.sku));
        }
        if !seen.insert(&sku.sku) {
            return Some(format!("`{}` is there twice", sku.sku));
        }
        if sku
            .waves
            .windows(2)
            .any(|pair| pair[0].at_ms >= pair[1].at_ms || pair[0].units > pair[1].units)
        {
            return Some(format!("the waves of `{}` must be sorted and cumulative", sku.sku));
        }
    }
    terms.skus.is_empty().then(|| "there is nothing to sell".to_owned())
}

/// Something failed: nobody knows what happened. The cause goes to the log, not to the shopper.
pub(super) fn internal(error: &(dyn std::error::Error + 'static)) -> Refusal {
    tracing::error!(error, "a request failed");
    ErrorCode::Internal.into()
}
