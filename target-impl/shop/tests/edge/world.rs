//! An edge with a clock that stands still until it is moved, and a stock that is what the test says.

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode, header};
use axum::response::Response;
use http_body_util::BodyExt;
use onsale_contract::admin::EventConfig;
use onsale_shop::clock::Clock;
use onsale_shop::config::{Admission, Config, Limits};
use onsale_shop::defect::Defects;
use onsale_shop::edge::{CaptchaVerifier, Edge, StockSource, router};
use onsale_shop::gatekeeper::{Gatekeeper, Principal};
use onsale_shop::gateway::{EventListener, SkuStock, StockView};
use onsale_shop::problem::Refusal;
use onsale_shop::sqlite::Database;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tower::ServiceExt;

/// When the tests begin, milliseconds since 1970.
pub(crate) const BEGIN_MS: u64 = 1_800_000_000_000;

/// Moves when it is told to.
#[derive(Default)]
pub(crate) struct ManualClock(AtomicU64);

impl ManualClock {
    pub(crate) fn advance(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn wall_ms(&self) -> u64 {
        BEGIN_MS + self.0.load(Ordering::SeqCst)
    }
    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A stock of 100 units of `a`.
#[derive(Default)]
pub(crate) struct Stock {
    pub(crate) taken: AtomicU32,
    pub(crate) confirmed: AtomicU32,
}

impl StockSource for Stock {
    fn stock(&self, event: &str) -> Option<StockView> {
        let confirmed = self.confirmed.load(Ordering::SeqCst);
        let free = 100 - self.taken.load(Ordering::SeqCst);
        let sku = SkuStock { sku: "a".to_owned(), stock: 100, released: 100, free, confirmed };
        (event == "e").then(|| StockView { skus: vec![sku] })
    }
}

pub(crate) struct World {
    pub(crate) edge: Arc<Edge>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) stock: Arc<Stock>,
    pub(crate) router: axum::Router,
}

/// What differs from a plain edge.
#[derive(Clone, Default)]
pub(crate) struct Setup {
    pub(crate) defects: &'static str,
    pub(crate) limits: Limits,
    pub(crate) captcha: Option<Arc<dyn CaptchaVerifier>>,
}

/// An event that is open, with a fast waiting room and no puzzle.
pub(crate) fn event() -> Value {
    json!({
        "title": "Show <1>", "price": 4950, "currency": "eur",
        "sale_opens_at_ms": BEGIN_MS, "queue_opens_at_ms": BEGIN_MS,
        "skus": [{"sku": "a", "stock": 100, "shards": 1}],
        "hold_ttl_ms": 60_000, "one_hold": false, "account_limit": 4, "instrument_limit": 4, "late_capture": "refund",
        "queue": {
            "method": "fifo", "rate_per_s": 10.0, "batch": 5, "capacity": 10_000, "abandon_after_ms": 5_000,
            "token_ttl_ms": 60_000, "refresh_interval_s": 0.25, "token_algorithm": "EdDSA",
        },
        "puzzle": {"scheme": "none", "cost": 2, "max_number": 200, "ttl_ms": 30_000},
    })
}

/// The same with other values at JSON pointers.
pub(crate) fn event_with(changes: &[(&str, Value)]) -> Value {
    let mut event = event();
    for (pointer, value) in changes {
        *event.pointer_mut(pointer).unwrap() = value.clone();
    }
    event
}

pub(crate) fn config(directory: &Path, setup: &Setup) -> Config {
    Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        data: directory.to_owned(),
        psp_url: "http://127.0.0.1:1".into(),
        psp_key: "sk_test".into(),
        webhook_secret: "whsec".into(),
        admin_key: "admin".into(),
        admission: Admission::Safe,
        limits: setup.limits.clone(),
        defects: Defects::parse(setup.defects).unwrap(),
    }
}

