//! The only place that names goose: its users are our workers.
//!
//! Goose starts the users at its hatch rate, keeps their life cycle and ends the attack when all have ended. Its metrics,
//! its HTTP client and its controllers are off: what was measured is in the history, and requests leave by our transport.

use crate::step::Worker;
use crate::swarm::LoadError;
use ::goose::config::GooseConfiguration;
use ::goose::goose::{Scenario, Transaction, TransactionFunction};
use ::goose::{GooseAttack, GooseError};
use std::fs::OpenOptions;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};

/// Users that start in a second: all at once, as far as goose can.
const HATCH_RATE: &str = "2000";

/// Runs every worker as a goose user until the load is over.
pub(crate) async fn attack(workers: Vec<Worker>) -> Result<(), LoadError> {
    let count = workers.len();
    let idle = Arc::new(Mutex::new(workers));
    let work: TransactionFunction = Arc::new(move |_user| {
        let worker = idle.lock().expect("no user panics").pop();
        Box::pin(async move {
            if let Some(mut worker) = worker {
                worker.work().await;
            }
            Ok(())
        })
    });
    let scenario = Scenario::new("shoppers").register_transaction(Transaction::new(work));
    let attack = GooseAttack::initialize_with_config(configuration(count))
        .map_err(|error| failed(&error))?;
    let _quiet = Quiet::begin();
    // Goose's future is large.
    Box::pin(attack.register_scenario(scenario).execute()).await.map_err(|error| failed(&error))?;
    Ok(())
}

/// Was Ctrl-C pressed since the attack began? Goose takes the signal over and keeps it.
pub(crate) fn interrupted() -> bool {
    ::goose::is_killswitch_triggered()
}

/// Keeps standard output free of the line that goose prints whatever it is told ("48 users launched."): it belongs to the
/// data of the command. Ends when dropped.
struct Quiet {
    stdout: Option<OwnedFd>,
}

impl Quiet {
    fn begin() -> Self {
        let silence = OpenOptions::new().write(true).open("/dev/null");
        let stdout = silence.ok().and_then(|silence| {
            let kept = nix::unistd::dup(std::io::stdout()).ok()?;
            nix::unistd::dup2_stdout(silence).ok()?;
            Some(kept)
        });
        Self { stdout }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if let Some(stdout) = self.stdout.take()
            && nix::unistd::dup2_stdout(stdout).is_err()
        {
            tracing::error!("failed to bring standard output back");
        }
    }
}

fn configuration(users: usize) -> GooseConfiguration {
    let mut configuration = GooseConfiguration::default();
    // Never contacted: requests leave by our transport.
    configuration.host = Some("http://127.0.0.1".into());
    configuration.users = Some(users);
    configuration.increase_rate = Some(HATCH_RATE.into());
    configuration.iterations = Some(1);
    configuration.quiet = 3;
    configuration.no_print_metrics = true;
    configuration.no_metrics = true;
    configuration.no_error_summary = true;
    configuration.no_telnet = true;
    configuration
}

fn failed(error: &GooseError) -> LoadError {
    LoadError::Goose(error.to_string())
}
