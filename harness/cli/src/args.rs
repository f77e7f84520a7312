//! The command line. Every flag with an environment twin is `ONSALE_<FLAG>`.

use clap::{Parser, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Floods a flash sale with shoppers and bots, breaks it, and proves from the record that nothing was oversold.
#[derive(Debug, Parser)]
#[command(name = "onsale", version, max_term_width = 120)]
pub(crate) struct Args {
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
    /// Say more on standard error (twice: everything).
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Load, break, check and report.
    Run(Run),
    /// Judge a recorded run again.
    Check(RunName),
    /// Render a run's report again.
    Report(RunName),
    /// Look into a run's record.
    History(History),
    /// Two runs side by side.
    Compare(Compare),
    /// The reference system.
    #[command(subcommand)]
    Target(Target),
    /// The payment provider.
    #[command(subcommand)]
    Psp(Psp),
    /// What a rule, defect, persona, fault, error or exit code means.
    Explain(Explain),
    /// What there is of a kind.
    List(List),
    /// Plans with their defaults filled in; mistakes at their line and column.
    Inspect(Inspect),
    /// Does a target keep its contract?
    Probe(Probe),
    /// Undo what a crashed run left behind.
    Heal(RunName),
}

/// `onsale run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The workload (YAML).
    pub(crate) workload: PathBuf,
    /// The target's base URL, or `embedded`: the reference shop in a process of its own.
    #[arg(long, default_value = "embedded", env = "ONSALE_TARGET")]
    pub(crate) target: String,
    /// The target's mapping file, instead of the workload's.
    #[arg(long)]
    pub(crate) mapping: Option<PathBuf>,
    /// The seed of every random choice; printed when it is not given.
    #[arg(long, env = "ONSALE_SEED")]
    pub(crate) seed: Option<u64>,
    /// Bugs that the embedded target shall have (`onsale list defects`), separated by commas.
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(crate) defect: String,
    /// When the embedded target acknowledges a hold.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) admission: Admission,
    /// A chaos plan (YAML), instead of the workload's steps; `none` for none.
    #[arg(long)]
    pub(crate) chaos: Option<PathBuf>,
    /// Where the harness's payment provider listens; a target that is not embedded must know it (`--psp-url`).
    #[arg(long, default_value = "127.0.0.1:0", env = "ONSALE_PSP_LISTEN")]
    pub(crate) psp_listen: SocketAddr,
    /// Where runs are kept.
    #[arg(long, default_value = "results", env = "ONSALE_RESULTS")]
    pub(crate) results: PathBuf,
}

/// When holds are acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Admission {
    /// After the ledger's commit.
    #[default]
    Safe,
    /// After the Lua script; the ledger is written later.
    RedisOnly,
}

/// A run.
#[derive(Debug, clap::Args)]
pub(crate) struct RunName {
    /// A path, `latest`, or the shortest unique beginning of a run's name.
    pub(crate) run: String,
    /// Where runs are kept.
    #[arg(long, default_value = "results", env = "ONSALE_RESULTS")]
    pub(crate) results: PathBuf,
}

/// `onsale history`.
#[derive(Debug, clap::Args)]
pub(crate) struct History {
    /// Which run.
    #[command(flatten)]
    pub(crate) name: RunName,
    /// Check every byte instead of printing.
    #[arg(long, conflicts_with = "export")]
    pub(crate) verify: bool,
    /// Print in another tool's form.
    #[arg(long, value_enum)]
    pub(crate) export: Option<Export>,
}

/// Forms of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Export {
    /// One JSON object a line.
    Jsonl,
    /// Jepsen's op maps.
    Edn,
}

/// `onsale compare`.
#[derive(Debug, clap::Args)]
pub(crate) struct Compare {
    /// The run to compare with.
    pub(crate) before: String,
    /// The other run.
    pub(crate) after: String,
    /// Where runs are kept.
    #[arg(long, default_value = "results", env = "ONSALE_RESULTS")]
    pub(crate) results: PathBuf,
}

/// `onsale target`.
#[derive(Debug, Subcommand)]
pub(crate) enum Target {
    /// Serve the reference shop, every role in this process, until SIGTERM.
    Serve(TargetServe),
}

