//! What shoppers say, line by line: asked, answered, and what comes then.

use super::{Flow, Scene, Shopper, Want, nanos};
use crate::deal::{Act, Basket};
use crate::persona::{self, PERSONAS};
use onsale_client::{Answer, Call, Client, RunContext, Secrets, Token};
use onsale_history::{
    BuyerId, CallKind, ChargeId, Class, HoldId, Label, Nanos, OpId, OrderId, SkuId, State,
};
use onsale_plan::{Sale, Target};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

static CLIENT: LazyLock<Client> = LazyLock::new(|| {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads/targets/reference.yaml");
    let target = Target::parse(&file, &std::fs::read_to_string(&file).unwrap()).unwrap();
    let context = RunContext {
        run: "run-1".into(),
        event: "event-1".into(),
        target_url: "http://127.0.0.1:9".into(),
        psp_url: "http://127.0.0.1:9".into(),
        seed: 1,
        epoch_unix_ms: 1_700_000_000_000,
        sale: onsale_client::sale_values(&Sale::default(), 1_700_000_000_000),
        secrets: Secrets::resolve(&target, |name| Some(name.into())).unwrap(),
    };
    Client::compile(&target, &context).unwrap()
});

fn scene(queue: bool) -> Scene {
    Scene {
        deal: persona::tests::deal(),
        opens: nanos(Duration::from_secs(2)),
        queue,
        puzzle: true,
        poll_every: Duration::from_millis(500),
        keys_each: 96,
    }
}

/// A shopper, a clock, and the operations so far.
struct Stage {
    scene: Scene,
    shopper: Shopper,
    now: Nanos,
    ops: usize,
}

/// A turn of the shopper: what it says, and the call to answer.
enum Turn {
    Sleeps(String),
    Asks(String, Call),
    Ends,
}

impl Stage {
    fn of(persona: &str, seed: u64, number: u32, queue: bool) -> Self {
        let scene = scene(queue);
        let persona = persona::by_name(persona).unwrap();
        let buyer = CLIENT.buyer(BuyerId::from_index(number as usize));
        let shopper = Shopper::new(number, persona, buyer, &scene, seed);
        Self { scene, shopper, now: nanos(Duration::from_secs(1)), ops: 0 }
    }

    fn with(acts: Vec<Act>, queue: bool) -> Self {
        let mut stage = Self::of("human", 1, 0, queue);
        stage.shopper.program = acts.into();
        stage.shopper.begin();
        stage
    }

    fn turn(&mut self) -> Turn {
        let steal = || Some(Arc::from("stolen"));
        match self.shopper.want(self.now, self.now, &self.scene, steal) {
            Want::Nothing => Turn::Ends,
            Want::Sleep(until) => {
                let pause = until.minus(self.now);
                self.now = until;
                Turn::Sleeps(format!("sleep {} ms", pause.0 / 1_000_000))
            }
            Want::Ask { call, twice, .. } => {
                Turn::Asks(asked(&call) + if twice { " twice" } else { "" }, *call)
            }
        }
    }

    fn answer(&mut self, call: &Call, words: &str) -> String {
        let mut answer = answer(words);
        answer.op = OpId::from_index(self.ops);
        self.ops += 1;
        answer.start = self.now;
        self.now = self.now.plus(nanos(Duration::from_millis(10)));
        answer.end = self.now;
        let mut resolve = false;
        let flow = self.shopper.learn(call, &answer, &self.scene, &mut resolve);
        let then = match flow {
            Flow::After(Duration::ZERO) => String::new(),
            Flow::After(pause) => {
                self.now = self.now.plus(nanos(pause));
                match pause.as_millis() {
                    301..1_500 => "a while".into(),
                    ms => format!("{ms} ms"),
                }
            }
            Flow::Solve(_) => {
                self.shopper.puzzle = Some("solution".into());
                "solve".into()
            }
        };
        [then.as_str(), if resolve { "later" } else { "" }].join(" ").trim().to_owned()
    }
}

fn asked(call: &Call) -> String {
    let mut words = vec![call.kind.word().to_owned()];
    if call.label != Label::Ordinary {
        words.push(call.label.word().into());
    }
    words.extend(call.items.iter().map(|(sku, quantity)| format!("{}x{quantity}", sku.index())));
    words.extend(call.key.map(|key| format!("key-{}", key.index())));
    words.extend(call.link.map(|op| format!("op-{}", op.index())));
    words.extend(call.hold.map(|hold| format!("hold-{}", hold.index())));
    words.extend(call.order.map(|order| format!("order-{}", order.index())));
    words.extend(call.puzzle.clone());
    words.extend(match &call.token {
        Token::Own => None,
        Token::Absent => Some("absent".into()),
        Token::BadSignature => Some("bad-signature".into()),
        Token::AlgorithmNone => Some("algorithm-none".into()),
        Token::This(token) => Some(token.to_string()),
    });
    words.join(" ")
}

