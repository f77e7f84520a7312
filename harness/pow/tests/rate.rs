//! How fast the solver is on this machine: an insoluble puzzle, so that every try is made.

#[test]
#[expect(clippy::disallowed_methods, reason = "measures real time")]
fn the_solver_makes_a_hundred_thousand_tries_a_second_at_least() {
    const TRIES: u32 = 300_000;
    let salt =
        "0102030405060708090a0b0c?expires=4102444800&jti=0102030405060708&ev=e1&client=device-1&";
    let v1 = onsale_pow::v1::Challenge::issue(
        b"k1",
        salt.to_owned(),
        u64::from(TRIES) + 1,
        TRIES.into(),
    );
    let v1 = serde_json::to_string(&v1).unwrap();
    let v2 = format!(
        r#"{{"parameters":{{"algorithm":"SHA-256","cost":1,"keyLength":32,"keyPrefix":"{}","nonce":"{}","salt":"{}"}}}}"#,
        "ff".repeat(16),
        "0a".repeat(16),
        "0b".repeat(16)
    );
    for (name, puzzle) in [("v1", v1), ("v2", v2)] {
        let start = std::time::Instant::now();
        assert_eq!(onsale_pow::solve_json(&puzzle, TRIES.into()).unwrap(), None);
        let rate = f64::from(TRIES) / start.elapsed().as_secs_f64();
        println!("{name}: {rate:.0} tries/s");
        assert!(rate > 100_000.0, "{name}: {rate:.0} tries/s");
    }
}
