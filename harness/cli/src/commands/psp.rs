//! `onsale psp serve`: the payment provider alone, for trying a target by hand.

use super::Ending;
use crate::args::{Psp, PspServe};
use crate::output::{self, Failure};
use crate::road;
use anyhow::Context;
use onsale_history::{Clock, Memory, Names, Scribe};
use onsale_psp::{Config, Knobs, Provider, Retry};
use onsale_report::exit::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Dispatches `onsale psp …`.
pub(crate) fn psp(options: Psp) -> Ending {
    let Psp::Serve(options) = options;
    road::runtime()?.block_on(serve(options))
}

async fn serve(options: PspServe) -> Ending {
    let knobs = match &options.workload {
        Some(path) => road::psp::knobs(&road::plan::workload(path)?.psp),
        None => Knobs::default(),
    };
    let now = road::clock::now();
    let scribe = Scribe {
        clock: Clock::since(now.instant),
        names: Names::default(),
        marks: Arc::new(Memory::default()),
    };
    let config = Config {
        listen: options.listen,
        secret_key: options.psp_key,
        webhook_secret: options.webhook_secret,
        webhook_url: options.webhook_url,
        seed: options.seed,
        epoch_unix: Duration::from_nanos(now.unix_ns),
        retry: Retry::default(),
        knobs,
    };
    let listen = config.listen;
    let provider = Provider::start(config, scribe)
        .await
        .with_context(|| format!("failed to start the payment provider on `{listen}`"))
        .map_err(|error| Failure::usage(error).hint("choose another address with --listen"))?;
    output::tell(&format!("the payment provider listens on {}\n", provider.url()));
    road::signals::terminated().await;
    let ledger = provider.stop().await.context("failed to stop the payment provider")?;
    output::data(&ledger.to_json());
    Ok(ExitCode::Pass)
}