/// `ok hold-3`, `sold-out`, `ok confirmed`, …
fn answer(words: &str) -> Answer {
    let mut words = words.split(' ');
    let class = Class::from_word(words.next().unwrap()).unwrap();
    let mut answer = Answer {
        op: OpId::from_index(0),
        start: Nanos::ZERO,
        end: Nanos::ZERO,
        class,
        outcome: class.outcome(),
        status: 0,
        hold: None,
        order: None,
        charge: None,
        state: None,
        value: 0,
        lines: vec![],
        retry_after: None,
        challenge: None,
    };
    for word in words {
        match word.split_once('-').unwrap_or((word, "0")) {
            ("hold", index) => answer.hold = Some(HoldId::from_index(index.parse().unwrap())),
            ("order", index) => {
                answer.order = Some(OrderId::from_index(index.parse().unwrap()));
                answer.charge = Some(ChargeId::from_index(index.parse().unwrap()));
            }
            ("puzzle", _) => answer.challenge = Some("{}".into()),
            ("retry", seconds) => {
                answer.retry_after = Some(Duration::from_secs(seconds.parse().unwrap()));
            }
            _ => answer.state = Some(State::from_word(word).unwrap()),
        }
    }
    answer
}

/// Plays a transcript: a line is `asked | answer | then`, or `sleep …`; after the last one the shopper is done.
fn play(name: &str, mut stage: Stage, transcript: &str) {
    for line in transcript.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut parts = line.split('|').map(str::trim);
        let expected = parts.next().unwrap();
        match stage.turn() {
            Turn::Sleeps(said) => assert_eq!(said, expected, "{name}: at `{line}`"),
            Turn::Ends => panic!("{name}: the shopper is done before `{line}`"),
            Turn::Asks(said, call) => {
                assert_eq!(said, expected, "{name}: at `{line}`");
                let then = stage.answer(&call, parts.next().unwrap());
                assert_eq!(then, parts.next().unwrap_or(""), "{name}: after `{line}`");
            }
        }
    }
    if let Turn::Asks(said, _) | Turn::Sleeps(said) = stage.turn() {
        panic!("{name}: the shopper goes on with `{said}`");
    }
}

/// An act by its word in a transcript.
fn act(word: &str) -> Act {
    let basket = || Basket::of(vec![(SkuId::from_index(0), 2)]);
    match word {
        "landing" => Act::Landing,
        "enter" => Act::Enter { poll_faster: 1 },
        "until-opening" => Act::UntilOpening { before: Duration::from_millis(400) },
        "hold" => Act::Hold(basket()),
        "hold-patiently" => Act::Hold(Basket { patience: 2, ..basket() }),
        "hold-twice" => Act::Hold(Basket { twice: true, ..basket() }),
        "hold-replay" => Act::HoldAgain(Label::Replay),
        "hold-other-body" => Act::HoldAgain(Label::OtherBody),
        "chase" => {
            Act::Chase { sku: SkuId::from_index(3), every: Duration::from_millis(150), times: 5 }
        }
        "read-hold" => Act::ReadHold,
        "release" => Act::Release,
        "checkout" => Act::Checkout { label: Label::Ordinary, twice: false },
        "checkout-replay" => Act::Checkout { label: Label::Replay, twice: false },
        "pay" => Act::Pay { twice: false },
        "cancel" => Act::Cancel,
        "watch" => Act::Watch,
        _ => panic!("no act is called `{word}`"),
    }
}

#[test]
fn shoppers_follow_their_transcripts() {
    let transcripts = include_str!("transcripts.txt").split("\n# ").skip(1);
    for transcript in transcripts {
        let (name, rest) = transcript.split_once('\n').unwrap();
        let (acts, lines) = rest.split_once('\n').unwrap_or((rest, ""));
        let words = acts.split(' ').filter(|word| *word != "queue");
        let stage = Stage::with(words.map(act).collect(), acts.starts_with("queue "));
        play(name, stage, lines);
    }
}

/// A target that agrees to everything, after one look at the queue.
fn agree(call: &Call, asked_before: usize) -> String {
    match call.kind {
        CallKind::Challenge => "ok puzzle".into(),
        CallKind::Poll if asked_before.is_multiple_of(2) => "queued".into(),
        CallKind::Hold => format!("ok hold-{asked_before}"),
        CallKind::Checkout => format!("ok order-{asked_before}"),
        CallKind::ReadOrder => "ok confirmed".into(),
        _ => "ok".into(),
    }
}

