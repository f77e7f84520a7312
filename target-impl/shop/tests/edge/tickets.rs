use super::world::{Setup, World, event};
use axum::http::StatusCode;

#[tokio::test]
async fn only_an_untouched_ticket_is_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with_event(directory.path(), Setup::default(), &event()).await;
    let (ticket, _) = world.join("anna").await;
    let (other, _) = world.join("bert").await;
    let (head, signature) = ticket.rsplit_once(':').unwrap();
    let (account, expires) = head.split_once(':').unwrap();
    let (kid, mac) = signature.split_once('.').unwrap();
    let other_digit = if mac.starts_with('0') { '1' } else { '0' };
    let flipped = format!("{other_digit}{}", &mac[1..]);
    let later: u64 = expires.parse::<u64>().unwrap() + 1;
    let cases = [
        ("untouched", ticket.clone(), true),
        ("another account", format!("bert:{expires}:{signature}"), false),
        ("another end", format!("{account}:{later}:{signature}"), false),
        ("a flipped bit", format!("{head}:{kid}.{flipped}"), false),
        ("a shortened signature", format!("{head}:{kid}.{}", &mac[..62]), false),
        ("no signature", format!("{head}:{kid}."), false),
        ("an unknown key", format!("{head}:000000000000.{mac}"), false),
        ("no key", format!("{head}:{mac}"), false),
        (
            "another ticket's signature",
            format!("{head}:{}", other.rsplit_once(':').unwrap().1),
            false,
        ),
        ("nothing", String::new(), false),
        ("rubbish", ":::".to_owned(), false),
    ];
    for (name, ticket, accepted) in cases {
        let answer = world.poll(&ticket).await;
        let expected = if accepted { StatusCode::OK } else { StatusCode::UNAUTHORIZED };
        assert_eq!(answer.status, expected, "{name}: {}", answer.text);
        assert_eq!(answer.code(), if accepted { "" } else { "ticket-invalid" }, "{name}");
    }
    assert_eq!(world.get("/v1/events/e/queue", &[]).await.code(), "ticket-invalid");
}

#[tokio::test]
async fn a_ticket_ends() {
    let directory = tempfile::tempdir().unwrap();
    let mut setup = Setup::default();
    setup.limits.ticket_ttl_ms = 3_000;
    let world = World::with_event(directory.path(), setup, &event()).await;
    let (ticket, _) = world.join("anna").await;
    world.clock.advance(2_900);
    assert_eq!(world.poll(&ticket).await.status, StatusCode::OK);
    world.clock.advance(200);
    assert_eq!(world.poll(&ticket).await.code(), "ticket-invalid");
}

#[tokio::test]
async fn tickets_and_tokens_survive_a_rotation_for_the_overlap_and_no_longer() {
    let directory = tempfile::tempdir().unwrap();
    let mut setup = Setup::default();
    setup.limits.ticket_ttl_ms = 100_000;
    let world = World::with_event(directory.path(), setup, &event()).await;
    let (ticket, _) = world.join("anna").await;
    let token = world.admitted(&ticket).await;
    let before = world.edge.keys().identifiers();
    world.edge.rotate_keys().await.unwrap();
    let after = world.edge.keys().identifiers();
    assert_eq!((before.len(), after.len()), (1, 2));
    assert_eq!(after[1], before[0], "the old key stays behind the new one");
    assert!(world.admit(&ticket, Some(&token)).is_ok(), "signed before the rotation");
    let jwks = world.get("/.well-known/jwks.json", &[]).await.json();
    let kids =
        jwks["keys"].as_array().unwrap().iter().map(|key| key["kid"].as_str().unwrap().to_owned());
    assert_eq!(kids.collect::<Vec<_>>(), after);
    let (fresh, _) = world.join("bert").await;
    assert!(fresh.contains(&after[0]), "the new key signs: {fresh}");
    world.clock.advance(100_001);
    assert_eq!(world.edge.keys().identifiers(), [after[0].clone()], "the overlap is over");
    assert_eq!(world.poll(&ticket).await.code(), "ticket-invalid");
}

#[tokio::test]
async fn rotation_over_http_needs_the_admin_key() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with_event(directory.path(), Setup::default(), &event()).await;
    for (key, status, keys) in
        [("wrong", StatusCode::FORBIDDEN, 1), ("admin", StatusCode::NO_CONTENT, 2)]
    {
        let request = axum::http::Request::post("/v1/admin/keys/rotate")
            .header("authorization", format!("Bearer {key}"));
        assert_eq!(
            world.send(request.body(axum::body::Body::empty()).unwrap()).await.status(),
            status
        );
        assert_eq!(world.edge.keys().identifiers().len(), keys);
    }
}

#[tokio::test]
async fn the_cookie_is_the_ticket_and_scripts_cannot_read_it() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with_event(directory.path(), Setup::default(), &event()).await;
    let answer = world.join_with("anna", "d", None).await;
    let ticket = answer.json()["ticket"].as_str().unwrap().to_owned();
    let cookie = answer.header("set-cookie");
    assert!(cookie.starts_with(&format!("queue_ticket={ticket};")), "{cookie}");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    assert_eq!(answer.header("cache-control"), "no-store");
}
