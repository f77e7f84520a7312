//! What is sold, and how unkind the world is. All times are simulated milliseconds.

use crate::Defect;
use fastrand::Rng;
use onsale_history::{
    ConfirmPolicy, LateCapture, Nanos, QueueFacts, QueueMethod, SaleFacts, SkuFacts, SkuRole,
    SoldOutPolicy, Wave,
};

/// What is sold, and how unkind the world is; shares are in percent.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The sale as the header tells it; the safe shop keeps to it.
    pub facts: SaleFacts,
    /// Shoppers.
    pub buyers: usize,
    /// Steps that a shopper takes at most.
    pub steps: u64,
    /// Shoppers begin within so many milliseconds.
    pub arrivals: u64,
    /// Longest way to the shop, and back.
    pub latency: u64,
    /// How long a shopper waits for an answer.
    pub timeout: u64,
    /// How long after its timeout a lost request may still land.
    pub straggle: u64,
    /// Longest gap between two probes of the ring.
    pub probe_gap: u64,
    /// Longest time from confirmation to capture.
    pub capture: u64,
    /// After so long an unpaid attempt is cancelled at the provider.
    pub pay_window: u64,
    /// Shortest time between two batches of admissions; follows from the facts of the queue.
    pub batch_every: u64,
    /// A position that was not asked for so long is lost.
    pub abandon_after: u64,
    /// Requests that are lost on their way.
    pub lost: u64,
    /// Calls that are attacks.
    pub attacks: u64,
    /// Webhooks and payments that go wrong in some way.
    pub trouble: u64,
}

fn ms(value: u64) -> Nanos {
    Nanos::from_millis(value)
}

impl Plan {
    /// A small sale: 1 or 2 SKUs, a handful of shoppers, every policy at random.
    pub fn small(rng: &mut Rng) -> Self {
        let ttl = rng.u64(20..80);
        let grace = rng.u64(2..20);
        let earliness = rng.u64(0..4);
        let lag = rng.u64(0..=grace.min(4));
        let skus = (0..rng.usize(1..=2)).map(|index| Self::sku(rng, index)).collect::<Vec<_>>();
        let sharded = skus.iter().any(|sku| sku.shards > 1);
        let sold_out = match (sharded, rng.u8(0..3)) {
            (true, _) => SoldOutPolicy::ShardLocal,
            (false, 0) => SoldOutPolicy::Stale(ms(rng.u64(0..8))),
            (false, _) => SoldOutPolicy::Exact,
        };
        let (late_capture, confirm) = match rng.u8(0..4) {
            0 => (LateCapture::Rehold, ConfirmPolicy::Reacquire),
            _ => (LateCapture::Refund, ConfirmPolicy::Strict),
        };
        let batch_every = rng.u64(5..30);
        let burst = rng.u32(1..4);
        let queue = rng.bool().then(|| QueueFacts {
            method: if rng.u8(0..6) == 0 { QueueMethod::Lottery } else { QueueMethod::Fifo },
            rate: f64::from(burst) * 1000.0 / f64::from(u32::try_from(batch_every).expect("small")),
            burst,
        });
        let facts = SaleFacts {
            skus,
            opens: ms(if rng.bool() { 0 } else { rng.u64(0..20) }),
            ttl: ms(ttl),
            earliness: ms(earliness),
            grace: ms(grace),
            clock_error: Nanos::ZERO,
            release_lag: ms(lag),
            confirm,
            checkout_extends: rng.u8(0..4) > 0,
            late_capture,
            sold_out,
            account_limit: Some(rng.u32(2..5)),
            instrument_limit: Some(rng.u32(2..6)),
            queue,
            price: 100,
            currency: "eur".into(),
        };
        Self {
            facts,
            buyers: rng.usize(2..8),
            steps: rng.u64(2..12),
            arrivals: rng.u64(1..60),
            latency: rng.u64(1..8),
            timeout: rng.u64(15..40),
            straggle: rng.u64(0..60),
            probe_gap: rng.u64(0..5),
            capture: rng.u64(1..ttl * 2),
            pay_window: rng.u64(ttl / 2..ttl * 2),
            batch_every,
            abandon_after: rng.u64(30..200),
            lost: rng.u64(0..15),
            attacks: rng.u64(0..12),
            trouble: rng.u64(0..40),
        }
    }

