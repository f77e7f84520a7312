//! The embedded target: the reference shop in a process of its own.

use super::secrets::Secrets;
use crate::args::{Admission, Run};
use crate::output::Failure;
use anyhow::Context;
use onsale_chaos::{Launch, Process};
use onsale_report::exit::ExitCode;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A start may take so long.
const READY_WAIT_MAX: Duration = Duration::from_secs(20);

/// Ports below those that the kernel gives to outgoing connections: such a connection must not take the target's port while
/// the target is down.
const PORTS: std::ops::Range<u16> = 20_000..30_000;

/// A port that is free now; it stays the target's, so that it can come back to it after a kill.
pub(crate) fn free_address() -> Result<SocketAddr, Failure> {
    let start = super::clock::now().unix_ns / 1_000 + u64::from(std::process::id()) * 7_919;
    let count = u64::from(PORTS.end - PORTS.start);
    let ports = (0..count).filter_map(|offset| u16::try_from((start + offset) % count).ok());
    let mut addresses =
        ports.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, PORTS.start + port)));
    let free = addresses.find(|address| TcpListener::bind(address).is_ok());
    Ok(free.context("failed to find a free port on 127.0.0.1 between 20000 and 29999")?)
}

/// Starts the shop and waits until it is ready.
pub(crate) async fn start(
    options: &Run,
    folder: &Path,
    psp: SocketAddr,
    secrets: &Secrets,
) -> Result<(Arc<Process>, SocketAddr), Failure> {
    let address = free_address()?;
    let log = folder.join("logs/target.log");
    let program = std::env::current_exe().context("failed to find the command's own program")?;
    let arguments = [
        "target".to_owned(),
        "serve".to_owned(),
        format!("--listen={address}"),
        format!("--data={}", folder.join("target").display()),
        format!("--psp-url=http://{psp}"),
        format!(
            "--admission={}",
            if options.admission == Admission::Safe { "safe" } else { "redis-only" }
        ),
        format!("--defect={}", options.defect),
    ];
    let environment = [
        ("ONSALE_PSP_KEY", &secrets.psp_key),
        ("ONSALE_WEBHOOK_SECRET", &secrets.webhook),
        ("ONSALE_ADMIN_KEY", &secrets.admin),
    ];
    let launch = Launch {
        program,
        args: arguments.iter().map(Into::into).collect(),
        env: environment.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        log: log.clone(),
        address,
        ready_path: "/readyz".into(),
    };
    let unreachable = |error: onsale_chaos::Error| {
        let error = anyhow::Error::from(error).context("failed to start the embedded target");
        Failure::new(ExitCode::Unreachable, error)
            .hint(format!("see what it said: cat {}", log.display()))
    };
    let process = Arc::new(Process::start(launch).map_err(unreachable)?);
    process.ready(READY_WAIT_MAX).await.map_err(unreachable)?;
    Ok((process, address))
}