impl World {
    pub(crate) async fn open(directory: &Path, clock: Arc<ManualClock>, setup: Setup) -> Self {
        let database = Database::open(&directory.join("shop.sqlite")).unwrap();
        let config = config(directory, &setup);
        let edge = Edge::open_with(config, clock.clone(), database, setup.captcha).await.unwrap();
        let stock = Arc::new(Stock::default());
        edge.connect(&stock);
        Self { router: router(Arc::clone(&edge)), edge, clock, stock }
    }

    /// An edge with the event `e`.
    pub(crate) async fn with_event(directory: &Path, setup: Setup, event: &Value) -> Self {
        let world = Self::open(directory, Arc::default(), setup).await;
        world.configure(event);
        world
    }

    pub(crate) fn configure(&self, event: &Value) {
        self.edge.configured("e", &serde_json::from_value::<EventConfig>(event.clone()).unwrap());
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::get(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::read(self.send(request.body(Body::empty()).unwrap()).await).await
    }

    pub(crate) async fn join_with(
        &self,
        account: &str,
        device: &str,
        puzzle: Option<&str>,
    ) -> Answer {
        let body = match puzzle {
            Some(puzzle) => json!({ "account": account, "puzzle": puzzle }),
            None => json!({ "account": account }),
        };
        let request = Request::post("/v1/events/e/queue").header("x-device", device);
        Answer::read(self.send(request.body(Body::from(body.to_string())).unwrap()).await).await
    }

    /// Joins; the ticket.
    pub(crate) async fn join(&self, account: &str) -> (String, u64) {
        let answer = self.join_with(account, &format!("device-{account}"), None).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.json());
        let json = answer.json();
        (json["ticket"].as_str().unwrap().to_owned(), json["position"].as_u64().unwrap())
    }

    pub(crate) async fn poll(&self, ticket: &str) -> Answer {
        self.get("/v1/events/e/queue", &[("cookie", &format!("queue_ticket={ticket}"))]).await
    }

    /// Lets the conductors work at this standstill: one round may have begun before, two more have not.
    pub(crate) async fn settle(&self) {
        let enough = self.edge.metrics.rounds.get() + 3;
        while self.edge.metrics.rounds.get() < enough {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Moves the clock in steps, with rounds between, until the ticket's holder is admitted: the token.
    pub(crate) async fn admitted(&self, ticket: &str) -> String {
        for _ in 0..200 {
            let answer = self.poll(ticket).await;
            assert_eq!(answer.status, StatusCode::OK, "{}", answer.json());
            if let Some(token) = answer.json()["token"].as_str() {
                return token.to_owned();
            }
            self.clock.advance(50);
            tokio::time::sleep(Duration::from_millis(15)).await;
        }
        panic!("nobody was admitted");
    }

    pub(crate) fn admit(&self, ticket: &str, token: Option<&str>) -> Result<Principal, Refusal> {
        self.edge.admit("e", &credentials(ticket, token))
    }
}

pub(crate) fn credentials(ticket: &str, token: Option<&str>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::COOKIE, format!("theme=dark; queue_ticket={ticket}").parse().unwrap());
    if let Some(token) = token {
        headers.insert(header::AUTHORIZATION, format!("Bearer {token}").parse().unwrap());
    }
    headers
}

pub(crate) fn code(refusal: &Refusal) -> &'static str {
    refusal.0.code.word()
}

/// An answer that was read.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) async fn read(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Self {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }
    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or("").to_owned()
    }
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// A verifier that believes one answer, and remembers what it was asked.
#[derive(Default)]
pub(crate) struct FakeCaptcha(pub(crate) Mutex<Vec<String>>);

impl CaptchaVerifier for FakeCaptcha {
    fn verify<'a>(
        &'a self,
        answer: &'a str,
    ) -> futures_util::future::BoxFuture<'a, Result<bool, onsale_shop::edge::CaptchaError>> {
        self.0.lock().unwrap().push(answer.to_owned());
        Box::pin(async move { Ok(answer == "human") })
    }
}
