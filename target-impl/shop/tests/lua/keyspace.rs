use onsale_shop::admission::{EmbeddedStore, Reply};
use onsale_shop::defect::Defects;

async fn eval(source: &'static str, keys: &[&str]) -> Reply {
    let store = EmbeddedStore::start(Defects::default());
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    store.eval(source, keys, vec!["x".into(), "2".into()]).await.unwrap()
}

fn array(items: &[Reply]) -> Reply {
    Reply::Array(items.to_vec())
}

#[tokio::test]
async fn values_cross_between_lua_and_the_store_as_in_redis() {
    let int = Reply::Integer;
    let cases: Vec<(&str, Reply)> = vec![
        ("return 3.9", int(3)),
        ("return {1, 'two', false, 4}", array(&[int(1), Reply::text("two"), Reply::Nil, int(4)])),
        ("return {1, nil, 3}", array(&[int(1)])),
        ("return redis.call('GET', KEYS[1])", Reply::Nil),
        ("return redis.call('GET', KEYS[1]) == false", int(1)),
        ("return redis.call('SET', KEYS[1], 'v')", Reply::Status("OK".into())),
        (
            "redis.call('SET', KEYS[1], 'v'); return redis.call('SET', KEYS[1], 'w', 'NX')",
            Reply::Nil,
        ),
        (
            "return redis.call('INCRBY', KEYS[1], ARGV[2]) + redis.call('DECRBY', KEYS[1], 5)",
            int(-1),
        ),
        ("return {err = 'NO'}", Reply::Error("NO".into())),
        ("return redis.call('HMGET', KEYS[1], 'a', 'b')", array(&[Reply::Nil, Reply::Nil])),
        (
            "redis.call('HSET', KEYS[1], 'a', 1, 'b', 2); return redis.call('HINCRBY', KEYS[1], 'b', -3)",
            int(-1),
        ),
        ("redis.call('SADD', KEYS[1], 'a', 'a', 'b'); return redis.call('SCARD', KEYS[1])", int(2)),
        (
            "redis.call('SADD', KEYS[1], 'a'); redis.call('SREM', KEYS[1], 'a'); return redis.call('EXISTS', KEYS[1])",
            int(0),
        ),
        (
            "redis.call('ZADD', KEYS[1], 2, 'b', 1, 'a'); return redis.call('ZSCORE', KEYS[1], 'b')",
            Reply::text("2"),
        ),
        (
            "redis.call('ZADD', KEYS[1], 2, 'b', 1, 'a', 3, 'c'); return redis.call('ZRANGEBYSCORE', KEYS[1], '(1', '+inf', 'LIMIT', 0, 1)",
            array(&[Reply::text("b")]),
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(eval(source, &["k"]).await, expected, "{source}");
    }
}

#[tokio::test]
async fn errors_have_the_texts_of_redis() {
    let cases = [
        ("return redis.call('NOPE', KEYS[1])", "ERR unknown command 'nope'"),
        ("return redis.call('GET')", "ERR wrong number of arguments for 'get' command"),
        (
            "redis.call('SADD', KEYS[1], 'a'); return redis.call('GET', KEYS[1])",
            "WRONGTYPE Operation against a key",
        ),
        (
            "redis.call('SET', KEYS[1], 'a'); return redis.call('INCRBY', KEYS[1], 1)",
            "ERR value is not an integer or out of range",
        ),
        (
            "redis.call('HSET', KEYS[1], 'f', 'a'); return redis.call('HINCRBY', KEYS[1], 'f', 1)",
            "ERR hash value is not an integer",
        ),
        ("return redis.call('ZADD', KEYS[1], 'a', 'm')", "ERR value is not a valid float"),
        ("return redis.pcall('GET')", "ERR wrong number of arguments for 'get' command"),
        ("new_global = 1", "global variable 'new_global'"),
        ("return os.time()", "global variable 'os'"),
    ];
    for (source, expected) in cases {
        let Reply::Error(message) = eval(source, &["k"]).await else {
            panic!("no error: {source}")
        };
        assert!(message.contains(expected), "{source}: {message}");
    }
}

#[tokio::test]
async fn undeclared_keys_and_keys_of_several_slots_are_refused() {
    let Reply::Error(message) = eval("return redis.call('GET', 'other')", &["k"]).await else {
        panic!("no error")
    };
    assert!(message.contains("undeclared key 'other'"), "{message}");
    let Reply::Error(message) = eval("return 1", &["a", "b"]).await else { panic!("no error") };
    assert!(message.starts_with("CROSSSLOT"), "{message}");
    assert_eq!(eval("return 1", &["{t}a", "{t}b"]).await, Reply::Integer(1));
}

#[tokio::test]
async fn what_a_script_did_before_an_error_stays_done_as_in_redis() {
    let store = EmbeddedStore::start(Defects::default());
    let run = |source| store.eval(source, vec!["k".into()], Vec::new());
    assert!(matches!(
        run("redis.call('SET', KEYS[1], 'v'); redis.call('NOPE')").await,
        Some(Reply::Error(_))
    ));
    assert_eq!(run("return redis.call('GET', KEYS[1])").await, Some(Reply::text("v")));
}
