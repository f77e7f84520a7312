//! What the server accepts, and what it does not.

use onsale_pow::{Difficulty, Issuer, Puzzle, Rejection, Scheme, Terms, forge, solve_json, v1, v2};

const SCHEMES: [Scheme; 2] = [Scheme::V1, Scheme::V2];

fn puzzle(issuer: &Issuer, scheme: Scheme, unique: &[u8]) -> (Puzzle, String) {
    let data =
        [("ev".to_owned(), "e1".to_owned()), ("client".to_owned(), "device 1&x=2".to_owned())]
            .into();
    let terms = Terms { data, expires_at_s: 1_000 };
    let puzzle = issuer.issue(scheme, Difficulty { cost: 2, max_number: 200 }, &terms, unique);
    let text = serde_json::to_string(&puzzle).expect("a puzzle is plain data");
    (puzzle, text)
}

#[test]
fn a_solution_in_time_is_verified_with_its_terms() {
    let issuer = Issuer::new(b"secret");
    for scheme in SCHEMES {
        let (_, text) = puzzle(&issuer, scheme, b"1");
        let solved = solve_json(&text, 200).unwrap().expect("below the maximum");
        let verified = issuer.verify(&solved, 1_000).unwrap();
        assert_eq!(verified.data["ev"], "e1");
        assert_eq!(verified.data["client"], "device 1&x=2");
        assert_eq!(verified.expires_at_s, 1_000);
        assert_eq!(verified, issuer.verify(&solved, 1).unwrap(), "the same puzzle has the same id");
        assert_eq!(issuer.verify(&solved, 1_001), Err(Rejection::Expired), "{scheme:?}");
        assert!(Issuer::new(b"other").verify(&solved, 1).is_err(), "{scheme:?}");
    }
}

#[test]
fn forged_and_unreadable_payloads_are_refused() {
    let issuer = Issuer::new(b"secret");
    for scheme in SCHEMES {
        let (_, text) = puzzle(&issuer, scheme, b"1");
        assert_eq!(issuer.verify(&forge(&text), 1), Err(Rejection::Wrong), "{scheme:?}");
    }
    for text in ["", "e30=", "not base64!", &forge("not json")] {
        assert_eq!(issuer.verify(text, 1), Err(Rejection::Malformed), "{text}");
    }
}

#[test]
fn puzzles_differ_when_what_is_unique_differs() {
    let issuer = Issuer::new(b"secret");
    for scheme in SCHEMES {
        assert_ne!(puzzle(&issuer, scheme, b"1").0, puzzle(&issuer, scheme, b"2").0);
        assert_eq!(puzzle(&issuer, scheme, b"1").0, puzzle(&issuer, scheme, b"1").0);
    }
}

#[test]
fn v1_digits_cannot_move_into_the_salt() {
    let issuer = Issuer::new(b"secret");
    for unique in 0..50_u8 {
        let (Puzzle::V1(puzzle), _) = puzzle(&issuer, Scheme::V1, &[unique]) else {
            unreachable!("v1 was asked for")
        };
        let number = puzzle.solve(200).unwrap().unwrap().to_string();
        for cut in 1..number.len() {
            let (moved, rest) = number.split_at(cut);
            if rest.starts_with('0') {
                continue;
            }
            let salt = format!("{}{moved}", puzzle.salt);
            let spliced = v1::Payload { salt, ..puzzle.payload(rest.parse().unwrap()) };
            assert_eq!(issuer.verify(&spliced.encode(), 1), Err(Rejection::Malformed));
        }
    }
}

type Change = fn(&mut v2::Challenge);

#[test]
fn v2_terms_cannot_be_changed() {
    let issuer = Issuer::new(b"secret");
    let (Puzzle::V2(puzzle), _) = puzzle(&issuer, Scheme::V2, b"1") else {
        unreachable!("v2 was asked for")
    };
    let solution = puzzle.solve(200).unwrap().unwrap();
    let changes: [(&str, Change); 6] = [
        ("expires", |c| c.parameters.expires_at = Some(9_999)),
        ("no expiry", |c| c.parameters.expires_at = None),
        ("event", |c| drop(c.parameters.data.as_mut().unwrap().insert("ev".into(), "e2".into()))),
        ("cost", |c| c.parameters.cost = 1),
        ("another parameter", |c| drop(c.parameters.other.insert("parallelism".into(), 1.into()))),
        ("no signature", |c| c.signature = None),
    ];
    for (name, change) in changes {
        let mut challenge = puzzle.clone();
        change(&mut challenge);
        let payload = v2::Payload { challenge, solution: solution.clone() };
        assert_eq!(issuer.verify(&payload.encode(), 1), Err(Rejection::Signature), "{name}");
    }
}
