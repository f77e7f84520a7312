//! The embedded target: a child process that the harness starts, kills, starts again and stops.

use crate::keeper::Keeper;
use crate::{Error, Identity, Probe, probe};
use nix::sys::signal::Signal;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// An answer to a probe may take so long.
const PROBE_WAIT_MAX: Duration = Duration::from_millis(500);
/// A killed process may take so long to be gone.
const GONE_WAIT_MAX: Duration = Duration::from_secs(10);

/// How the target is started, the first time and again.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Added to the environment.
    pub env: Vec<(OsString, OsString)>,
    /// What it says goes to the end of this file.
    pub log: PathBuf,
    /// Where it listens.
    pub address: SocketAddr,
    /// What it answers 2xx when it is ready.
    pub ready_path: String,
}

/// The target's process. It dies with the harness, and when this is dropped.
#[derive(Debug)]
pub struct Process {
    launch: Launch,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    identity: Identity,
    _keeper: Keeper,
}

impl Process {
    /// Starts it; [`Process::ready`] waits for it.
    pub fn start(launch: Launch) -> Result<Self, Error> {
        let running = spawn(&launch)?;
        Ok(Self { launch, running: Mutex::new(Some(running)) })
    }

    /// Waits until it answers 2xx on its ready path; fails at once when it ends.
    pub async fn ready(&self, limit: Duration) -> Result<(), Error> {
        let wait = async {
            loop {
                if let Some(status) = self.exited() {
                    return Err(Error::Ended { status, log: self.launch.log.clone() });
                }
                if self.probe().await.is_well() {
                    return Ok(());
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        let in_time = tokio::time::timeout(limit, wait).await;
        in_time.unwrap_or_else(|_| Err(Error::NotReady { limit, log: self.launch.log.clone() }))
    }

    /// What a client sees of it now.
    pub async fn probe(&self) -> Probe {
        probe(self.launch.address, &self.launch.ready_path, PROBE_WAIT_MAX).await
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.launch.address
    }

    /// Who it is, while it was not killed or stopped by us.
    pub fn identity(&self) -> Option<Identity> {
        self.lock().as_ref().map(|running| running.identity.clone())
    }

    /// How it ended, if it ended by itself.
    pub fn exited(&self) -> Option<ExitStatus> {
        self.lock().as_mut().and_then(|running| running.child.try_wait().ok().flatten())
    }

    /// SIGKILL, and the certainty that it is gone.
    pub async fn kill(&self) -> Result<(), Error> {
        self.identity().ok_or(Error::NotRunning)?.signal(Signal::SIGKILL)?;
        self.gone(GONE_WAIT_MAX).await.map(drop)
    }

    /// Starts it again with the same command, unless it runs. Does not wait until it is ready.
    pub fn launch_again(&self) -> Result<(), Error> {
        let mut running = self.lock();
        if running.is_none() {
            *running = Some(spawn(&self.launch)?);
        }
        Ok(())
    }

    /// Starts it again with the same command, unless it runs, and waits until it is ready.
    pub async fn restart(&self, limit: Duration) -> Result<(), Error> {
        self.launch_again()?;
        self.ready(limit).await
    }

    /// SIGSTOP.
    pub fn pause(&self) -> Result<Identity, Error> {
        let identity = self.identity().ok_or(Error::NotRunning)?;
        identity.signal(Signal::SIGSTOP)?;
        Ok(identity)
    }

    /// SIGTERM; SIGKILL when it is still there after the limit. Says how it ended; nothing when it was not running.
    pub async fn stop(&self, limit: Duration) -> Result<Option<ExitStatus>, Error> {
        let Some(identity) = self.identity() else { return Ok(None) };
        if self.exited().is_none() {
            // A paused process hears SIGTERM only when it goes on; one that ended meanwhile is what we want.
            for signal in [Signal::SIGTERM, Signal::SIGCONT] {
                unless_gone(identity.signal(signal))?;
            }
        }
        match self.gone(limit).await {
            Err(Error::Immortal { .. }) => {
                unless_gone(identity.signal(Signal::SIGKILL))?;
                self.gone(GONE_WAIT_MAX).await.map(Some)
            }
            ended => ended.map(Some),
        }
    }

    /// Waits until it has ended, and forgets it.
    async fn gone(&self, limit: Duration) -> Result<ExitStatus, Error> {
        let pid = self.identity().ok_or(Error::NotRunning)?.pid;
        let wait = async {
            loop {
                if let Some(status) = self.exited() {
                    return status;
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        let status =
            tokio::time::timeout(limit, wait).await.map_err(|_| Error::Immortal { pid, limit })?;
        *self.lock() = None;
        Ok(status)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().expect("no holder panics")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut running) = self.lock().take() {
            // Not waited for by anybody yet: the number is still its own. Its group first, then itself for certain.
            let _ = running.identity.signal(Signal::SIGKILL);
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

/// Passes over that the process is not there any more.
fn unless_gone(sent: Result<(), Error>) -> Result<(), Error> {
    match sent {
        Err(Error::Stranger { .. }) => Ok(()),
        other => other,
    }
}

fn spawn(launch: &Launch) -> Result<Running, Error> {
    let failed = |source| Error::Log { path: launch.log.clone(), source };
    let log = OpenOptions::new().create(true).append(true).open(&launch.log).map_err(failed)?;
    let child = Command::new(&launch.program)
        .args(&launch.args)
        .envs(launch.env.iter().map(|(key, value)| (key, value)))
        .stdin(Stdio::null())
        .stdout(log.try_clone().map_err(failed)?)
        .stderr(log)
        .process_group(0)
        .spawn()
        .map_err(|source| Error::Spawn { program: launch.program.clone(), source })?;
    adopt(child)
}

/// Learns who the child is and sets its dead man's switch; a child that this fails for is not left behind.
fn adopt(mut child: Child) -> Result<Running, Error> {
    let known = Identity::of_child(child.id().cast_signed())
        .and_then(|identity| Ok((identity, Keeper::of(child.id())?)));
    match known {
        Ok((identity, keeper)) => Ok(Running { child, identity, _keeper: keeper }),
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(error)
        }
    }
}
