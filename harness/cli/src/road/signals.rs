//! Ctrl-C and SIGTERM.

use onsale_report::exit::ExitCode;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Waits for the first of SIGINT and SIGTERM.
pub(crate) async fn terminated() -> ExitCode {
    let mut interrupt = signal(SignalKind::interrupt()).expect("a handler can be installed");
    let mut terminate = signal(SignalKind::terminate()).expect("a handler can be installed");
    tokio::select! {
        _ = interrupt.recv() => ExitCode::Interrupted,
        () = onsale_load::Swarm::interrupted() => ExitCode::Interrupted,
        _ = terminate.recv() => ExitCode::Terminated,
    }
}

/// Watches for the whole run. The value turns from `None` into the exit code of the first signal.
pub(crate) fn watch() -> watch::Receiver<Option<ExitCode>> {
    let (tell, told) = watch::channel(None);
    tokio::spawn(async move {
        let code = terminated().await;
        tell.send_replace(Some(code));
        // The receivers keep the value; the sender must outlive them for `changed()` not to fail.
        std::future::pending::<()>().await;
    });
    told
}
