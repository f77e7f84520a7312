//! `onsale probe`: does a target keep its contract?

use super::Ending;
use crate::args::Probe;
use crate::output::{self, Failure};
use crate::road::{self, clock, plan, secrets};
use anyhow::anyhow;
use onsale_client::{Client, RunContext};
use onsale_history::{Clock, Memory, Names, Scribe};
use onsale_plan::{PaymentMode, Sale, Workload};
use onsale_psp::{Config, Knobs, Provider, Retry};
use onsale_report::exit::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// The sale that a probe makes.
const WORKLOAD: &str = "target: reference.yaml\nsale: { event: probe, skus: [{ name: probe, stock: 8 }], seats: 0, canaries: { count: 0, stock: 1 } }\n";

/// One buyer goes the whole way.
pub(crate) fn probe(options: &Probe) -> Ending {
    road::runtime()?.block_on(go(options))
}

async fn go(options: &Probe) -> Ending {
    let target = plan::target(&options.mapping)?;
    let names = plan::Names::all();
    let workload = Workload::parse("probe.yaml".as_ref(), WORKLOAD, &names.known())
        .map_err(|error| anyhow!("{error}"))?;
    let now = clock::now();
    let scribe = Scribe {
        clock: Clock::since(now.instant),
        names: Names::default(),
        marks: Arc::new(Memory::default()),
    };
    let provider = match target.payment {
        PaymentMode::PspWebhook => Some(provider(options, now, scribe.clone()).await?),
        _ => None,
    };
    let secrets = onsale_client::Secrets::resolve(&target, secrets::variable)
        .map_err(|error| Failure::usage(error).hint("export it first"))?;
    let context = context(options, &workload.sale, now, provider.as_ref(), secrets);
    let client = Client::compile(&target, &context).map_err(Failure::usage)?;
    let unreachable = |error| {
        Failure::new(ExitCode::Unreachable, error)
            .hint("is the target up? is the admin key its own?")
    };
    client.provision(&scribe).await.map_err(|error| unreachable(anyhow::Error::from(error)))?;
    let probe =
        onsale_client::probe(&client, &scribe, "probe").await.map_err(anyhow::Error::from)?;
    for check in &probe.checks {
        let word = if check.passed { "ok  " } else { "FAIL" };
        output::data(&format!("{word} {}: {}\n", check.name, check.seen));
        for (name, value) in check.variables.iter().filter(|_| options.trace) {
            output::data(&format!("       {name} = {value}\n"));
        }
    }
    Ok(if probe.passed() { ExitCode::Pass } else { ExitCode::Unreachable })
}

fn context(
    options: &Probe,
    sale: &Sale,
    now: clock::Now,
    provider: Option<&Provider>,
    secrets: onsale_client::Secrets,
) -> RunContext {
    let unix_ms = now.unix_ns / 1_000_000;
    RunContext {
        run: format!("probe-{unix_ms}"),
        event: format!("probe-{unix_ms}"),
        target_url: options.target.trim_end_matches('/').to_owned(),
        psp_url: provider.map(Provider::url).unwrap_or_default(),
        seed: unix_ms,
        epoch_unix_ms: unix_ms,
        sale: onsale_client::sale_values(sale, unix_ms),
        secrets,
    }
}

async fn provider(options: &Probe, now: clock::Now, scribe: Scribe) -> Result<Provider, Failure> {
    let mut config = Config::loopback(1, Duration::from_nanos(now.unix_ns));
    config.listen = options.psp_listen;
    config.secret_key = secrets::variable("ONSALE_PSP_KEY").unwrap_or(config.secret_key);
    config.webhook_secret =
        secrets::variable("ONSALE_WEBHOOK_SECRET").unwrap_or(config.webhook_secret);
    config.webhook_url = Some(format!("{}/v1/webhooks/psp", options.target.trim_end_matches('/')));
    (config.retry, config.knobs) = (Retry::default(), Knobs::default());
    Provider::start(config, scribe).await.map_err(Failure::usage)
}