/// A target that says anything at all.
fn whim(call: &Call, chance: &mut fastrand::Rng) -> String {
    const WHIMS: &[Class] = &[
        Class::Timeout,
        Class::Busy,
        Class::Denied,
        Class::Expired,
        Class::SoldOut,
        Class::Conflict,
        Class::Declined,
        Class::Unreachable,
        Class::Error,
        Class::Pending,
        Class::Queued,
        Class::Limit,
    ];
    if chance.bool() {
        return agree(call, chance.usize(..100));
    }
    WHIMS[chance.usize(..WHIMS.len())].word().into()
}

/// All that a shopper asks, until it is done.
fn calls(mut stage: Stage, mut say: impl FnMut(&Call, usize) -> String) -> Vec<(String, Label)> {
    let mut calls = vec![];
    for _ in 0..20_000 {
        match stage.turn() {
            Turn::Ends => return calls,
            Turn::Sleeps(_) => {}
            Turn::Asks(said, call) => {
                let words = say(&call, calls.len());
                let _then = stage.answer(&call, &words);
                calls.push((said, call.label));
            }
        }
    }
    panic!("{} never comes to an end", stage.shopper.persona.name);
}

#[test]
fn attackers_attack_under_their_labels() {
    for (persona, expected) in [
        (
            "forger",
            vec![
                "join no-puzzle",
                "join forged-puzzle",
                "hold forged-token bad-signature",
                "hold forged-token algorithm-none",
                "hold no-token absent",
                "hold bad-quantity",
                "hold bad-quantity",
            ],
        ),
        (
            "replayer",
            vec!["join reused-puzzle", "hold replayed-token stolen", "hold expired-token"],
        ),
        ("sniper", vec!["hold early absent", "hold no-token absent"]),
        ("scalper", vec!["hold over-limit"]),
        ("retrier", vec!["hold replay", "hold other-body", "checkout replay", "hold replay"]),
    ] {
        let all = calls(Stage::of(persona, 3, 7, true), agree);
        let attacks: Vec<&(String, Label)> =
            all.iter().filter(|(_, label)| *label != Label::Ordinary).collect();
        assert_eq!(attacks.len(), expected.len(), "{persona}: {attacks:?}");
        for ((said, _), expected) in attacks.iter().zip(expected) {
            for word in expected.split(' ') {
                assert!(said.split(' ').any(|other| other == word), "{persona}: `{said}`: {word}");
            }
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_shoppers() {
    let first = |seed: u64| -> Vec<Vec<String>> {
        let shopper = |number: u32| {
            let persona = PERSONAS[number as usize % PERSONAS.len()];
            let mut mood = fastrand::Rng::with_seed(u64::from(number));
            let all =
                calls(Stage::of(persona.name, seed, number, true), |call, _| whim(call, &mut mood));
            all.into_iter().take(50).map(|(said, _)| said).collect()
        };
        (0..200).map(shopper).collect()
    };
    let (once, again, other) = (first(7), first(7), first(8));
    assert_eq!(once, again);
    let differ = once.iter().zip(&other).filter(|(one, other)| one != other).count();
    assert!(differ > 100, "only {differ} of 200 shoppers differ under another seed");
}

#[test]
fn every_shopper_comes_to_an_end_whatever_the_target_says() {
    for persona in PERSONAS {
        for number in 0..100 {
            let mut mood = fastrand::Rng::with_seed(u64::from(number));
            let all = calls(Stage::of(persona.name, 5, number, number % 2 == 0), |call, _| {
                whim(call, &mut mood)
            });
            // No key serves two requests: it comes back only with a link to the first.
            let mut keys = BTreeSet::new();
            for (said, label) in &all {
                let key = said.split(' ').find(|word| word.starts_with("key-"));
                let linked = said.contains(" op-") || *label == Label::Replay;
                assert!(
                    linked || key.is_none_or(|key| keys.insert(key.to_owned())),
                    "{}: {said}",
                    persona.name
                );
            }
        }
    }
}

#[test]
fn a_sleeping_shopper_is_small() {
    // A million of them wait at once in the largest workloads.
    let size = size_of::<Shopper>();
    assert!(size <= 512, "a shopper takes {size} bytes");
    let program = (persona::by_name("forger").unwrap().program)(
        &persona::tests::deal(),
        &mut fastrand::Rng::with_seed(1),
    );
    assert!(size_of_val(program.as_slice()) <= 2_048);
}
