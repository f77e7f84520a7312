//! The vectors of altcha-lib 2.8.0.

use onsale_pow::{v1, v2};
use serde_json::json;
use std::collections::BTreeMap;

const SALT: &str = "0102030405060708090a0b0c?expires=4102444800&jti=abc&";

#[test]
fn v1_makes_the_published_puzzle_and_solves_it() {
    let puzzle = v1::Challenge::issue(b"k1", SALT.to_owned(), 4242, 10_000);
    assert_eq!(
        puzzle.challenge,
        "37874fb8ec52558cfffdd5a4ccbd79479af725c3dd9b994a92891e3135e53507"
    );
    assert_eq!(
        puzzle.signature,
        "3b0bdcaf6142e0f6b023143ed5f24b8e40154b16dce3109a647560b3f5dff99e"
    );
    assert_eq!(puzzle.solve(10_000).unwrap(), Some(4242));
    assert_eq!(puzzle.solve(4242).unwrap(), None, "the limit counts tries");
}

fn published() -> v2::Parameters {
    v2::Parameters {
        algorithm: "SHA-256".to_owned(),
        cost: 10,
        data: Some(BTreeMap::from([("ev".to_owned(), json!("e1"))])),
        expires_at: Some(4_102_444_800),
        key_length: 32,
        key_prefix: String::new(),
        key_signature: None,
        nonce: "d260b2ac7d5eac51a01aae4a30f7db92".to_owned(),
        salt: "b82d1a089946911cdfa3d96b1d94067b".to_owned(),
        other: BTreeMap::new(),
    }
}

#[test]
fn v2_makes_the_published_puzzle_and_solves_it() {
    let keys = v2::Keys { signature: b"k1", key_signature: b"k2" };
    let puzzle = v2::Challenge::issue(keys, published(), 777).unwrap();
    assert_eq!(puzzle.parameters.key_prefix, "8ebede82ffabfb6999b7dd602d0f7d8b");
    assert_eq!(
        puzzle.parameters.key_signature.as_deref(),
        Some("2783eb6a105be3b0db5de5c1e1bda18082979338d942ceaaf46804caee39eec8")
    );
    assert_eq!(
        puzzle.signature.as_deref(),
        Some("cf1f0d3c7086c3fe634fef33a42787158ed1883f60b24fb32c73fc9d947de1a4")
    );
    let solution = puzzle.solve(1_000).unwrap().unwrap();
    assert_eq!(solution.counter, 777);
    assert_eq!(
        solution.derived_key,
        "8ebede82ffabfb6999b7dd602d0f7d8b0d6059facda97e4bdb4aa94dbca9a19a"
    );
    assert_eq!(puzzle.solve(777).unwrap(), None, "the limit counts tries");
    let payload = v2::Payload { challenge: puzzle, solution };
    assert!(payload.verify(keys, 4_102_444_800).is_ok());
}
