//! A provider in a few lines: enough of Stripe's shape for the gateway, every reply decided by the test.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub(crate) struct Books {
    pub(crate) intents: BTreeMap<String, Value>,
    pub(crate) by_key: BTreeMap<String, String>,
    /// Every refund asked for: payment and key.
    pub(crate) refunds: Vec<(String, String)>,
    /// Events that "no webhook carried".
    pub(crate) undelivered: Vec<Value>,
    /// So many creates take effect but lose their answer.
    pub(crate) answers_lost: u32,
    /// So many refunds fail for good.
    pub(crate) refunds_fail: u32,
}

#[derive(Clone, Default)]
pub(crate) struct Provider(pub(crate) Arc<Mutex<Books>>);

type Answer = (StatusCode, Json<Value>);

impl Provider {
    /// Listens on a free port and gives its address.
    pub(crate) async fn serve(&self) -> String {
        let router = Router::new()
            .route("/v1/payment_intents", post(create))
            .route("/v1/payment_intents/{id}", get(find))
            .route("/v1/payment_intents/{id}/cancel", post(cancel))
            .route("/v1/payment_intents/{id}/confirm", post(confirm))
            .route("/v1/refunds", post(refund))
            .route("/v1/events", get(events))
            .with_state(self.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        format!("http://{address}")
    }
    /// The buyer's money arrives.
    pub(crate) fn capture(&self, intent: &str, amount: u64) -> Value {
        let mut books = self.0.lock().unwrap();
        let object = books.intents.get_mut(intent).unwrap();
        object["status"] = "succeeded".into();
        object["amount_received"] = amount.into();
        object.clone()
    }
    pub(crate) fn intent(&self, intent: &str) -> Value {
        self.0.lock().unwrap().intents[intent].clone()
    }
}

fn field(body: &str, name: &str) -> String {
    let encoded = name.replace('[', "%5B").replace(']', "%5D");
    let pair = body.split('&').find_map(|pair| pair.strip_prefix(&format!("{encoded}=")));
    pair.unwrap_or_default().to_owned()
}

async fn create(State(provider): State<Provider>, headers: HeaderMap, body: String) -> Answer {
    let mut books = provider.0.lock().unwrap();
    let key = headers["idempotency-key"].to_str().unwrap().to_owned();
    let next = format!("pi_{}", books.intents.len());
    let id = books.by_key.entry(key).or_insert(next).clone();
    books.intents.entry(id.clone()).or_insert_with(|| {
        json!({
            "id": id, "client_secret": format!("{id}_secret"), "status": "requires_payment_method",
            "amount": field(&body, "amount").parse::<u64>().unwrap(), "amount_received": 0,
            "currency": field(&body, "currency"), "metadata": {"attempt_id": field(&body, "metadata[attempt_id]")},
        })
    });
    if books.answers_lost > 0 {
        books.answers_lost -= 1;
        return (StatusCode::INTERNAL_SERVER_ERROR, Json(json!({})));
    }
    (StatusCode::OK, Json(books.intents[&id].clone()))
}

async fn find(State(provider): State<Provider>, Path(id): Path<String>) -> Answer {
    (StatusCode::OK, Json(provider.intent(&id)))
}

async fn cancel(State(provider): State<Provider>, Path(id): Path<String>) -> Answer {
    let mut books = provider.0.lock().unwrap();
    let intent = books.intents.get_mut(&id).unwrap();
    if matches!(intent["status"].as_str(), Some("succeeded" | "canceled")) {
        return (
            StatusCode::BAD_REQUEST,
            Json(json!({"error": {"code": "payment_intent_unexpected_state"}})),
        );
    }
    intent["status"] = "canceled".into();
    (StatusCode::OK, Json(intent.clone()))
}

async fn confirm(State(provider): State<Provider>, Path(id): Path<String>) -> Answer {
    let amount = provider.intent(&id)["amount"].as_u64().unwrap();
    (StatusCode::OK, Json(provider.capture(&id, amount)))
}

async fn refund(State(provider): State<Provider>, headers: HeaderMap, body: String) -> Answer {
    let mut books = provider.0.lock().unwrap();
    books.refunds.push((
        field(&body, "payment_intent"),
        headers["idempotency-key"].to_str().unwrap().to_owned(),
    ));
    let fails = books.refunds_fail > 0;
    books.refunds_fail -= u32::from(fails);
    (
        StatusCode::OK,
        Json(json!({"object": "refund", "status": if fails { "failed" } else { "succeeded" }})),
    )
}

async fn events(State(provider): State<Provider>) -> Answer {
    (StatusCode::OK, Json(json!({"data": provider.0.lock().unwrap().undelivered})))
}
