//! Small histories of one SKU that nobody made sure are legal.

use fastrand::Rng;
use onsale_history::{
    BuyerId, CallKind, Class, Completion, ConfirmPolicy, Header, History, HoldId, Invocation,
    KeyId, Label, LateCapture, Memory, Nanos, Outcome, ProcessId, Record, SaleFacts, SkuFacts,
    SkuId, SkuRole, SoldOutPolicy,
};

/// What a small history may contain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Small {
    /// Refusals for lack of stock.
    pub refusals: bool,
    /// Holds that expire.
    pub leases: bool,
    /// More than one unit a hold.
    pub quantities: bool,
}

/// Operations at most.
const OPERATIONS: usize = 10;

/// Holds, releases and refusals at random instants: about half of the histories are illegal.
pub fn small_history(rng: &mut Rng, small: Small) -> History {
    let capacity = rng.u32(1..=4);
    let ttl = if small.leases { rng.u64(4..14) } else { 1_000_000 };
    let (earliness, grace) = (rng.u64(0..2), rng.u64(1..4));
    let mut calls = vec![];
    for index in 0..rng.usize(2..=OPERATIONS) {
        let start = rng.u64(0..30);
        let end = start + rng.u64(0..8);
        let quantity = if small.quantities { rng.u32(1..=2.min(capacity)) } else { 1 };
        let fate = match rng.u8(0..10) {
            0 => Outcome::Indeterminate(Class::Timeout),
            1..=3 if small.refusals => Outcome::Failed(Class::SoldOut),
            _ => Outcome::Ok,
        };
        let hold = fate.is_ok().then(|| HoldId::from_index(index));
        calls.push((start, end, CallKind::Hold, index, quantity, hold, fate));
        if let Some(hold) = hold.filter(|_| rng.u8(0..10) < 6) {
            let start = end + 1 + rng.u64(0..if small.leases { ttl / 2 } else { 12 });
            let fate = if rng.u8(0..6) == 0 {
                Outcome::Indeterminate(Class::Timeout)
            } else {
                Outcome::Ok
            };
            calls.push((
                start,
                start + rng.u64(0..8),
                CallKind::Release,
                index,
                0,
                Some(hold),
                fate,
            ));
        }
    }
    calls.sort_by_key(|call| call.0);
    let mut memory = Memory::default();
    for (start, end, kind, index, quantity, hold, fate) in calls {
        let call = Invocation {
            sku: (kind == CallKind::Hold).then(|| SkuId::from_index(0)),
            quantity,
            hold: hold.filter(|_| kind == CallKind::Release),
            key: (kind == CallKind::Hold).then(|| KeyId::from_index(index)),
            label: Label::Ordinary,
            ..Invocation::of(kind, ProcessId::from_index(index), BuyerId::from_index(index))
        };
        let op =
            memory.invoke(Nanos::from_millis(start), &call, &[]).expect("memory does not fail");
        let granted = hold.filter(|_| kind == CallKind::Hold);
        let answer = Completion { hold: granted, ..Completion::of(fate) };
        memory.complete(Nanos::from_millis(end), op, &answer, &[]).expect("memory does not fail");
    }
    let leases = small.leases.then_some((ttl, earliness, grace));
    memory.history(header(capacity, leases))
}

fn header(capacity: u32, leases: Option<(u64, u64, u64)>) -> Header {
    let (ttl, earliness, grace) =
        leases.map_or((Nanos::NEVER, Nanos::ZERO, Nanos::ZERO), |(ttl, earliness, grace)| {
            (Nanos::from_millis(ttl), Nanos::from_millis(earliness), Nanos::from_millis(grace))
        });
    let sku =
        SkuFacts { name: "sku-0".into(), capacity, shards: 1, role: SkuRole::Hot, waves: vec![] };
    Header {
        format: Header::FORMAT,
        run: "small".into(),
        workload: "small".into(),
        target: "chance".into(),
        harness: env!("CARGO_PKG_VERSION").into(),
        seed: 0,
        epoch_unix_ns: 0,
        sale: SaleFacts {
            skus: vec![sku],
            opens: Nanos::ZERO,
            ttl,
            earliness,
            grace,
            clock_error: Nanos::ZERO,
            release_lag: Nanos::ZERO,
            confirm: ConfirmPolicy::Strict,
            checkout_extends: true,
            late_capture: LateCapture::Refund,
            sold_out: SoldOutPolicy::Exact,
            account_limit: None,
            instrument_limit: None,
            queue: None,
            price: 100,
            currency: "eur".into(),
        },
        required: vec![],
    }
}
