//! Sets the stage of a run: the target, the provider, the record, the sale.

use super::secrets::Secrets;
use super::{clock, embedded, facts, journal, plan, psp, secrets};
use crate::args::Run;
use crate::output::Failure;
use crate::runs;
use anyhow::{Context, anyhow};
use onsale_chaos::{Backend, Journal, Process};
use onsale_client::{Client, RunContext};
use onsale_history::{Clock, Memory, Names, Nanos, Recording, Scribe};
use onsale_plan::{ChaosPlan, PaymentMode, Step, Target, Workload};
use onsale_psp::{Config, Knobs, Provider, Retry};
use onsale_report::exit::ExitCode;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where the reference target takes webhooks.
const WEBHOOK_PATH: &str = "/v1/webhooks/psp";
/// From the epoch to the first arrival: time to make the sale.
const LEAD: Duration = Duration::from_millis(700);

/// What was asked for, read and checked.
pub(crate) struct Plans {
    pub(crate) workload: Workload,
    pub(crate) target: Target,
    pub(crate) steps: Vec<Step>,
    pub(crate) seed: u64,
    pub(crate) rules: Vec<&'static str>,
}

/// Everything that a run needs, ready to begin.
pub(crate) struct Stage {
    pub(crate) plans: Plans,
    pub(crate) folder: PathBuf,
    pub(crate) run: String,
    pub(crate) clock: Clock,
    pub(crate) epoch: clock::Now,
    pub(crate) recording: Recording,
    pub(crate) scribe: Scribe,
    pub(crate) client: Client,
    pub(crate) backend: Backend,
    pub(crate) begins: Nanos,
    pub(crate) opens: Nanos,
    pub(crate) target_name: String,
}

impl Plans {
    /// Reads every file and fills in what the command line says.
    pub(crate) fn read(options: &Run) -> Result<Self, Failure> {
        let workload = plan::workload(&options.workload)?;
        let mapping = options
            .mapping
            .clone()
            .unwrap_or_else(|| plan::mapping_path(&workload, &options.workload));
        let target = plan::target(&mapping)?;
        let steps = match &options.chaos {
            Some(path) => plan::chaos(path)?,
            None => workload.chaos.clone(),
        };
        crate::commands::defects(&options.defect)?;
        let embedded = options.target == "embedded";
        if !embedded && !options.defect.is_empty() {
            return Err(Failure::usage(anyhow!("--defect needs the embedded target")));
        }
        let needs_process = |step: &Step| step.fault.starts_with("target-");
        if !embedded && let Some(step) = steps.iter().find(|step| needs_process(step)) {
            return Err(Failure::usage(anyhow!(
                "fault `{}` needs a target that onsale started itself",
                step.fault
            ))
            .hint("leave it out: --chaos none"));
        }
        let seed = options.seed.unwrap_or_else(|| clock::now().unix_ns / 1_000 % 1_000_000_007);
        Ok(Self { workload, target, steps, seed, rules: plan::Names::all().rules().to_vec() })
    }
}

impl Stage {
    /// Starts the target and the provider, probes the contract, makes the sale and opens the record.
    pub(crate) async fn set(options: &Run, plans: Plans) -> Result<Self, Failure> {
        let run = format!(
            "{}-{}-{:06x}",
            clock::stamp(clock::now().unix_ns),
            plans.workload.name,
            plans.seed & 0xff_ffff
        );
        let folder = runs::create(&options.results, &run)?;
        write_plans(&folder, &plans)?;
        let embedded = options.target == "embedded";
        let secrets = Secrets::get(embedded, &run)?;
        let psp_address = match options.psp_listen {
            address if address.port() == 0 => embedded::free_address()?,
            address => address,
        };
        let (process, target_url) = if embedded {
            let (process, address) =
                embedded::start(options, &folder, psp_address, &secrets).await?;
            (Some(process), format!("http://{address}"))
        } else {
            (None, options.target.trim_end_matches('/').to_owned())
        };
        let target_name = describe(options, &plans, &target_url);
        let context =
            Common { plans: &plans, run: &run, target_url, psp_address, secrets: &secrets };
        context.probe().await?;
        let epoch = clock::now();
        let clock = Clock::since(epoch.instant);
        let begins = facts::nanos(LEAD);
        let opens = begins.plus(facts::nanos(plans.workload.sale.opens_after));
        let sale = facts::sale(&plans.workload, opens);
        let identity = facts::Identity {
            run: &run,
            target: &target_name,
            seed: plans.seed,
            epoch_unix_ns: epoch.unix_ns,
        };
        let header = facts::header(&plans.workload, sale.clone(), &identity, &plans.rules);
        let recording = Recording::create(&folder.join("history"), &header)
            .with_context(|| format!("failed to begin the record in `{}`", folder.display()))
            .map_err(Failure::usage)?;
        let scribe = recording.scribe(clock);
        facts::name_skus(&sale, &scribe.names);
        let knobs = psp::knobs(&plans.workload.psp);
        let provider = context.provider(plans.seed, knobs, epoch, scribe.clone()).await?;
        let client = context.client("sale", &plans.workload, epoch, opens)?;
        client.provision(&scribe).await.map_err(|error| {
            Failure::new(
                ExitCode::Unreachable,
                anyhow::Error::from(error).context("failed to make the sale"),
            )
        })?;
        let journal = Journal::open(journal(&folder)).map_err(anyhow::Error::from)?;
        let backend =
            Backend { process, provider: provider.map(Arc::new), journal: Arc::new(journal) };
        Ok(Self {
            plans,
            folder,
            run,
            clock,
            epoch,
            recording,
            scribe,
            client,
            backend,
            begins,
            opens,
            target_name,
        })
    }

