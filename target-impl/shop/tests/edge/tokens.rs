use super::world::{Setup, World, code, event, event_with};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

fn read(part: &str) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

#[tokio::test]
async fn only_an_untouched_token_of_the_ticket_is_accepted() {
    for algorithm in ["EdDSA", "HS256"] {
        let directory = tempfile::tempdir().unwrap();
        let event = event_with(&[("/queue/token_algorithm", json!(algorithm))]);
        let world = World::with_event(directory.path(), Setup::default(), &event).await;
        let (ticket, _) = world.join("anna").await;
        let (other_ticket, _) = world.join("bert").await;
        let token = world.admitted(&ticket).await;
        let parts = token.split('.').collect::<Vec<_>>();
        let (header, claims) = (read(parts[0]), read(parts[1]));
        assert_eq!(claims["aud"], "e");
        assert_eq!(claims["sub"], "anna");
        assert_eq!(claims["queue_position"], 1);
        assert_eq!(header["alg"], algorithm);
        let with = |name: &str, value: Value| {
            let mut changed = claims.clone();
            changed[name] = value;
            format!("{}.{}.{}", parts[0], part(&changed), parts[2])
        };
        let headed = |alg: &str, signature: &str| {
            let mut changed = header.clone();
            changed["alg"] = json!(alg);
            format!("{}.{}.{signature}", part(&changed), parts[1])
        };
        let other_algorithm = if algorithm == "EdDSA" { "HS256" } else { "EdDSA" };
        let cases = [
            ("untouched", &ticket, Some(token.clone()), Ok("anna")),
            ("none", &ticket, None, Err("token-missing")),
            ("foreign", &other_ticket, Some(token.clone()), Err("token-foreign")),
            ("another account", &ticket, Some(with("sub", json!("bert"))), Err("token-invalid")),
            ("another event", &ticket, Some(with("aud", json!("f"))), Err("token-invalid")),
            (
                "a longer life",
                &ticket,
                Some(with("exp", json!(9_999_999_999_u64))),
                Err("token-invalid"),
            ),
            ("alg none, no signature", &ticket, Some(headed("none", "")), Err("token-invalid")),
            ("alg none", &ticket, Some(headed("none", parts[2])), Err("token-invalid")),
            (
                "another algorithm",
                &ticket,
                Some(headed(other_algorithm, parts[2])),
                Err("token-invalid"),
            ),
            (
                "no signature",
                &ticket,
                Some(format!("{}.{}.", parts[0], parts[1])),
                Err("token-invalid"),
            ),
            ("half a token", &ticket, Some(parts[0].to_owned()), Err("token-invalid")),
            ("rubbish", &ticket, Some("a.b.c".to_owned()), Err("token-invalid")),
        ];
        for (name, ticket, token, expected) in cases {
            let admitted = world.admit(ticket, token.as_deref());
            let got = admitted.as_ref().map(|principal| principal.account.as_str()).map_err(code);
            assert_eq!(got, expected, "{algorithm}: {name}");
        }
    }
}

#[tokio::test]
async fn a_token_ends_when_it_says_so_and_only_a_new_join_gives_another() {
    let directory = tempfile::tempdir().unwrap();
    let event = event_with(&[("/queue/token_ttl_ms", json!(3_000))]);
    let world = World::with_event(directory.path(), Setup::default(), &event).await;
    let (ticket, position) = world.join("anna").await;
    let token = world.admitted(&ticket).await;
    assert_eq!(world.admitted(&ticket).await, token, "asking again gives the same token");
    assert_eq!(
        world.join("anna").await.1,
        position,
        "joining again keeps the place while the token lives"
    );
    assert_eq!(world.admitted(&ticket).await, token);
    let ends = world.poll(&ticket).await.json()["tokenExpiresAtMs"].as_u64().unwrap();
    let left = ends - onsale_shop::clock::Clock::wall_ms(&*world.clock);
    assert!((2_000..=3_000).contains(&left), "{left}");
    world.clock.advance(left - 1);
    assert!(world.admit(&ticket, Some(&token)).is_ok(), "a millisecond before");
    world.clock.advance(1);
    assert_eq!(world.admit(&ticket, Some(&token)).as_ref().map_err(code), Err("token-expired"));
    assert_eq!(world.poll(&ticket).await.code(), "position-expired");
    let (ticket, position) = world.join("anna").await;
    assert_eq!(position, 2, "a new place at the end");
    assert_ne!(world.admitted(&ticket).await, token);
}

#[tokio::test]
async fn the_published_key_verifies_a_token() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with_event(directory.path(), Setup::default(), &event()).await;
    let (ticket, _) = world.join("anna").await;
    let token = world.admitted(&ticket).await;
    let jwks = world.get("/.well-known/jwks.json", &[]).await;
    assert_eq!(jwks.header("cache-control"), "public, max-age=60");
    let x = jwks.json()["keys"][0]["x"].as_str().unwrap().to_owned();
    let mut validation = jsonwebtoken::Validation::new(jsonwebtoken::Algorithm::EdDSA);
    validation.set_audience(&["e"]);
    validation.validate_exp = false;
    let key = jsonwebtoken::DecodingKey::from_ed_components(&x).unwrap();
    let claims = jsonwebtoken::decode::<Value>(&token, &key, &validation).unwrap().claims;
    assert_eq!(claims["sub"], "anna");
}

#[tokio::test]
async fn without_a_waiting_room_nobody_needs_a_token() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with_event(
        directory.path(),
        Setup::default(),
        &event_with(&[("/queue", Value::Null)]),
    )
    .await;
    let (ticket, position) = world.join("anna").await;
    assert_eq!(position, 0);
    assert_eq!(world.poll(&ticket).await.json()["inWaitingRoom"], false);
    assert_eq!(world.admit(&ticket, None).unwrap().account, "anna");
    let mut headers = axum::http::HeaderMap::new();
    headers.insert("x-account", "bert".parse().unwrap());
    let by_header = onsale_shop::gatekeeper::Gatekeeper::admit(&*world.edge, "e", &headers);
    assert_eq!(by_header.unwrap().account, "bert");
    world.configure(&event());
    let refused = onsale_shop::gatekeeper::Gatekeeper::identify(&*world.edge, &headers);
    assert_eq!(
        refused.as_ref().map_err(code),
        Err("ticket-invalid"),
        "with a waiting room the header is nothing"
    );
}
