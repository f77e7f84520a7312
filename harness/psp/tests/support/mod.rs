//! A provider with a caller and a webhook receiver around it.
#![allow(dead_code, reason = "each test binary uses another part of this")]
#![expect(clippy::unwrap_used, reason = "a failed test")]

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use onsale_history::{
    ChargeStage, Clock, DeliveryLabel, DeliveryStage, Mark, MarkKind, MarkSink, Names, Nanos,
    RecordError, RefundStage, Scribe,
};
use onsale_psp::{Config, Knobs, Provider};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

pub(crate) const SECRET_KEY: &str = "sk_test_desk";
pub(crate) const WEBHOOK_SECRET: &str = "whsec_desk";
/// Longer than anything here takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

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
    pub(crate) fn all(&self) -> Vec<MarkKind> {
        self.0.lock().unwrap().iter().map(|mark| mark.kind).collect()
    }
    pub(crate) fn charges(&self) -> Vec<ChargeStage> {
        self.all()
            .into_iter()
            .filter_map(|m| if let MarkKind::Charge { stage, .. } = m { Some(stage) } else { None })
            .collect()
    }
    pub(crate) fn refunds(&self) -> Vec<RefundStage> {
        self.all()
            .into_iter()
            .filter_map(|m| if let MarkKind::Refund { stage, .. } = m { Some(stage) } else { None })
            .collect()
    }
    pub(crate) fn deliveries(&self) -> Vec<(DeliveryLabel, DeliveryStage, u16)> {
        let delivery = |kind| match kind {
            MarkKind::Delivery { label, stage, status, .. } => Some((label, stage, status)),
            _ => None,
        };
        self.all().into_iter().filter_map(delivery).collect()
    }
}

/// A webhook as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) body: Vec<u8>,
    pub(crate) signature: String,
    /// How many marks there were when it arrived.
    pub(crate) marks: usize,
}

impl Arrival {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
    pub(crate) fn kind(&self) -> String {
        self.json()["type"].as_str().unwrap().to_owned()
    }
}

/// A webhook receiver that answers what it is told, then 200.
#[derive(Clone)]
pub(crate) struct Hook {
    pub(crate) url: String,
    arrivals: Arc<Mutex<Vec<Arrival>>>,
    pub(crate) statuses: Arc<Mutex<VecDeque<u16>>>,
    marks: Marks,
}

impl Hook {
    async fn open(marks: Marks) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let hook = Self { url, arrivals: Arc::default(), statuses: Arc::default(), marks };
        let router = axum::Router::new()
            .route("/hook", axum::routing::post(receive))
            .with_state(hook.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        hook
    }
    pub(crate) fn free_port() -> u16 {
        std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
    }
    pub(crate) fn arrivals(&self) -> Vec<Arrival> {
        self.arrivals.lock().unwrap().clone()
    }
    pub(crate) fn kinds(&self) -> Vec<String> {
        self.arrivals().iter().map(Arrival::kind).collect()
    }
}

async fn receive(
    State(hook): State<Hook>,
    headers: HeaderMap,
    body: axum::body::Bytes,
) -> StatusCode {
    let signature = headers["stripe-signature"].to_str().unwrap().to_owned();
    let marks = hook.marks.all().len();
    hook.arrivals.lock().unwrap().push(Arrival { body: body.to_vec(), signature, marks });
    let status = hook.statuses.lock().unwrap().pop_front().unwrap_or(200);
    StatusCode::from_u16(status).unwrap()
}

/// A provider, somebody who calls it, and somebody whom it calls.
pub(crate) struct Desk {
    pub(crate) provider: Arc<Provider>,
    pub(crate) marks: Marks,
    pub(crate) names: Names,
    pub(crate) hook: Hook,
    pub(crate) http: reqwest::Client,
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) status: u16,
    pub(crate) replayed: bool,
    pub(crate) body: Value,
}

impl Said {
    pub(crate) fn id(&self) -> String {
        self.body["id"].as_str().unwrap_or_else(|| panic!("no id in {self:?}")).to_owned()
    }
    pub(crate) fn word(&self) -> &str {
        self.body["status"].as_str().unwrap_or_else(|| panic!("no status in {self:?}"))
    }
    pub(crate) fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }
}

