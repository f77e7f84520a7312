//! A gateway, its provider and its shoppers.

use super::provider::Provider;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use onsale_contract::admin::EventConfig;
use onsale_contract::problem::ErrorCode;
use onsale_shop::clock::SystemClock;
use onsale_shop::config::{Admission, Config, Limits};
use onsale_shop::defect::Defects;
use onsale_shop::gatekeeper::{Gatekeeper, Principal};
use onsale_shop::gateway::{Gateway, router};
use onsale_shop::problem::Refusal;
use onsale_shop::sqlite::Database;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt;

pub(crate) const SECRET: &str = "whsec_test";

/// Everybody may enter; the account is a header.
struct Open;

impl Gatekeeper for Open {
    fn admit(&self, _: &str, headers: &HeaderMap) -> Result<Principal, Refusal> {
        self.identify(headers)
    }
    fn identify(&self, headers: &HeaderMap) -> Result<Principal, Refusal> {
        let account = headers.get("x-account").ok_or(ErrorCode::TicketInvalid)?;
        Ok(Principal { account: account.to_str().unwrap().to_owned(), token: None })
    }
}

pub(crate) struct World {
    pub(crate) shop: Arc<Gateway>,
    pub(crate) provider: Provider,
    router: axum::Router,
}

/// What differs from a plain shop.
#[derive(Clone, Default)]
pub(crate) struct Setup {
    pub(crate) defects: &'static str,
    pub(crate) redis_only: bool,
}

/// A sale that is open, of 10 units of `a` in 3 shards, 2 of `b` and the seat `s`.
pub(crate) fn sale() -> Value {
    json!({
        "title": "Show", "price": 500, "currency": "eur", "sale_opens_at_ms": 0, "queue_opens_at_ms": 0,
        "skus": [
            {"sku": "a", "stock": 10, "shards": 3},
            {"sku": "b", "stock": 2, "shards": 1},
            {"sku": "s", "stock": 1, "shards": 1, "seat": true},
        ],
        "hold_ttl_ms": 60_000, "one_hold": false, "account_limit": 4, "instrument_limit": 4, "late_capture": "refund",
        "queue": null, "puzzle": {"scheme": "none", "cost": 1, "max_number": 1, "ttl_ms": 1},
    })
}

/// A sale with some fields changed.
pub(crate) fn sale_with(changes: &Value) -> Value {
    let mut sale = sale();
    for (name, value) in changes.as_object().unwrap() {
        sale[name] = value.clone();
    }
    sale
}

impl World {
    pub(crate) async fn open(directory: &Path, setup: Setup, provider: Provider) -> Self {
        let config = Config {
            listen: "127.0.0.1:0".parse().unwrap(),
            data: PathBuf::from(directory),
            psp_url: provider.serve().await,
            psp_key: "sk_test".into(),
            webhook_secret: SECRET.into(),
            admin_key: "admin".into(),
            admission: if setup.redis_only { Admission::RedisOnly } else { Admission::Safe },
            limits: Limits::default(),
            defects: Defects::parse(setup.defects).unwrap(),
        };
        let database = Database::open(&directory.join("shop.db")).unwrap();
        let shop =
            Gateway::start(config, SystemClock::shared(), database, Arc::new(Open)).await.unwrap();
        Self { router: router(Arc::clone(&shop)), shop, provider }
    }

    /// A shop with the sale `e`.
    pub(crate) async fn selling(directory: &Path, defects: &'static str, sale: Value) -> Self {
        let world =
            Self::open(directory, Setup { defects, redis_only: false }, Provider::default()).await;
        assert_eq!(world.configure(&sale).await, StatusCode::NO_CONTENT);
        world
    }

