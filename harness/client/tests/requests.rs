//! The bytes that mappings of different shapes send, and what is captured on the way.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use onsale_client::{Call, Client, CompileError, RunContext, Secrets, Token};
use onsale_history::{BuyerId, CallKind, Class, Label, Line, Memory, Outcome, SkuId, State};
use support::{Reply, Server, call, context, json, raw, reference, scribe, server, target};

/// A GraphQL shop with a basket: three requests a hold, the last one counts.
const GRAPHQL: &str = r#"
version: 1
secrets: { token: { env: SHOP_TOKEN } }
roles:
  buyer:
    headers: { x-client: "onsale {{run.id}}" }
    auth: { header: { name: X-Api-Key, value: "{{secret.token}}" } }
classify:
  - when: { status: 200, json: [{ path: "$.errors[?@.extensions.code == 'SOLD_OUT']" }] }
    is: sold-out
  - when: { status: 200, json: [{ path: $.errors, exists: false }] }
    is: ok
operations:
  hold:
    steps:
      - request: POST /graphql
        body:
          graphql:
            query: mutation { cartCreate { id } }
        extract: { cart: { from: { json: $.data.cartCreate.id }, required: true } }
      - request: POST /graphql
        commit: true
        acknowledge: true
        body:
          graphql:
            query: "mutation($cart: ID!, $lines: [Line!]!) { reserve(cart: $cart, lines: $lines) { id } }"
            variables:
              cart: "{{cart}}"
              lines: { $each: items, as: { merchandiseId: "gid://sku/{{item.sku}}", quantity: "{{item.quantity | int}}" } }
              note: "{{instrument?}}"
      - request: POST /graphql
        body: { graphql: { query: "query($cart: ID!) { cart(id: $cart) { ready } }", variables: { cart: "{{cart}}" } } }
        poll: { until: { json: [{ path: $.data.cart.ready, equals: true }] }, every: 5ms, timeout: 2s }
    answer: { hold: { json: $.data.reserve.id } }
"#;

/// A shop of HTML pages: a form with a CSRF field, a session cookie, answers by redirect.
const FORMS: &str = r#"
version: 1
roles:
  buyer:
    cookies: true
    headers: { referer: "{{target.url}}/tickets" }
    login:
      - request: GET /tickets
        extract:
          csrf: { from: { text: 'name="csrf" value="([^"]+)"' }, scope: buyer, required: true }
        classify: [{ when: { status: 200 }, is: ok }]
operations:
  hold:
    steps:
      - request: POST /cart?lang=en
        query: { quick: "1", voucher: "{{key?}}" }
        body: { form: { csrf: "{{csrf}}", sku: "{{item.sku}}", quantity: "{{item.quantity}}", note: "a b&c" } }
        classify:
          - when: { status: 302, headers: { location: "/cart/[0-9]+" } }
            is: ok
          - when: { status: 200, matches: "(?i)sold\\s+out" }
            is: sold-out
    answer: { hold: { location: "/cart/([0-9]+)" } }
"#;

fn compiled(yaml: &str, server: &Server) -> Client {
    let target = target(yaml);
    Client::compile(&target, &context(&target, &server.url)).unwrap()
}

fn asked(server: &Server) -> String {
    let port = server.url.rsplit(':').next().unwrap();
    server.asked.lock().unwrap().join("\n----\n").replace(port, "PORT").replace('\r', "")
}