impl Desk {
    /// A desk whose provider captures at once and retries after 20 ms, changed by the test.
    pub(crate) async fn open(change: impl FnOnce(&mut Config)) -> Self {
        let marks = Marks::default();
        let hook = Hook::open(marks.clone()).await;
        Self::at(hook, marks, change).await
    }
    async fn at(hook: Hook, marks: Marks, change: impl FnOnce(&mut Config)) -> Self {
        let names = Names::default();
        let epoch_unix = UNIX_EPOCH.elapsed().unwrap();
        let clock = Clock::since(tokio::time::Instant::now().into_std());
        let scribe = Scribe { clock, names: names.clone(), marks: Arc::new(marks.clone()) };
        let mut config = Config::loopback(7, epoch_unix);
        config.secret_key = SECRET_KEY.into();
        config.webhook_secret = WEBHOOK_SECRET.into();
        config.webhook_url = Some(hook.url.clone());
        config.knobs = Knobs {
            latency: (Duration::from_millis(2), Duration::from_millis(10)),
            ..Knobs::default()
        };
        config.retry.first = Duration::from_millis(20);
        change(&mut config);
        let provider = Arc::new(Provider::start(config, scribe).await.unwrap());
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { provider, marks, names, hook, http }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.provider.url())
    }
    pub(crate) async fn send(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<Said, reqwest::Error> {
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.json().await?;
        Ok(Said {
            status,
            replayed: headers.get("idempotent-replayed").is_some_and(|v| v == "true"),
            body,
        })
    }
    pub(crate) fn post_as(&self, key: &str, path: &str, form: &str) -> reqwest::RequestBuilder {
        let request = self
            .http
            .post(self.url(path))
            .header("content-type", "application/x-www-form-urlencoded");
        request.bearer_auth(key).body(form.to_owned())
    }
    pub(crate) fn keyed(
        &self,
        idempotency: &str,
        path: &str,
        form: &str,
    ) -> reqwest::RequestBuilder {
        self.post_as(SECRET_KEY, path, form).header("idempotency-key", idempotency)
    }
    pub(crate) async fn post(&self, path: &str, form: &str) -> Said {
        self.send(self.post_as(SECRET_KEY, path, form)).await.unwrap()
    }
    pub(crate) async fn get(&self, path: &str) -> Said {
        self.send(self.http.get(self.url(path)).bearer_auth(SECRET_KEY)).await.unwrap()
    }
    /// A new payment of 1000 by `card-<n>` for order `o<n>`.
    pub(crate) async fn create(&self, n: u32) -> Said {
        let form = format!(
            "amount=1000&currency=usd&metadata[order_id]=o{n}&metadata[hold_id]=h{n}&metadata[account]=buyer-{n}\
             &metadata[instrument]=card-{n}&metadata[attempt_id]=a{n}"
        );
        let said = self.post("/v1/payment_intents", &form).await;
        assert_eq!(said.status, 200, "{said:?}");
        said
    }
    /// What the buyer's browser does.
    pub(crate) async fn confirm(&self, intent: &Said) -> Said {
        let form = format!("client_secret={}", intent.body["client_secret"].as_str().unwrap());
        let path = format!("/v1/payment_intents/{}/confirm", intent.id());
        self.send(self.post_as("pk_test", &path, &form)).await.unwrap()
    }
    /// A payment that is captured and told of.
    pub(crate) async fn paid(&self, n: u32) -> Said {
        let intent = self.create(n).await;
        self.confirm(&intent).await;
        self.quiet().await;
        self.show(&intent).await
    }
    pub(crate) async fn show(&self, intent: &Said) -> Said {
        self.get(&format!("/v1/payment_intents/{}", intent.id())).await
    }
    pub(crate) async fn quiet(&self) {
        self.provider.quiesce(PATIENCE).await.unwrap();
    }
}

pub(crate) fn now_unix() -> u64 {
    UNIX_EPOCH.elapsed().unwrap().as_secs()
}