    /// A larger sale for figures and for rules that need many occasions: one hot SKU on shards, and canaries.
    pub fn large(rng: &mut Rng, buyers: usize) -> Self {
        let mut plan = Self::small(rng);
        let stock = u32::try_from(buyers / 10 + 4).expect("a sale has fewer than 2^32 shoppers");
        let hot = SkuFacts {
            name: "hot".into(),
            capacity: stock,
            shards: 4,
            role: SkuRole::Hot,
            waves: vec![],
        };
        let canary = |index: u32| SkuFacts {
            name: format!("canary-{index}"),
            capacity: 1 + index % 2,
            shards: 1,
            role: SkuRole::Canary,
            waves: vec![],
        };
        plan.facts.skus = std::iter::once(hot).chain((0..stock / 10 + 2).map(canary)).collect();
        plan.facts.sold_out = SoldOutPolicy::ShardLocal;
        plan.buyers = buyers;
        plan.steps = 16;
        plan.arrivals = buyers as u64;
        plan
    }

    /// A small sale in which `defect` has something to bite on.
    pub fn provoking(rng: &mut Rng, defect: Defect) -> Self {
        let mut plan = Self::small(rng);
        plan.buyers = rng.usize(4..10);
        plan.steps = rng.u64(6..16);
        plan.attacks = 25;
        plan.trouble = 40;
        match defect {
            Defect::LifoBatch | Defect::AdmissionBurst => plan.crowd_the_room(),
            Defect::TokenUnbound
            | Defect::ExpiredTokenAccepted
            | Defect::ForgedTokenAccepted
            | Defect::UnguardedRoute
            | Defect::PuzzleReusable
            | Defect::PuzzleUnchecked => plan.open_the_room(),
            Defect::NoRingFallback => {
                for sku in &mut plan.facts.skus {
                    sku.shards = 2;
                }
                plan.facts.sold_out = SoldOutPolicy::ShardLocal;
                plan.facts.queue = None;
            }
            Defect::LimitCheckThenAct => {
                plan.facts.account_limit = Some(1);
                plan.facts.queue = None;
            }
            Defect::OpensEarly => {
                plan.facts.opens = ms(60);
                plan.facts.queue = None;
            }
            _ => plan.facts.queue = None,
        }
        plan
    }

    fn open_the_room(&mut self) {
        self.batch_every = 5;
        self.facts.queue = Some(QueueFacts { method: QueueMethod::Fifo, rate: 600.0, burst: 3 });
    }

    fn crowd_the_room(&mut self) {
        self.batch_every = 40;
        self.facts.queue = Some(QueueFacts { method: QueueMethod::Fifo, rate: 25.0, burst: 1 });
        self.abandon_after = 400;
        self.buyers = 12;
    }

    fn sku(rng: &mut Rng, index: usize) -> SkuFacts {
        let shards = if rng.bool() { 1 } else { rng.u32(2..=3) };
        let capacity = rng.u32(1..=4).max(shards);
        let role = match (shards, capacity) {
            (1, 1) if rng.bool() => SkuRole::Seat,
            (1, _) if rng.bool() => SkuRole::Canary,
            _ => SkuRole::Hot,
        };
        let mut waves = vec![];
        if role == SkuRole::Hot && capacity > 1 && rng.u8(0..3) == 0 {
            let first = rng.u32(1..capacity);
            waves.push(Wave { at: ms(0), units: first });
            waves.push(Wave { at: ms(rng.u64(10..100)), units: capacity });
        }
        SkuFacts { name: format!("sku-{index}"), capacity, shards, role, waves }
    }
}