/// `onsale target serve`. Secrets are better given by the environment: everybody on a machine can read arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct TargetServe {
    /// Where to listen.
    #[arg(long, default_value = "127.0.0.1:8080", env = "ONSALE_LISTEN")]
    pub(crate) listen: SocketAddr,
    /// Where the database and the keys live.
    #[arg(long, default_value = "onsale-data", env = "ONSALE_DATA")]
    pub(crate) data: PathBuf,
    /// The payment provider's base URL.
    #[arg(long, default_value = "http://127.0.0.1:12111", env = "ONSALE_PSP_URL")]
    pub(crate) psp_url: String,
    /// When holds are acknowledged.
    #[arg(long, value_enum, default_value_t, env = "ONSALE_ADMISSION")]
    pub(crate) admission: Admission,
    /// Bugs to have (`onsale list defects`), separated by commas.
    #[arg(long, default_value = "", hide_default_value = true, env = "ONSALE_DEFECT")]
    pub(crate) defect: String,
    /// The payment provider's API key.
    #[arg(long, env = "ONSALE_PSP_KEY", hide_env_values = true)]
    pub(crate) psp_key: String,
    /// Secret of the webhooks' signature.
    #[arg(long, env = "ONSALE_WEBHOOK_SECRET", hide_env_values = true)]
    pub(crate) webhook_secret: String,
    /// Key of the admin routes.
    #[arg(long, env = "ONSALE_ADMIN_KEY", hide_env_values = true)]
    pub(crate) admin_key: String,
}

/// `onsale psp`.
#[derive(Debug, Subcommand)]
pub(crate) enum Psp {
    /// Serve the payment provider alone, until SIGTERM.
    Serve(PspServe),
}

/// `onsale psp serve`.
#[derive(Debug, clap::Args)]
pub(crate) struct PspServe {
    /// Where to listen.
    #[arg(long, default_value = "127.0.0.1:12111", env = "ONSALE_LISTEN")]
    pub(crate) listen: SocketAddr,
    /// Where to send webhooks.
    #[arg(long, env = "ONSALE_WEBHOOK_URL")]
    pub(crate) webhook_url: Option<String>,
    /// The API key that it accepts.
    #[arg(long, env = "ONSALE_PSP_KEY", hide_env_values = true)]
    pub(crate) psp_key: String,
    /// Secret of the webhooks' signature.
    #[arg(long, env = "ONSALE_WEBHOOK_SECRET", hide_env_values = true)]
    pub(crate) webhook_secret: String,
    /// A workload whose `psp` section says how to behave.
    #[arg(long)]
    pub(crate) workload: Option<PathBuf>,
    /// The seed of every random choice.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// `onsale explain`.
#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    /// `oversell`, `reserve-without-check`, `scalper`, `target-kill`, `sold-out`, or `exit 3`.
    #[arg(required = true, num_args = 1..=2)]
    pub(crate) name: Vec<String>,
}

/// `onsale list`.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Of what.
    #[arg(value_enum)]
    pub(crate) kind: Kind,
    /// Where runs are kept.
    #[arg(long, default_value = "results", env = "ONSALE_RESULTS")]
    pub(crate) results: PathBuf,
}

/// Kinds of things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// What the checker proves.
    Rules,
    /// What chaos can break.
    Faults,
    /// Who shops.
    Personas,
    /// Bugs the reference shop can have.
    Defects,
    /// Why the reference shop refuses.
    Errors,
    /// How a run can end.
    Exits,
    /// What was run.
    Runs,
}

/// `onsale inspect`.
#[derive(Debug, clap::Args)]
pub(crate) struct Inspect {
    /// Workloads, chaos plans and mappings.
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
}

/// `onsale probe`.
#[derive(Debug, clap::Args)]
pub(crate) struct Probe {
    /// The target's base URL.
    #[arg(long, env = "ONSALE_TARGET")]
    pub(crate) target: String,
    /// The target's mapping file.
    #[arg(long, default_value = "workloads/targets/reference.yaml")]
    pub(crate) mapping: PathBuf,
    /// Where the harness's payment provider listens; the target must know it (`--psp-url`).
    #[arg(long, default_value = "127.0.0.1:0", env = "ONSALE_PSP_LISTEN")]
    pub(crate) psp_listen: SocketAddr,
    /// Show every variable.
    #[arg(long)]
    pub(crate) trace: bool,
}