#[tokio::test]
async fn a_graphql_shop_is_asked_in_three_steps_and_answers_with_the_second() {
    let not_yet = json(200, r#"{"data":{"cart":{"ready":false}}}"#);
    let server = server(vec![
        json(200, r#"{"data":{"cartCreate":{"id":"c\"1"}}}"#),
        json(200, r#"{"data":{"reserve":{"id":"r-1"}}}"#),
        not_yet,
        json(200, r#"{"data":{"cart":{"ready":true}}}"#),
    ])
    .await;
    let (scribe, client, mut record) = (scribe(), compiled(GRAPHQL, &server), Memory::default());
    let mut hold = call(CallKind::Hold);
    hold.items = vec![(scribe.names.id("floor"), 2), (scribe.names.id("box"), 1)];
    let mut buyer = client.buyer(BuyerId::from_index(0));
    let answer =
        client.connection().execute(&mut buyer, &hold, &scribe, &mut record).await.unwrap();
    assert_eq!(answer.outcome, Outcome::Ok);
    assert_eq!(scribe.names.name(answer.hold.unwrap()).as_deref(), Some("r-1"));
    insta::assert_snapshot!("graphql", asked(&server));
}

#[tokio::test]
async fn what_goes_wrong_before_the_commit_point_is_definite_and_after_it_is_not() {
    let cart = || json(200, r#"{"data":{"cartCreate":{"id":"c1"}}}"#);
    let sold_out = || json(200, r#"{"errors":[{"extensions":{"code":"SOLD_OUT"}}]}"#);
    let reserved = || json(200, r#"{"data":{"reserve":{"id":"r-1"}}}"#);
    for (name, replies, outcome) in [
        ("no cart", vec![Reply::Close], Outcome::Failed(Class::Unreachable)),
        ("refused cart", vec![sold_out()], Outcome::Failed(Class::SoldOut)),
        ("refused commit", vec![cart(), sold_out()], Outcome::Failed(Class::SoldOut)),
        ("lost commit", vec![cart(), Reply::Close], Outcome::Indeterminate(Class::Disconnected)),
        (
            "refused afterwards",
            vec![cart(), reserved(), Reply::Close],
            Outcome::Indeterminate(Class::Disconnected),
        ),
    ] {
        let server = server(replies).await;
        let (scribe, client, mut record) =
            (scribe(), compiled(GRAPHQL, &server), Memory::default());
        let mut buyer = client.buyer(BuyerId::from_index(0));
        let answer = client
            .connection()
            .execute(&mut buyer, &call(CallKind::Hold), &scribe, &mut record)
            .await
            .unwrap();
        assert_eq!(answer.outcome, outcome, "{name}");
    }
}

#[tokio::test]
async fn a_shop_of_forms_keeps_its_session_and_answers_by_redirect() {
    let page = r#"<form><input name="csrf" value="t/1"></form>"#;
    let server = server(vec![
        Reply::Say(raw(
            200,
            "set-cookie: sid=s-1; Path=/; HttpOnly\r\nset-cookie: lang=en\r\n",
            page,
        )),
        Reply::Say(raw(302, "location: /cart/77\r\nset-cookie: lang=; Max-Age=0\r\n", "")),
        Reply::Say(raw(200, "", "<h1>Sold  Out</h1>")),
    ])
    .await;
    let (scribe, client, mut record) = (scribe(), compiled(FORMS, &server), Memory::default());
    let (mut connection, mut buyer) = (client.connection(), client.buyer(BuyerId::from_index(0)));
    let mut hold = call(CallKind::Hold);
    hold.items = vec![(scribe.names.id("floor & more"), 2)];
    let answer = connection.execute(&mut buyer, &hold, &scribe, &mut record).await.unwrap();
    assert_eq!(scribe.names.name(answer.hold.unwrap()).as_deref(), Some("77"));
    hold.key = Some(scribe.names.id("k 1"));
    let answer = connection.execute(&mut buyer, &hold, &scribe, &mut record).await.unwrap();
    assert_eq!(answer.outcome, Outcome::Failed(Class::SoldOut));
    insta::assert_snapshot!("forms", asked(&server));
}

async fn reference_asks(
    server: &Server,
    calls: Vec<Call>,
    scribe: &onsale_history::Scribe,
) -> Memory {
    let target = reference();
    let client = Client::compile(&target, &context(&target, &server.url)).unwrap();
    let (mut connection, mut record) = (client.connection(), Memory::default());
    let mut buyer = client.buyer(BuyerId::from_index(5));
    for call in calls {
        connection.execute(&mut buyer, &call, scribe, &mut record).await.unwrap();
    }
    record
}

#[tokio::test]
async fn the_reference_shop_is_asked_as_its_contract_says() {
    let token = "aGVhZA.Y2xhaW1z.c2lnbmF0dXJl";
    let order = r#"{"order_id":"o1","hold_id":"h1","status":"pending_payment","items":[],"amount":1,"currency":"eur","payment":{"intent":"pi_1","client_secret":"pi_1_secret"}}"#;
    let server = server(vec![
        Reply::Say(raw(
            202,
            "set-cookie: queue_ticket=buyer-5:9:sig; Path=/\r\n",
            r#"{"ticket":"t","position":12}"#,
        )),
        json(
            200,
            &format!(r#"{{"inWaitingRoom":false,"position":12,"ahead":0,"token":"{token}"}}"#),
        ),
        json(201, r#"{"hold_id":"h1","ttl_ms":4000}"#),
        json(422, r#"{"code":"key-reused","definite":true}"#),
        json(401, r#"{"code":"token-missing","definite":true}"#),
        json(202, order),
        json(200, r#"{"id":"pi_1","status":"processing"}"#),
    ])
    .await;
    let scribe = scribe();
    let names = &scribe.names;
    let mut join = call(CallKind::Join);
    join.puzzle = Some("cHV6emxl".to_owned());
    let mut hold = call(CallKind::Hold);
    (hold.items, hold.key) = (vec![(names.id::<SkuId>("floor"), 2)], Some(names.id("key-1")));
    hold.instrument = Some(names.id("card-9"));
    let other = Call { label: Label::OtherBody, ..hold.clone() };
    let bare = Call {
        token: Token::Absent,
        label: Label::NoToken,
        items: vec![(names.id("floor"), -1)],
        ..hold.clone()
    };
    let mut checkout = call(CallKind::Checkout);
    (checkout.hold, checkout.instrument) = (Some(names.id("h1")), Some(names.id("card-9")));
    let mut pay = call(CallKind::Pay);
    (pay.charge, pay.instrument) = (Some(names.id("pi_1")), Some(names.id("card-9")));
    let calls = vec![join, call(CallKind::Poll), hold, other, bare, checkout, pay];
    let record = reference_asks(&server, calls, &scribe).await;
    insta::assert_snapshot!("reference", asked(&server));
    let history = record.history(header());
    let outcomes: Vec<_> =
        history.operations.iter().map(|op| (op.kind(), op.outcome(), op.call.quantity)).collect();
    assert_eq!(
        outcomes,
        [
            (CallKind::Join, Outcome::Ok, 0),
            (CallKind::Poll, Outcome::Ok, 0),
            (CallKind::Hold, Outcome::Ok, 2),
            (CallKind::Hold, Outcome::Failed(Class::Invalid), 3),
            (CallKind::Hold, Outcome::Failed(Class::Denied), 0),
            (CallKind::Checkout, Outcome::Ok, 0),
            (CallKind::Pay, Outcome::Ok, 0),
        ]
    );
}

#[tokio::test]
async fn lists_are_read_to_their_last_page_or_not_at_all() {
    let page = |id: &str, next: &str| {
        json(
            200,
            &format!(
                r#"{{"orders":[{{"order_id":"{id}","hold_id":"h-{id}","status":"confirmed","items":[{{"sku":"a","qty":1}},{{"sku":"b","qty":2}}]}}]{next}}}"#
            ),
        )
    };
    let server = server(vec![
        page("o1", r#","next":"c/2""#),
        page("o2", ""),
        page("o3", r#","next":"c3""#),
        json(500, r#"{"code":"internal","definite":false}"#),
    ])
    .await;
    let scribe = scribe();
    let record = reference_asks(
        &server,
        vec![call(CallKind::ListOrders), call(CallKind::ListOrders)],
        &scribe,
    )
    .await;
    let history = record.history(header());
    let lines = |index: usize| -> Vec<Line> {
        history
            .lines_of(&history.operations[index], onsale_history::Side::Answer)
            .copied()
            .collect()
    };
    assert_eq!(lines(0).len(), 4);
    let Line::Order { order, sku, quantity, state, .. } = lines(0)[3] else {
        panic!("{:?}", lines(0))
    };
    let words = (scribe.names.name(order), scribe.names.name(sku));
    assert_eq!(
        (words.0.as_deref(), words.1.as_deref(), quantity, state),
        (Some("o2"), Some("b"), 2, State::Confirmed)
    );
    assert!(asked(&server).contains("GET /v1/me/orders?cursor=c%2F2 HTTP/1.1"));
    assert_eq!(history.operations[1].outcome(), Outcome::Indeterminate(Class::Error));
    assert_eq!(lines(1), []);
}

#[tokio::test]
async fn a_sale_is_provisioned_by_the_mapping_and_a_refusal_says_why() {
    let server = server(vec![
        json(200, "{}"),
        json(400, r#"{"code":"invalid-request","detail":"<ONSALE_ADMIN_KEY>"}"#),
    ])
    .await;
    let target = reference();
    let client = Client::compile(&target, &context(&target, &server.url)).unwrap();
    let scribe = scribe();
    client.provision(&scribe).await.unwrap();
    let refusal = client.provision(&scribe).await.unwrap_err().to_string();
    assert_eq!(
        refusal,
        r#"the target refused `provision`: invalid (status 400): {"code":"invalid-request","detail":"…"}"#
    );
    let request = server.asked.lock().unwrap()[0].clone();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("authorization: Bearer <ONSALE_ADMIN_KEY>"), "{head}");
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    insta::assert_snapshot!("provision", serde_json::to_string_pretty(&body).unwrap());
}

#[test]
fn a_mapping_that_cannot_be_driven_says_so_before_the_run() {
    let base = "version: 1\noperations:\n  hold:\n    steps:\n      - request: ";
    for (name, request, message) in [
        (
            "name",
            "POST /holds/{{holt}}",
            "failed to compile `{{target.url}}/holds/{{holt}}` of operation `hold`: nothing is called `holt`",
        ),
        (
            "https",
            "GET https://127.0.0.1/x",
            "failed to use the address `https://127.0.0.1/x`: this client speaks plain HTTP; put a TLS proxy in front",
        ),
        (
            "host",
            "GET http://shop.example/x",
            "refused to reach `shop.example`: the mapping's `hosts` do not name it, and it is not this machine",
        ),
        (
            "filter",
            "GET '/x/{{hold | upper}}'",
            "failed to compile `{{target.url}}/x/{{hold | upper}}` of operation `hold`: the only filters are `int` and `json`",
        ),
    ] {
        let quoted = format!("{base}\"{}\"\n", request.replace('\'', ""));
        let target = target(&quoted);
        let error =
            Client::compile(&target, &context(&target, "http://127.0.0.1:1")).err().unwrap();
        assert_eq!(error.to_string(), message, "{name}");
    }
}

#[test]
fn secrets_come_from_outside_and_are_never_shown() {
    let target = reference();
    let missing = Secrets::resolve(&target, |_| None).unwrap_err();
    assert!(matches!(missing, CompileError::Secret { .. }));
    let context: RunContext = context(&target, "http://127.0.0.1:1");
    assert!(!format!("{context:?}").contains("<ONSALE_ADMIN_KEY>"));
}

fn header() -> onsale_history::Header {
    let sale = serde_json::json!({
        "skus": [], "opens": 0, "ttl": 1, "earliness": 0, "grace": 0, "clock-error": 0, "release-lag": 0,
        "confirm": "strict", "checkout-extends": true, "late-capture": "refund", "sold-out": "exact",
        "account-limit": null, "instrument-limit": null, "queue": null, "price": 1, "currency": "eur",
    });
    let header = serde_json::json!({
        "format": 1, "run": "run-7", "workload": "w", "target": "t", "harness": "0", "seed": 7, "epoch-unix-ns": 0,
        "sale": sale, "required": [],
    });
    serde_json::from_value(header).unwrap()
}

#[tokio::test]
async fn every_charge_is_paid_with_its_own_secret() {
    let order = |n: u32| {
        json(
            202,
            &format!(
                r#"{{"order_id":"o{n}","hold_id":"h{n}","status":"pending_payment","payment":{{"intent":"pi_{n}","client_secret":"s-{n}"}}}}"#
            ),
        )
    };
    let paid = || json(200, r#"{"status":"processing"}"#);
    let server = server(vec![order(1), order(2), paid(), paid()]).await;
    let scribe = scribe();
    let mut calls = vec![];
    for n in 1..=2 {
        let mut checkout = call(CallKind::Checkout);
        checkout.hold = Some(scribe.names.id(&format!("h{n}")));
        calls.push(checkout);
    }
    for n in 1..=2 {
        let mut pay = call(CallKind::Pay);
        pay.charge = Some(scribe.names.id(&format!("pi_{n}")));
        calls.push(pay);
    }
    reference_asks(&server, calls, &scribe).await;
    let asked = server.asked.lock().unwrap();
    for (index, secret) in [(2, "client_secret=s-1&"), (3, "client_secret=s-2&")] {
        assert!(asked[index].contains(secret), "{}", asked[index]);
    }
}

#[tokio::test]
async fn a_target_that_forgets_its_keys_fails_the_probe() {
    let yaml = FORGETFUL;
    let server = server(vec![
        json(201, r#"{"id":"h1"}"#),
        json(201, r#"{"id":"h2"}"#),
        json(201, r#"{"id":"h3"}"#),
        json(200, r#"{"state":"open"}"#),
    ])
    .await;
    let probe = onsale_client::probe(&compiled(yaml, &server), &scribe(), "floor").await.unwrap();
    let seen: Vec<_> = probe.checks.iter().map(|check| (check.name, check.passed)).collect();
    assert_eq!(
        seen,
        [
            ("a unit can be held", true),
            ("the same key gives the same hold", false),
            ("the same key with another body is refused", false),
            ("a hold reads as held", true),
        ]
    );
    assert!(!probe.passed());
}

const FORGETFUL: &str = r#"
version: 1
classify: [{ when: { status: 2xx }, is: ok }]
states: { open: held }
operations:
  hold:
    steps: [{ request: POST /holds, headers: { idempotency-key: "{{key}}" } }]
    answer: { hold: { json: $.id } }
  read-hold:
    steps: [{ request: "GET /holds/{{hold}}" }]
    answer: { state: { json: $.state } }
"#;
