//! What is meant where a workload says nothing: a sale that is over in half a minute.

use super::{
    Arrival, Canaries, Expect, HoldPolicy, LateCapture, Load, Model, Phase, Psp, Puzzle,
    PuzzleScheme, Queue, QueueMethod, Sale, Sku, TokenAlgorithm, Workload,
};
use std::time::Duration;

pub(super) const fn one() -> u32 {
    1
}

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

impl Default for Workload {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            sale: Sale::default(),
            load: Load::default(),
            psp: Psp::default(),
            chaos: vec![],
            expect: Expect::default(),
            target: "targets/reference.yaml".to_owned(),
        }
    }
}

impl Default for Sale {
    fn default() -> Self {
        Self {
            event: "sale".to_owned(),
            title: "Flash sale".to_owned(),
            price: 4900,
            currency: "eur".to_owned(),
            opens_after: seconds(2),
            skus: vec![Sku { name: "ticket".to_owned(), stock: 100, shards: 1, waves: vec![] }],
            seats: 0,
            canaries: Canaries::default(),
            hold: HoldPolicy::default(),
            account_limit: 4,
            instrument_limit: 4,
            queue: Some(Queue::default()),
            puzzle: Puzzle::default(),
        }
    }
}

impl Default for Canaries {
    fn default() -> Self {
        Self { count: 20, stock: 1 }
    }
}

impl Default for HoldPolicy {
    fn default() -> Self {
        Self {
            ttl: seconds(4),
            earliness: Duration::ZERO,
            grace: seconds(2),
            release_lag: Duration::from_millis(500),
            late_capture: LateCapture::Refund,
            one_hold: false,
        }
    }
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            method: QueueMethod::Fifo,
            rate: 500.0,
            batch: 50,
            opens_before: seconds(2),
            abandon_after: seconds(8),
            token_ttl: seconds(6),
            poll_every: Duration::from_millis(500),
            token: TokenAlgorithm::EdDsa,
        }
    }
}

impl Default for Puzzle {
    fn default() -> Self {
        Self { scheme: PuzzleScheme::AltchaV2, cost: 1, max_number: 256 }
    }
}

impl Default for Load {
    fn default() -> Self {
        let all = [
            ("human", 40),
            ("refresher", 8),
            ("sniper", 8),
            ("scalper", 10),
            ("hoarder", 8),
            ("double-clicker", 8),
            ("retrier", 6),
            ("late-payer", 6),
            ("forger", 3),
            ("replayer", 3),
        ];
        Self {
            shoppers: 1000,
            arrival: vec![Phase { lasts: seconds(8), shape: Arrival::Poisson(1.0) }],
            personas: all.into_iter().map(|(name, weight)| (name.to_owned(), weight)).collect(),
            workers: 64,
            puzzle_threads: 1,
            timeout: seconds(2),
            attacks: 10,
            barrier: 0,
            limit: seconds(60),
            model: Model::Open,
        }
    }
}

impl Default for Psp {
    fn default() -> Self {
        Self {
            latency: (Duration::from_millis(20), Duration::from_millis(200)),
            slow: seconds(1),
            slow_share: 0.0,
            decline: 0.0,
            fail: 0.0,
            drop: 0.0,
            duplicate: 0.0,
            delay: 0.0,
            delay_by: seconds(1),
            reorder: 0.0,
            early: 0.0,
            forged: 0,
            stale: 0,
            wrong_amount: 0,
            answer_lost: 0.0,
            refund_fails: 0.0,
            capture_after_cancel: 0.0,
        }
    }
}

#[expect(
    clippy::derivable_impls,
    reason = "what is expected of nobody is said beside the other defaults"
)]
impl Default for Expect {
    fn default() -> Self {
        Self { rules: vec![], occasions: None, p99: None, achieved: None, unknown: None }
    }
}