    pub(crate) async fn configure(&self, sale: &Value) -> StatusCode {
        let _: EventConfig = serde_json::from_value(sale.clone()).unwrap();
        let request = Request::put("/v1/admin/events/e").header("authorization", "Bearer admin");
        self.send(request.body(Body::from(sale.to_string())).unwrap()).await.0
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> (StatusCode, Value) {
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let status = answer.status();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        account: &str,
        body: Value,
    ) -> (StatusCode, Value) {
        let request = Request::builder().method(method).uri(path).header("x-account", account);
        self.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str, account: &str) -> (StatusCode, Value) {
        self.call(Method::GET, path, account, Value::Null).await
    }

    pub(crate) async fn hold_items(
        &self,
        account: &str,
        key: &str,
        body: Value,
    ) -> (StatusCode, Value) {
        let request = Request::post("/v1/events/e/holds")
            .header("x-account", account)
            .header("idempotency-key", key);
        self.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    pub(crate) async fn hold(
        &self,
        account: &str,
        key: &str,
        sku: &str,
        qty: i64,
    ) -> (StatusCode, Value) {
        self.hold_items(account, key, json!({"items": [{"sku": sku, "qty": qty}]})).await
    }

    /// A hold that must be granted; gives its identifier.
    pub(crate) async fn held(&self, account: &str, key: &str, sku: &str, qty: i64) -> String {
        let (status, body) = self.hold(account, key, sku, qty).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        body["hold_id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn check_out(
        &self,
        account: &str,
        hold: &str,
        card: &str,
    ) -> (StatusCode, Value) {
        self.call(Method::POST, "/v1/orders", account, json!({"hold_id": hold, "instrument": card}))
            .await
    }

    /// A checkout that must pass; gives order and payment.
    pub(crate) async fn ordered(&self, account: &str, hold: &str) -> (String, String) {
        let (status, body) = self.check_out(account, hold, &format!("card of {account}")).await;
        assert_eq!(status, StatusCode::ACCEPTED, "{body}");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&body["order_id"]), text(&body["payment"]["intent"]))
    }

    pub(crate) async fn webhook(&self, id: &str, kind: &str, object: &Value) -> StatusCode {
        let now = self.shop.clock.wall_ms() / 1_000;
        self.signed_webhook(id, kind, object, SECRET, now).await
    }

    pub(crate) async fn signed_webhook(
        &self,
        id: &str,
        kind: &str,
        object: &Value,
        secret: &str,
        time: u64,
    ) -> StatusCode {
        use hmac::{Hmac, KeyInit, Mac};
        let body = json!({"id": id, "type": kind, "data": {"object": object}}).to_string();
        let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(format!("{time}.{body}").as_bytes());
        let header = format!("t={time},v1={}", hex::encode(mac.finalize().into_bytes()));
        let request = Request::post("/v1/webhooks/psp").header("stripe-signature", header);
        self.send(request.body(Body::from(body)).unwrap()).await.0
    }

    /// The whole price arrives, and the webhook too.
    pub(crate) async fn pay(&self, intent: &str) {
        let amount = self.provider.intent(intent)["amount"].as_u64().unwrap();
        let object = self.provider.capture(intent, amount);
        assert_eq!(
            self.webhook(&format!("evt_{intent}"), "payment_intent.succeeded", &object).await,
            StatusCode::OK
        );
    }

    /// available, held, confirmed of a SKU; they add up to the total.
    pub(crate) async fn stock(&self, sku: &str) -> (u64, u64, u64) {
        let (status, body) = self.get("/v1/events/e/availability", "-").await;
        assert_eq!(status, StatusCode::OK);
        let entry = body["skus"]
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["sku"] == sku)
            .unwrap()
            .clone();
        let units = |name: &str| entry[name].as_u64().unwrap();
        assert_eq!(
            units("available") + units("held") + units("confirmed"),
            units("total"),
            "{entry}"
        );
        (units("available"), units("held"), units("confirmed"))
    }

    pub(crate) async fn status_of(&self, account: &str, order: &str) -> String {
        self.get(&format!("/v1/orders/{order}"), account).await.1["status"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Waits until an order has a status.
    pub(crate) async fn await_status(&self, account: &str, order: &str, status: &str) {
        self.until(|| async { self.status_of(account, order).await == status }).await;
    }

    /// Waits until something holds.
    pub(crate) async fn until<F: Future<Output = bool>>(&self, mut holds: impl FnMut() -> F) {
        for _ in 0..1_000 {
            if holds().await {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("it did not come true within ten seconds");
    }
}

pub(crate) fn code(answer: &(StatusCode, Value)) -> &str {
    answer.1["code"].as_str().unwrap_or("none")
}
