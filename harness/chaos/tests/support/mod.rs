//! A target to break: this very test binary, run again as a small HTTP server.
#![allow(dead_code, reason = "each test binary uses another part of this")]
#![expect(clippy::unwrap_used, reason = "a failed test")]

use onsale_chaos::{Backend, Journal, Launch, Process};
use onsale_history::{
    Clock, FaultStage, Mark, MarkKind, MarkSink, Names, Nanos, RecordError, Scribe,
};
use onsale_psp::{Config, Knobs, Provider};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};
use tempfile::TempDir;

/// Longer than anything here takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// Tells the binary, run again, what to be.
pub(crate) const ROLE: &str = "ONSALE_CHAOS_TEST_ROLE";
/// Where the target listens.
pub(crate) const ADDRESS: &str = "ONSALE_CHAOS_TEST_ADDRESS";

/// What this process was told to be.
pub(crate) fn told(key: &str) -> Option<String> {
    std::env::vars().find(|(own, _)| own == key).map(|(_, value)| value)
}

/// Serves 200 on everything, for ever.
pub(crate) async fn serve() {
    let address: SocketAddr = told(ADDRESS).unwrap().parse().unwrap();
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    let router = axum::Router::new().fallback(async || "ready");
    axum::serve(listener, router).await.unwrap();
}

pub(crate) fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// This binary as a target: its test named `role` must call [`serve`] when told so.
pub(crate) fn launch(directory: &TempDir, address: SocketAddr) -> Launch {
    Launch {
        program: std::env::current_exe().unwrap(),
        args: ["--exact", "the_target_answers", "--nocapture"].map(Into::into).to_vec(),
        env: vec![(ROLE.into(), "target".into()), (ADDRESS.into(), address.to_string().into())],
        log: directory.path().join("target.log"),
        address,
        ready_path: "/readyz".into(),
    }
}

pub(crate) async fn start(directory: &TempDir) -> Process {
    let process = Process::start(launch(directory, free_address())).unwrap();
    process.ready(PATIENCE).await.unwrap();
    process
}

/// Marks, in the order in which they were made.
#[derive(Clone, Default)]
pub(crate) struct Marks(Arc<Mutex<Vec<Mark>>>);

impl MarkSink for Marks {
    fn mark(&self, at: Nanos, kind: MarkKind) -> Result<(), RecordError> {
        self.0.lock().unwrap().push(Mark { at, kind });
        Ok(())
    }
}

impl Marks {
    pub(crate) fn stages(&self) -> Vec<FaultStage> {
        let marks = self.0.lock().unwrap();
        let stage = |mark: &Mark| {
            if let MarkKind::Fault { stage, .. } = mark.kind { Some(stage) } else { None }
        };
        marks.iter().filter_map(stage).collect()
    }
}

/// Everything a run can break.
pub(crate) struct Stage {
    pub(crate) directory: TempDir,
    pub(crate) process: Arc<Process>,
    pub(crate) provider: Arc<Provider>,
    pub(crate) backend: Backend,
    pub(crate) scribe: Scribe,
    pub(crate) marks: Marks,
}

pub(crate) fn knobs() -> Knobs {
    Knobs {
        latency: (Duration::from_millis(10), Duration::from_millis(12)),
        delay_by: Duration::from_millis(20),
        ..Knobs::default()
    }
}

impl Stage {
    pub(crate) async fn set() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let marks = Marks::default();
        let clock = Clock::since(tokio::time::Instant::now().into_std());
        let scribe = Scribe { clock, names: Names::default(), marks: Arc::new(marks.clone()) };
        let process = Arc::new(start(&directory).await);
        let mut config = Config::loopback(7, UNIX_EPOCH.elapsed().unwrap());
        config.secret_key = "sk_stage".into();
        config.knobs = knobs();
        config.webhook_url = Some(format!("http://{}/hook", process.address()));
        let provider = Arc::new(Provider::start(config, scribe.clone()).await.unwrap());
        let journal = Arc::new(Journal::open(directory.path().join("journal")).unwrap());
        let backend =
            Backend { process: Some(process.clone()), provider: Some(provider.clone()), journal };
        Self { directory, process, provider, backend, scribe, marks }
    }

    /// Payments and refunds, one after the other, until aborted.
    pub(crate) fn traffic(&self) -> Traffic {
        let url = self.provider.url();
        Traffic(tokio::spawn(async move {
            let http = reqwest::Client::builder().no_proxy().build().unwrap();
            let post = |path: &str, form: String| {
                http.post(format!("{url}{path}")).bearer_auth("sk_stage").body(form).send()
            };
            loop {
                // Faults lose answers and refuse calls: whatever is said, go on.
                let form = "amount=100&currency=usd&payment_method=pm_card_visa".to_owned();
                let Ok(created) = post("/v1/payment_intents", form).await else { continue };
                let Ok(text) = created.text().await else { continue };
                let Some(id) = text.split('"').find(|word| word.starts_with("pi_")) else {
                    continue;
                };
                let _ = post(&format!("/v1/payment_intents/{id}/confirm"), String::new()).await;
                tokio::time::sleep(Duration::from_millis(20)).await;
                let _ = post("/v1/refunds", format!("payment_intent={id}")).await;
            }
        }))
    }
}

/// Ends with its owner.
pub(crate) struct Traffic(tokio::task::JoinHandle<()>);

impl Drop for Traffic {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Waits until something holds; panics when it does not in time.
pub(crate) async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, wait).await.is_ok(), "{what} did not come true");
}
