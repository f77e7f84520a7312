//! # idempotency-split
//!
//! **What it finds.** One idempotency key that made two things: two holds, or two orders.
//!
//! **Why it matters.** A retry after a timeout is what every careful client does; here it buys twice.
//!
//! **Evidence.** Acknowledged tries of one buyer with the same key and the same body that name different holds, or
//! checkouts with the same key that name different orders.
//!
//! **Example.** `hold A` with `key-7` answers `h0`; the same once more answers `h1`.
//!
//! **How it can be wrong.** Not, within the time for which the target remembers keys.
//!
//! **Cost.** Linear.

use super::Rule;
use crate::facts::{At, Facts};
use crate::{Anomaly, Finding, Groups, Story, Strength};
use onsale_history::{CallKind, KeyId, Label, Operation};

/// One key, two things.
#[derive(Debug)]
pub(crate) struct IdempotencySplit;

impl Rule for IdempotencySplit {
    fn name(&self) -> &'static str {
        "idempotency-split"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("idempotency_split.rs")
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        let keyed = |op: &Operation| {
            op.outcome().is_ok() && op.call.label != Label::OtherBody && thing(op).is_some()
        };
        let by_key = Groups::new(|| {
            facts.ops().filter_map(move |(at, op)| {
                op.call.key.filter(|_| keyed(op)).map(|key| (key.index(), at))
            })
        });
        for key in 0..by_key.len() {
            let tries = by_key.of(key);
            for (place, &at) in tries.iter().enumerate().skip(1) {
                let Some(&first) =
                    tries[..place].iter().find(|&&earlier| same_request(facts, earlier, at))
                else {
                    continue;
                };
                finding.occasions += 1;
                if thing(facts.op(first)) != thing(facts.op(at)) {
                    finding.violate(|| tell(facts, KeyId::from_index(key), first, at));
                }
            }
        }
        finding.note = format!("{} repeats of an acknowledged request", finding.occasions);
        finding
    }
}

/// What a request made.
fn thing(op: &Operation) -> Option<u32> {
    match op.kind() {
        CallKind::Hold => op.answer.hold.map(onsale_history::HoldId::raw),
        CallKind::Checkout => op.answer.order.map(onsale_history::OrderId::raw),
        _ => None,
    }
}

fn same_request(facts: &Facts<'_>, one: At, other: At) -> bool {
    let (a, b) = (facts.op(one), facts.op(other));
    a.kind() == b.kind()
        && a.call.buyer == b.call.buyer
        && a.call.hold == b.call.hold
        && facts.items(one).eq(facts.items(other))
}

fn tell(facts: &Facts<'_>, key: KeyId, first: At, second: At) -> Anomaly {
    let name = facts.key_name(key);
    let op = facts.op(second);
    Story::new(
        facts,
        "idempotency-split",
        op.end.max(facts.op(first).end),
        format!("`{name}` made two things"),
    )
    .step(format!("once: {}", facts.tell(first)))
    .step(format!("and with the same key and body: {}", facts.tell(second)))
    .step("one key stands for one thing: a contradiction")
    .edge(first, second, "the same key, buyer and body")
    .end()
}
