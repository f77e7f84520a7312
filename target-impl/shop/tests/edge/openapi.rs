use std::path::Path;

#[test]
fn the_committed_document_is_what_the_routes_promise() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi.json");
    let mut document = onsale_shop::openapi::document().to_pretty_json().unwrap();
    document.push('\n');
    #[expect(clippy::disallowed_methods, reason = "a test reads its switch where it needs it")]
    if std::env::var("BLESS").is_ok() {
        std::fs::write(&path, &document).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(committed, document, "run with BLESS=1 to rewrite `target-impl/openapi.json`");
}

#[test]
fn every_route_is_described_with_its_answers() {
    let document = serde_json::to_value(onsale_shop::openapi::document()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let expected = [
        "/v1/events/{event}",
        "/v1/events/{event}/availability",
        "/v1/events/{event}/challenge",
        "/v1/events/{event}/queue",
        "/v1/events/{event}/queue/ws",
        "/v1/events/{event}/queue/sse",
        "/v1/events/{event}/holds",
        "/v1/holds/{hold}",
        "/v1/orders",
        "/v1/orders/{order}",
        "/v1/orders/{order}/cancel",
        "/v1/me/orders",
        "/v1/webhooks/psp",
        "/v1/admin/events/{event}",
        "/v1/admin/events/{event}/ledger",
        "/v1/admin/keys/rotate",
        "/.well-known/jwks.json",
        "/healthz",
        "/readyz",
        "/metrics",
    ];
    for path in expected {
        assert!(paths.contains_key(path), "{path}");
    }
    assert_eq!(paths.len(), expected.len());
    let text = document.to_string();
    for (at, _) in text.match_indices("#/components/schemas/") {
        let name = text[at + "#/components/schemas/".len()..].split('"').next().unwrap();
        assert!(
            document["components"]["schemas"].get(name).is_some(),
            "{name} is named and not described"
        );
    }
}
