//! # idempotency-payload
//!
//! **What it finds.** A key that had made something, used again with another body, and accepted.
//!
//! **Why it matters.** Either the shopper gets what the first body said and believes in the second, or the key protects
//! nothing.
//!
//! **Evidence.** Tries labelled `other-body` that began after an acknowledged try with the same key had ended, and their
//! answers. A key whose first try was refused is free again, so it is no occasion.
//!
//! **Example.** `key-7` made `h0` with `hold A`; `hold A x2` with `key-7` is accepted.
//!
//! **How it can be wrong.** Not.
//!
//! **Cost.** Linear.

use super::Rule;
use crate::facts::{At, Facts};
use crate::{Finding, Story, Strength};
use onsale_history::{CallKind, Label, Operation};

/// One key, two bodies.
#[derive(Debug)]
pub(crate) struct IdempotencyPayload;

impl Rule for IdempotencyPayload {
    fn name(&self) -> &'static str {
        "idempotency-payload"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("idempotency_payload.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        for (at, op) in facts
            .ops()
            .filter(|(_, op)| op.call.label == Label::OtherBody && op.kind() == CallKind::Hold)
        {
            let Some(first) = made(facts, at, op) else { continue };
            if op.outcome().is_indeterminate() {
                continue;
            }
            finding.occasions += 1;
            if op.outcome().is_ok() {
                finding.violate(|| {
                    let key = op.call.key.map(|key| facts.key_name(key)).unwrap_or_default();
                    Story::new(
                        facts,
                        self.name(),
                        op.end,
                        format!("`{key}` was accepted with another body"),
                    )
                    .step(format!("the key had made something: {}", facts.tell(first)))
                    .step(format!("then with another body: {}: a contradiction", facts.tell(at)))
                    .edge(first, at, "the same key, acknowledged before the other began")
                    .margin(op.start.minus(facts.op(first).end))
                    .end()
                });
            }
        }
        finding.note = format!("{} keys were tried with another body", finding.occasions);
        finding
    }
}

/// The acknowledged try with the same key, by the same buyer and with a different body, that ended before.
fn made(facts: &Facts<'_>, at: At, op: &Operation) -> Option<At> {
    let tries = facts.holds_of_key(op.call.key?);
    tries.iter().copied().find(|&first| {
        let earlier = facts.op(first);
        earlier.outcome().is_ok()
            && earlier.end < op.start
            && earlier.call.buyer == op.call.buyer
            && !facts.items(first).eq(facts.items(at))
    })
}
