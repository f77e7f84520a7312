use super::world::{FakeCaptcha, Setup, World, code, event};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use onsale_shop::config::Captcha;
use onsale_shop::edge::{CaptchaVerifier, HttpCaptcha};
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::test]
async fn a_device_with_too_many_accounts_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut setup = Setup::default();
    setup.limits.accounts_per_device = 3;
    let world = World::with_event(directory.path(), setup, &event()).await;
    for index in 0..3 {
        let joined = world.join_with(&format!("b{index}"), "farm", None).await;
        assert_eq!(joined.status, StatusCode::ACCEPTED);
    }
    let refused = world.join_with("b3", "farm", None).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (StatusCode::TOO_MANY_REQUESTS, "velocity")
    );
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(
        world.join_with("b0", "farm", None).await.status,
        StatusCode::ACCEPTED,
        "the known ones may"
    );
    assert_eq!(world.join_with("b3", "own", None).await.status, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn the_default_lets_a_farm_of_twenty_five_pass() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with_event(directory.path(), Setup::default(), &event()).await;
    for index in 0..25 {
        assert_eq!(
            world.join_with(&format!("b{index}"), "farm", None).await.status,
            StatusCode::ACCEPTED
        );
    }
}

#[tokio::test]
async fn an_account_that_hammers_the_gate_is_slowed_down() {
    let directory = tempfile::tempdir().unwrap();
    let mut setup = Setup::default();
    setup.limits.holds_per_account_burst = 2;
    setup.limits.holds_per_account_per_s = 1.0;
    let world = World::with_event(directory.path(), setup, &event()).await;
    let (ticket, _) = world.join("anna").await;
    let token = world.admitted(&ticket).await;
    let ask = || world.admit(&ticket, Some(&token)).map(|_| ()).map_err(|refusal| code(&refusal));
    assert_eq!([ask(), ask(), ask()], [Ok(()), Ok(()), Err("velocity")]);
    world.clock.advance(1_000);
    assert_eq!([ask(), ask()], [Ok(()), Err("velocity")]);
}

#[tokio::test]
async fn a_captcha_is_judged_by_its_verifier() {
    let directory = tempfile::tempdir().unwrap();
    let verifier = Arc::new(FakeCaptcha::default());
    let setup = Setup { captcha: Some(verifier.clone()), ..Setup::default() };
    let world = World::with_event(directory.path(), setup, &event()).await;
    let cases = [(None, "captcha-failed"), (Some("robot"), "captcha-failed"), (Some("human"), "")];
    for (answer, expected) in cases {
        let mut request = Request::post("/v1/events/e/queue");
        if let Some(answer) = answer {
            request = request.header("x-captcha", answer);
        }
        let request = request.body(Body::from(r#"{"account":"anna"}"#)).unwrap();
        let answer = super::world::Answer::read(world.send(request).await).await;
        assert_eq!(answer.code(), expected);
    }
    assert_eq!(
        *verifier.0.lock().unwrap(),
        ["robot", "human"],
        "nothing to judge where nothing was given"
    );
}

#[tokio::test]
async fn the_http_verifier_sends_secret_and_response_and_reads_success() {
    let judge = axum::routing::post(|axum::Json(asked): axum::Json<Value>| async move {
        axum::Json(
            json!({ "success": asked["secret"] == "s3" && asked["response"] == "human", "hostname": "x" }),
        )
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/siteverify", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        axum::serve(listener, axum::Router::new().route("/siteverify", judge)).await.unwrap();
    });
    let verifier = HttpCaptcha::new(Captcha { verify_url: url, secret: "s3".into() }).unwrap();
    assert!(verifier.verify("human").await.unwrap());
    assert!(!verifier.verify("robot").await.unwrap());
    server.abort();
    let gone = Captcha { verify_url: "http://127.0.0.1:1/".into(), secret: String::new() };
    assert!(HttpCaptcha::new(gone).unwrap().verify("human").await.is_err());
}