    /// The process that was started for this run.
    pub(crate) fn process(&self) -> Option<&Arc<Process>> {
        self.backend.process.as_ref()
    }
}

/// What clients and providers of this run have in common.
struct Common<'a> {
    plans: &'a Plans,
    run: &'a str,
    target_url: String,
    psp_address: SocketAddr,
    secrets: &'a Secrets,
}

impl Common<'_> {
    fn client(
        &self,
        event: &str,
        workload: &Workload,
        epoch: clock::Now,
        opens: Nanos,
    ) -> Result<Client, Failure> {
        let epoch_unix_ms = epoch.unix_ns / 1_000_000;
        let opens_ms = epoch_unix_ms + opens.0 / 1_000_000;
        let secret = |name: &str| match name {
            "ONSALE_ADMIN_KEY" => Some(self.secrets.admin.clone()),
            "ONSALE_PSP_KEY" => Some(self.secrets.psp_key.clone()),
            other => secrets::variable(other),
        };
        let secrets = onsale_client::Secrets::resolve(&self.plans.target, secret)
            .map_err(anyhow::Error::from);
        let context = RunContext {
            run: self.run.to_owned(),
            event: format!("{}-{event}-{}", workload.sale.event, self.run),
            target_url: self.target_url.clone(),
            psp_url: format!("http://{}", self.psp_address),
            seed: self.plans.seed,
            epoch_unix_ms,
            sale: onsale_client::sale_values(&workload.sale, opens_ms),
            secrets: secrets.map_err(Failure::usage)?,
        };
        let compiled = Client::compile(&self.plans.target, &context);
        compiled.map_err(|error| {
            Failure::usage(anyhow::Error::from(error).context("failed to compile the mapping"))
        })
    }

    /// `seed` also makes the provider's identifiers: two providers of one run must not share it.
    async fn provider(
        &self,
        seed: u64,
        knobs: Knobs,
        epoch: clock::Now,
        scribe: Scribe,
    ) -> Result<Option<Provider>, Failure> {
        if self.plans.target.payment != PaymentMode::PspWebhook {
            return Ok(None);
        }
        let config = Config {
            listen: self.psp_address,
            secret_key: self.secrets.psp_key.clone(),
            webhook_secret: self.secrets.webhook.clone(),
            webhook_url: Some(format!("{}{WEBHOOK_PATH}", self.target_url)),
            seed,
            epoch_unix: Duration::from_nanos(epoch.unix_ns),
            retry: Retry::default(),
            knobs,
        };
        let started = Provider::start(config, scribe).await;
        let started = started.with_context(|| {
            format!("failed to start the payment provider on `{}`", self.psp_address)
        });
        started
            .map(Some)
            .map_err(|error| Failure::usage(error).hint("choose another address with --psp-listen"))
    }

    /// One buyer goes the whole way through a sale of a few units, before anything is recorded.
    async fn probe(&self) -> Result<(), Failure> {
        let mut workload = self.plans.workload.clone();
        workload.sale.skus.truncate(1);
        workload.sale.skus[0].waves.clear();
        (workload.sale.canaries.count, workload.sale.seats) = (0, 0);
        let epoch = clock::now();
        let memory = Memory::default();
        let scribe = Scribe {
            clock: Clock::since(epoch.instant),
            names: Names::default(),
            marks: Arc::new(memory),
        };
        let provider =
            self.provider(!self.plans.seed, Knobs::default(), epoch, scribe.clone()).await?;
        let client = self.client("probe", &workload, epoch, Nanos::ZERO)?;
        let unreachable = |error: anyhow::Error| {
            Failure::new(
                ExitCode::Unreachable,
                error.context(format!("failed to probe the target `{}`", self.target_url)),
            )
            .hint(format!(
                "is it up, and does it speak the mapping? onsale probe --target {}",
                self.target_url
            ))
        };
        client.provision(&scribe).await.map_err(|error| unreachable(error.into()))?;
        let sku = workload.sale.skus[0].name.clone();
        let probe =
            onsale_client::probe(&client, &scribe, &sku).await.map_err(anyhow::Error::from)?;
        // The probe's sale is left as it is where a mapping cannot take it away.
        drop(client.teardown(&scribe).await);
        if let Some(provider) = provider {
            provider.stop().await.map_err(anyhow::Error::from)?;
        }
        match probe.checks.iter().find(|check| check.is_mute()) {
            None => Ok(()),
            Some(check) => Err(unreachable(anyhow!("{}: {}", check.name, check.seen))),
        }
    }
}

fn describe(options: &Run, plans: &Plans, url: &str) -> String {
    if options.target != "embedded" {
        return format!("{} at {url}", plans.target.name);
    }
    let admission = match options.admission {
        crate::args::Admission::Safe => "safe",
        crate::args::Admission::RedisOnly => "redis-only",
    };
    let defect = if options.defect.is_empty() {
        String::new()
    } else {
        format!(", defect {}", options.defect)
    };
    format!("embedded reference shop {}, {admission} admission{defect}", env!("CARGO_PKG_VERSION"))
}

fn write_plans(folder: &Path, plans: &Plans) -> Result<(), Failure> {
    let write = |name: &str, text: String| {
        std::fs::write(folder.join(name), text)
            .with_context(|| format!("failed to write `{name}` of the run"))
    };
    write("workload.yaml", onsale_plan::inspect(&plans.workload))?;
    write("target.yaml", onsale_plan::inspect(&plans.target))?;
    let chaos = ChaosPlan {
        name: plans.workload.name.clone(),
        description: "What was broken in this run.".into(),
        steps: plans.steps.clone(),
    };
    Ok(write("chaos.yaml", onsale_plan::inspect(&chaos))?)
}
