//! Which call does what.

use super::answer::{Done, get, post};
use super::call::{Call, Caller};
use crate::books::{Books, Page};
use crate::engine::Engine;
use crate::form::Form;
use crate::problem::Problem;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use axum::routing;
use serde_json::Value;
use std::sync::Arc;

type Inside = State<Arc<Engine>>;

/// Every route.
pub(crate) fn router(engine: Arc<Engine>) -> Router {
    Router::new()
        .route("/v1/payment_intents", routing::get(list_intents).post(create))
        .route("/v1/payment_intents/{id}", routing::get(show_intent).post(update))
        .route("/v1/payment_intents/{id}/confirm", routing::post(confirm))
        .route("/v1/payment_intents/{id}/cancel", routing::post(cancel))
        .route("/v1/refunds", routing::get(list_refunds).post(give_back))
        .route("/v1/refunds/{id}", routing::get(show_refund))
        .route("/v1/events", routing::get(list_events))
        .route("/v1/events/{id}", routing::get(show_event))
        .fallback(unknown)
        .with_state(engine)
}

async fn unknown(uri: Uri) -> Response {
    Problem::unknown_path(uri.path()).into_response()
}

async fn create(State(engine): Inside, call: Call) -> Response {
    if let Err(problem) = server_only(&call) {
        return problem.into_response();
    }
    let created = |books: &mut Books, form: &Form| {
        let before = books.intents.len();
        let answer = books.create(form);
        let intent = books.intents.get_index(before).map(|(id, _)| id.clone());
        Done { intent, answer: answer.map(|(_, body)| body) }
    };
    post(&engine, call, created).await
}

async fn confirm(State(engine): Inside, Path(id): Path<String>, call: Call) -> Response {
    let caller = call.caller;
    let confirmed = move |books: &mut Books, form: &Form| {
        let answer = may(books, caller, &id, form).and_then(|()| books.confirm(&id, form));
        Done { intent: Some(id), answer }
    };
    post(&engine, call, confirmed).await
}

async fn update(State(engine): Inside, Path(id): Path<String>, call: Call) -> Response {
    if let Err(problem) = server_only(&call) {
        return problem.into_response();
    }
    let updated = move |books: &mut Books, form: &Form| {
        let answer = books.update(&id, form);
        Done { intent: None, answer }
    };
    post(&engine, call, updated).await
}

async fn cancel(State(engine): Inside, Path(id): Path<String>, call: Call) -> Response {
    if let Err(problem) = server_only(&call) {
        return problem.into_response();
    }
    let cancelled = move |books: &mut Books, form: &Form| {
        let answer = books.cancel(&id, form);
        Done { intent: None, answer }
    };
    post(&engine, call, cancelled).await
}

async fn give_back(State(engine): Inside, call: Call) -> Response {
    if let Err(problem) = server_only(&call) {
        return problem.into_response();
    }
    let given_back = |books: &mut Books, form: &Form| match books.give_back(form) {
        Ok((id, body)) => Done { intent: Some(id), answer: Ok(body) },
        Err(problem) => Done { intent: None, answer: Err(problem) },
    };
    post(&engine, call, given_back).await
}

async fn show_intent(State(engine): Inside, Path(id): Path<String>, call: Call) -> Response {
    let caller = call.caller;
    get(&engine, call, |books, form| {
        may(books, caller, &id, form)?;
        Ok(books.intents[&id].json())
    })
    .await
}

async fn show_refund(State(engine): Inside, Path(id): Path<String>, call: Call) -> Response {
    read(&engine, call, |books, _| {
        let refund =
            books.refunds.get(&id).ok_or_else(|| Problem::no_such("refund", &id, "refund"))?;
        Ok(refund.json())
    })
    .await
}

async fn show_event(State(engine): Inside, Path(id): Path<String>, call: Call) -> Response {
    read(&engine, call, |books, _| {
        let event = books.events.get(&id).ok_or_else(|| Problem::no_such("event", &id, "id"))?;
        Ok(event.json())
    })
    .await
}

async fn list_intents(State(engine): Inside, call: Call) -> Response {
    read(&engine, call, |books, form| books.list_intents(&Page::of(form)?)).await
}

async fn list_refunds(State(engine): Inside, call: Call) -> Response {
    read(&engine, call, |books, form| books.list_refunds(&Page::of(form)?)).await
}

async fn list_events(State(engine): Inside, call: Call) -> Response {
    read(&engine, call, |books, form| books.list_events(&Page::of(form)?)).await
}

/// A read that only the target's server may make.
async fn read(
    engine: &Arc<Engine>,
    call: Call,
    look: impl FnOnce(&Books, &Form) -> Result<Value, Problem>,
) -> Response {
    if let Err(problem) = server_only(&call) {
        return problem.into_response();
    }
    get(engine, call, look).await
}

fn server_only(call: &Call) -> Result<(), Problem> {
    if call.caller == Caller::Server { Ok(()) } else { Err(Problem::unauthorised()) }
}

/// A browser may touch the payment whose client secret it knows; the payment exists in any case.
fn may(books: &Books, caller: Caller, id: &str, form: &Form) -> Result<(), Problem> {
    let missing = || Problem::no_such("payment_intent", id, "intent");
    let intent = books.intents.get(id).ok_or_else(missing)?;
    let knows = form.get("client_secret") == Some(intent.client_secret.as_str());
    if caller == Caller::Server || knows { Ok(()) } else { Err(missing()) }
}
