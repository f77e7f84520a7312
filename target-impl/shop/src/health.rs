//! Health, readiness and metrics, and what guards every other route: a limit on bodies and time, and an answer even
//! after a panic.

use crate::clock::SharedClock;
use crate::config::Limits;
use crate::edge::Edge;
use crate::gateway::Gateway;
use crate::problem::Refusal;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use onsale_contract::problem::{ErrorCode, Problem};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::registry::Registry;
use std::any::Any;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;
use tower::ServiceExt;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::limit::RequestBodyLimitLayer;

/// Milliseconds since 1970 at the server, on every answer; `Date` has only seconds.
const SERVER_TIME: HeaderName = HeaderName::from_static("x-server-time-ms");

/// What is known of the process.
pub(crate) struct Health {
    clock: SharedClock,
    serving: OnceLock<Serving>,
}

struct Serving {
    routes: Router,
    registry: Registry,
}

impl Health {
    pub(crate) fn new(clock: SharedClock) -> Self {
        Self { clock, serving: OnceLock::new() }
    }

    /// From now on, requests go to these routes.
    pub(crate) fn ready(&self, routes: Router, edge: &Arc<Edge>, gateway: &Arc<Gateway>) {
        let mut registry = Registry::with_prefix("onsale");
        registry.register_collector(Box::new(Counters {
            edge: Arc::downgrade(edge),
            gateway: Arc::downgrade(gateway),
        }));
        // Readiness comes once: a second call changes nothing.
        let _ = self.serving.set(Serving { routes, registry });
    }

    /// Answers for the whole process.
    pub(crate) fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/healthz", get(|| async { "alive\n" }))
            .route("/readyz", get(readiness))
            .route("/metrics", get(metrics))
            .fallback(pass_on)
            .with_state(Arc::clone(self))
    }
}

async fn readiness(State(health): State<Arc<Health>>) -> Response {
    match health.serving.get() {
        Some(_) => "ready\n".into_response(),
        None => (StatusCode::SERVICE_UNAVAILABLE, "rebuilding\n").into_response(),
    }
}

async fn metrics(State(health): State<Arc<Health>>) -> Response {
    let mut text = String::new();
    if let Some(serving) = health.serving.get() {
        encode(&mut text, &serving.registry).expect("text can be written to a string");
    }
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

async fn pass_on(State(health): State<Arc<Health>>, request: Request) -> Response {
    let mut response = match health.serving.get() {
        Some(serving) => {
            serving.routes.clone().oneshot(request).await.unwrap_or_else(|never| match never {})
        }
        None => Refusal::from(
            Problem::new(ErrorCode::Overloaded).detail("the shop is starting").retry_after(1),
        )
        .into_response(),
    };
    response.headers_mut().insert(SERVER_TIME, HeaderValue::from(health.clock.wall_ms()));
    response
}

/// Puts the guards around the routes.
pub(crate) fn guarded(routes: Router, limits: &Limits) -> Router {
    let limit = Duration::from_millis(limits.request_timeout_ms);
    routes
        .fallback(|| async { StatusCode::NOT_FOUND })
        .layer(axum::extract::DefaultBodyLimit::disable())
        .layer(RequestBodyLimitLayer::new(limits.body_bytes))
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            in_time(limit, request, next)
        }))
        .layer(CatchPanicLayer::custom(after_panic))
}

async fn in_time(limit: Duration, request: Request, next: Next) -> Response {
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            Refusal::from(Problem::new(ErrorCode::Internal).detail("the request took too long"))
                .into_response()
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the layer calls it so")]
fn after_panic(panic: Box<dyn Any + Send + 'static>) -> Response<Body> {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    tracing::error!(panic = text.unwrap_or("without words"), "a request panicked");
    Refusal::from(ErrorCode::Internal).into_response()
}

/// The counters of edge and gateway, read when they are asked for.
#[derive(Debug)]
struct Counters {
    edge: Weak<Edge>,
    gateway: Weak<Gateway>,
}

impl Collector for Counters {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let edge = self.edge.upgrade().map(|edge| edge.metrics.read().to_vec());
        let gateway = self.gateway.upgrade().map(|gateway| gateway.metrics.read());
        for (name, help, value) in edge.into_iter().chain(gateway).flatten() {
            let counter = ConstCounter::new(value);
            counter.encode(encoder.encode_descriptor(
                name,
                help,
                None,
                counter.metric_type(),
            )?)?;
        }
        Ok(())
    }
}
