//! From the books to an HTTP answer: faults of the API, idempotency, early webhooks, lost answers.

use super::call::Call;
use crate::books::Books;
use crate::engine::Engine;
use crate::form::Form;
use crate::idempotency::{Claim, Stored, Turn};
use crate::problem::Problem;
use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// An answer waits at most so long for its early webhook.
const EARLY_WAIT_MAX: Duration = Duration::from_millis(500);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        plain(self.status, &self.body().to_string())
    }
}

/// What a change of the books comes to: the payment it was about, if it got that far, and the answer.
pub(super) struct Done {
    pub(super) intent: Option<String>,
    pub(super) answer: Result<Value, Problem>,
}

/// Answers a call that only reads.
pub(super) async fn get(
    engine: &Arc<Engine>,
    call: Call,
    look: impl FnOnce(&Books, &Form) -> Result<Value, Problem>,
) -> Response {
    if let Err(problem) = up(engine) {
        return problem.into_response();
    }
    hold_up(engine).await;
    match engine.read(|books| look(books, &call.form)) {
        Ok(body) => plain(StatusCode::OK, &body.to_string()),
        Err(problem) => problem.into_response(),
    }
}

/// Answers a call that changes something.
pub(super) async fn post(
    engine: &Arc<Engine>,
    call: Call,
    change: impl FnOnce(&mut Books, &Form) -> Done,
) -> Response {
    if let Err(problem) = up(engine) {
        return problem.into_response();
    }
    let claim = |key: &String| engine.keys.claim(call.caller.word(), key, fingerprint(&call));
    let claim = match call.key.as_ref().map(claim) {
        None => None,
        Some(Ok(Turn::First(claim))) => Some(claim),
        Some(Ok(Turn::Again(answer))) => return replay(&answer),
        Some(Err(problem)) => return problem.into_response(),
    };
    hold_up(engine).await;
    let ((answer, lost), early) =
        engine.change(|books| carry_out(books, &call.form, claim, change));
    for webhook in early {
        // The answer follows in any case; the webhook tries again on its own.
        let _ = tokio::time::timeout(EARLY_WAIT_MAX, webhook).await;
    }
    if lost { broken() } else { plain(answer.status, &answer.body) }
}

fn fingerprint(call: &Call) -> String {
    format!("{}?{}", call.path, call.form.canonical())
}

/// Refuses the call when the provider is down.
fn up(engine: &Arc<Engine>) -> Result<(), Problem> {
    let (down, _) = engine.change(|books| {
        books.tally.calls_refused += u64::from(books.knobs.down);
        books.knobs.down
    });
    if down { Err(Problem::down()) } else { Ok(()) }
}

/// Holds the call up for as long as the knobs say.
async fn hold_up(engine: &Arc<Engine>) {
    let (wait, _) = engine.change(|books| {
        let wait = books.knobs.answer_delay;
        books.tally.calls_delayed += u64::from(!wait.is_zero());
        wait
    });
    if !wait.is_zero() {
        engine.pause(wait).await;
    }
}

/// Does it, keeps the answer under its key, and decides whether the answer arrives.
fn carry_out(
    books: &mut Books,
    form: &Form,
    claim: Option<Claim>,
    change: impl FnOnce(&mut Books, &Form) -> Done,
) -> (Stored, bool) {
    let unrecorded =
        || (stored(Problem::unrecorded().status, &Problem::unrecorded().body()), false);
    if books.failure().is_some() {
        return unrecorded();
    }
    let done = change(books, form);
    if books.failure().is_some() {
        return unrecorded();
    }
    let (answer, effective, keep) = match &done.answer {
        Ok(body) => (stored(StatusCode::OK, body), true, true),
        Err(problem) => {
            let effective = problem.status == StatusCode::PAYMENT_REQUIRED;
            (stored(problem.status, &problem.body()), effective, problem.is_final())
        }
    };
    if let (Some(claim), true) = (claim, keep) {
        claim.store(answer.clone());
    }
    let lost = effective && done.intent.is_some_and(|id| books.answer_is_lost(&id));
    (answer, lost)
}

fn stored(status: StatusCode, body: &Value) -> Stored {
    Stored { status, body: body.to_string().into() }
}

fn plain(status: StatusCode, body: &str) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body.to_owned()).into_response()
}

fn replay(answer: &Stored) -> Response {
    let mut response = plain(answer.status, &answer.body);
    response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    response
}

/// An answer that breaks off before it says anything: the connection is torn down.
fn broken() -> Response {
    let torn = futures_util::stream::once(async {
        Err::<Bytes, _>(std::io::Error::new(
            std::io::ErrorKind::ConnectionReset,
            "the answer is lost",
        ))
    });
    (StatusCode::BAD_GATEWAY, Body::from_stream(torn)).into_response()
}
