//! What the gateway's routes promise.

use super::table::{Row, body, document as table};
use onsale_contract::admin::{EventConfig, LedgerPage};
use onsale_contract::event::Availability;
use onsale_contract::hold::{HoldAnswer, HoldRequest, HoldView};
use onsale_contract::order::{OrderList, OrderRequest, OrderView};
use utoipa::openapi::{HttpMethod, OpenApi};

const TICKET: &[&str] = &["queue_ticket!"];

pub(super) fn document() -> OpenApi {
    let mut rows = holds();
    rows.extend(orders());
    rows.extend(others());
    table(&rows)
}

fn row(method: HttpMethod, path: &'static str, tag: &'static str, summary: &'static str) -> Row {
    Row {
        method,
        path,
        tag,
        summary,
        headers: &[],
        query: &[],
        cookies: &[],
        takes: None,
        status: 200,
        gives: None,
        problems: &[],
    }
}

fn holds() -> Vec<Row> {
    vec![
        Row {
            headers: &["idempotency-key!", "authorization", "x-device"],
            cookies: TICKET,
            takes: Some(body::<HoldRequest>()),
            status: 201,
            gives: Some(body::<HoldAnswer>()),
            problems: &[400, 401, 403, 404, 409, 422, 425, 429, 500, 503],
            ..row(HttpMethod::Post, "/v1/events/{event}/holds", "holds", "Sets units aside")
        },
        Row {
            cookies: TICKET,
            gives: Some(body::<HoldView>()),
            problems: &[401, 403, 404],
            ..row(HttpMethod::Get, "/v1/holds/{hold}", "holds", "Reads a hold")
        },
        Row {
            cookies: TICKET,
            status: 204,
            problems: &[401, 403, 404, 409, 410, 500],
            ..row(HttpMethod::Delete, "/v1/holds/{hold}", "holds", "Gives a hold back")
        },
        Row {
            gives: Some(body::<Availability>()),
            problems: &[404],
            ..row(HttpMethod::Get, "/v1/events/{event}/availability", "landing", "Counts the stock")
        },
    ]
}

fn orders() -> Vec<Row> {
    vec![
        Row {
            cookies: TICKET,
            takes: Some(body::<OrderRequest>()),
            status: 202,
            gives: Some(body::<OrderView>()),
            problems: &[400, 401, 403, 404, 409, 410, 500, 503],
            ..row(HttpMethod::Post, "/v1/orders", "orders", "Checks a hold out")
        },
        Row {
            cookies: TICKET,
            gives: Some(body::<OrderView>()),
            problems: &[401, 403, 404],
            ..row(HttpMethod::Get, "/v1/orders/{order}", "orders", "Reads an order")
        },
        Row {
            cookies: TICKET,
            gives: Some(body::<OrderView>()),
            problems: &[401, 403, 404, 409, 500],
            ..row(HttpMethod::Post, "/v1/orders/{order}/cancel", "orders", "Cancels an order")
        },
        Row {
            cookies: TICKET,
            query: &["cursor"],
            gives: Some(body::<OrderList>()),
            problems: &[400, 401],
            ..row(HttpMethod::Get, "/v1/me/orders", "orders", "Lists the orders of the account")
        },
    ]
}

fn others() -> Vec<Row> {
    vec![
        Row {
            headers: &["stripe-signature!"],
            problems: &[400, 404, 500],
            ..row(
                HttpMethod::Post,
                "/v1/webhooks/psp",
                "webhooks",
                "Takes a webhook of the payment provider",
            )
        },
        Row {
            headers: &["authorization!"],
            takes: Some(body::<EventConfig>()),
            status: 204,
            problems: &[400, 403, 500],
            ..row(HttpMethod::Put, "/v1/admin/events/{event}", "admin", "Configures an event")
        },
        Row {
            headers: &["authorization!"],
            query: &["cursor"],
            gives: Some(body::<LedgerPage>()),
            problems: &[400, 403, 404],
            ..row(HttpMethod::Get, "/v1/admin/events/{event}/ledger", "admin", "Reads the ledger")
        },
    ]
}
