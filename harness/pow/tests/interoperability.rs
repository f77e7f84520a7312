//! The official crate and ours understand each other, in both directions.

use altcha::{CreateChallengeOptions, SolveChallengeOptions, VerifySolutionOptions};
use onsale_pow::v2;

const FAR: i64 = 4_102_444_800;
const KEYS: v2::Keys<'static> = v2::Keys { signature: b"k1", key_signature: b"k2" };

fn theirs(key_secret: Option<&str>, counter: Option<u32>) -> altcha::Challenge {
    altcha::create_challenge(CreateChallengeOptions {
        algorithm: "SHA-256".to_owned(),
        cost: 3,
        counter,
        data: Some(
            [("ev".to_owned(), "e1".into()), ("client".to_owned(), "device-1".into())].into(),
        ),
        expires_at: Some(FAR),
        hmac_signature_secret: Some("k1".to_owned()),
        hmac_key_signature_secret: key_secret.map(str::to_owned),
        key_prefix: "00a".to_owned(),
        ..CreateChallengeOptions::default()
    })
    .expect("the options are well-formed")
}

#[test]
fn their_puzzles_are_solved_and_verified_by_us() {
    for (key_secret, counter) in [(Some("k2"), Some(500)), (None, Some(500)), (None, None)] {
        let text = serde_json::to_string(&theirs(key_secret, counter)).unwrap();
        let solved = onsale_pow::solve_json(&text, 1_000_000).unwrap().expect("a solution exists");
        let payload = v2::Payload::decode(&solved).unwrap();
        assert!(payload.verify(KEYS, 1).is_ok(), "{key_secret:?} {counter:?}");
        let bytes =
            base64::Engine::decode(&base64::engine::general_purpose::STANDARD, &solved).unwrap();
        let read: altcha::Payload = serde_json::from_slice(&bytes).unwrap();
        let result = altcha::verify_solution(VerifySolutionOptions::new(
            &read.challenge,
            &read.solution,
            "k1",
        ))
        .unwrap();
        assert!(result.verified, "{key_secret:?} {counter:?}");
    }
}

#[test]
fn our_puzzles_are_solved_and_verified_by_them() {
    let terms = onsale_pow::Terms {
        data: [("ev".to_owned(), "e1".to_owned())].into(),
        expires_at_s: 4_102_444_800,
    };
    let issuer = onsale_pow::Issuer::new(b"secret");
    let difficulty = onsale_pow::Difficulty { cost: 4, max_number: 300 };
    let puzzle = issuer.issue(onsale_pow::Scheme::V2, difficulty, &terms, b"1");
    let theirs: altcha::Challenge =
        serde_json::from_value(serde_json::to_value(&puzzle).unwrap()).unwrap();
    let solution = altcha::solve_challenge(SolveChallengeOptions::new(&theirs))
        .unwrap()
        .expect("a solution exists");
    let payload = serde_json::to_vec(&altcha::Payload { challenge: theirs, solution }).unwrap();
    let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, payload);
    let verified = issuer.verify(&text, 1).unwrap();
    assert_eq!(verified.data, terms.data);
}
