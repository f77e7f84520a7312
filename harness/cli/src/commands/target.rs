//! `onsale target serve`: the reference shop, every role in this process.

use super::Ending;
use crate::args::{Admission, Target, TargetServe};
use crate::output::{self, Failure};
use crate::road;
use anyhow::{Context, anyhow};
use onsale_report::exit::ExitCode;
use onsale_shop::clock::SystemClock;
use onsale_shop::config::{Config, Limits};
use onsale_shop::defect::Defects;

/// Dispatches `onsale target …`.
pub(crate) fn target(options: Target) -> Ending {
    let Target::Serve(options) = options;
    let config = config(options)?;
    road::runtime()?.block_on(serve(config))
}

/// The bugs in a comma-separated list.
pub(crate) fn defects(list: &str) -> Result<Defects, Failure> {
    Defects::parse(list).map_err(|unknown| {
        Failure::usage(anyhow!("there is no defect `{unknown}`"))
            .hint("see what there is: onsale list defects")
    })
}

fn config(options: TargetServe) -> Result<Config, Failure> {
    Ok(Config {
        defects: defects(&options.defect)?,
        listen: options.listen,
        data: options.data,
        psp_url: options.psp_url,
        psp_key: options.psp_key,
        webhook_secret: options.webhook_secret,
        admin_key: options.admin_key,
        limits: Limits::default(),
        admission: match options.admission {
            Admission::Safe => onsale_shop::config::Admission::Safe,
            Admission::RedisOnly => onsale_shop::config::Admission::RedisOnly,
        },
    })
}

async fn serve(config: Config) -> Ending {
    let (listen, data) = (config.listen, config.data.clone());
    let served = onsale_shop::serve::serve(config, SystemClock::shared(), async {
        road::signals::terminated().await;
    })
    .await
    .with_context(|| {
        format!(
            "failed to serve the reference shop on `{listen}` with data in `{}`",
            data.display()
        )
    })
    .map_err(|error| Failure::usage(error).hint("choose another place with --listen and --data"))?;
    output::tell(&format!("the reference shop listens on http://{}\n", served.addr));
    served.done.await.context("the reference shop failed")?;
    Ok(ExitCode::Pass)
}
