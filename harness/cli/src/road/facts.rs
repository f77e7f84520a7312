//! From a workload to the facts that a judge needs: the header of the history.

use onsale_history::{
    ConfirmPolicy, Header, LateCapture, Names, Nanos, QueueFacts, QueueMethod, SaleFacts, SkuFacts,
    SkuId, SkuRole, SoldOutPolicy, Wave,
};
use onsale_plan::{Sku, Workload};
use std::time::Duration;

/// Nanoseconds of a duration.
pub(crate) fn nanos(duration: Duration) -> Nanos {
    Nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

/// The sale, with every instant on the run's clock.
pub(crate) fn sale(workload: &Workload, opens: Nanos) -> SaleFacts {
    let sale = &workload.sale;
    let shards = sale.skus.iter().map(|sku| sku.shards).max().unwrap_or(1);
    SaleFacts {
        skus: skus(workload, opens),
        opens,
        ttl: nanos(sale.hold.ttl),
        earliness: nanos(sale.hold.earliness),
        grace: nanos(sale.hold.grace),
        // One host and one monotonic clock; but targets count in whole milliseconds of a wall clock that is being slewed.
        clock_error: Nanos::from_millis(2),
        release_lag: nanos(sale.hold.release_lag),
        confirm: ConfirmPolicy::Strict,
        checkout_extends: true,
        late_capture: match sale.hold.late_capture {
            onsale_plan::LateCapture::Refund => LateCapture::Refund,
            onsale_plan::LateCapture::Rehold => LateCapture::Rehold,
        },
        sold_out: if shards > 1 { SoldOutPolicy::ShardLocal } else { SoldOutPolicy::Exact },
        account_limit: Some(sale.account_limit),
        instrument_limit: Some(sale.instrument_limit),
        queue: sale.queue.as_ref().map(|queue| QueueFacts {
            method: match queue.method {
                onsale_plan::QueueMethod::Fifo => QueueMethod::Fifo,
                onsale_plan::QueueMethod::Lottery => QueueMethod::Lottery,
            },
            rate: queue.rate,
            burst: queue.batch,
        }),
        price: sale.price,
        currency: sale.currency.clone(),
    }
}

fn skus(workload: &Workload, opens: Nanos) -> Vec<SkuFacts> {
    let sale = &workload.sale;
    let hot = sale.skus.iter().map(|sku| hot(sku, opens));
    let one =
        |name: String, capacity, role| SkuFacts { name, capacity, shards: 1, role, waves: vec![] };
    let canaries = (0..sale.canaries.count)
        .map(|i| one(format!("canary-{i}"), sale.canaries.stock, SkuRole::Canary));
    let seats = (0..sale.seats).map(|i| one(format!("seat-{i}"), 1, SkuRole::Seat));
    hot.chain(canaries).chain(seats).collect()
}

fn hot(sku: &Sku, opens: Nanos) -> SkuFacts {
    let waves = sku
        .waves
        .iter()
        .map(|wave| Wave { at: opens.plus(nanos(wave.after)), units: wave.units })
        .collect();
    SkuFacts {
        name: sku.name.clone(),
        capacity: sku.stock,
        shards: sku.shards,
        role: SkuRole::Hot,
        waves,
    }
}

/// Gives every SKU the identifier that its place in the facts has.
pub(crate) fn name_skus(facts: &SaleFacts, names: &Names) {
    for (index, sku) in facts.skus.iter().enumerate() {
        let id: SkuId = names.id(&sku.name);
        assert_eq!(
            id.index(),
            index,
            "a new dictionary counts from 0, and no two SKUs share a name"
        );
    }
}

/// What a run is called, by whom, and with which seed.
pub(crate) struct Identity<'a> {
    /// Identifier of the run.
    pub(crate) run: &'a str,
    /// The target, as a person would say it.
    pub(crate) target: &'a str,
    /// The seed.
    pub(crate) seed: u64,
    /// Wall clock at the run's epoch.
    pub(crate) epoch_unix_ns: u64,
}

/// The head of the history. Without rules named by the workload, every rule is required.
pub(crate) fn header(
    workload: &Workload,
    sale: SaleFacts,
    identity: &Identity<'_>,
    rules: &[&str],
) -> Header {
    let named = match workload.expect.rules.as_slice() {
        [] => rules.iter().map(|&rule| rule.to_owned()).collect(),
        named => named.to_vec(),
    };
    let asked = |rule: String| match workload.expect.occasions {
        Some(count) => format!("{rule}>={count}"),
        None => rule,
    };
    let required = named.into_iter().map(asked).collect();
    Header {
        format: Header::FORMAT,
        run: identity.run.to_owned(),
        workload: workload.name.clone(),
        target: identity.target.to_owned(),
        harness: env!("CARGO_PKG_VERSION").to_owned(),
        seed: identity.seed,
        epoch_unix_ns: identity.epoch_unix_ns,
        sale,
        required,
    }
}
