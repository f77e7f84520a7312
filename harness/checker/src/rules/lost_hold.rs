//! # lost-hold
//!
//! **What it finds.** An acknowledged hold that its owner was told does not exist, while it had to be alive.
//!
//! **Why it matters.** The shop said yes and forgot: the classic price of acknowledging before the write is safe.
//!
//! **Evidence.** The acknowledgement, and a later checkout, release or read by the same buyer that was answered
//! *not found* before the hold could lawfully expire; nobody had begun to give it back or to pay for it by then.
//!
//! **Example.** `h0` is acknowledged by 5 ms, the store fails over, and at 900 ms the checkout of `h0` is *not found*.
//!
//! **How it can be wrong.** Not.
//!
//! **Cost.** Linear.

use super::Rule;
use super::early_expire::live;
use crate::facts::{Facts, millis};
use crate::{Finding, Story, Strength};
use onsale_history::{Class, Outcome};

/// Acknowledged, and forgotten.
#[derive(Debug)]
pub(crate) struct LostHold;

impl Rule for LostHold {
    fn name(&self) -> &'static str {
        "lost-hold"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("lost_hold.rs")
    }
    fn implies(&self) -> &'static [&'static str] {
        &["early-reclaim", "overcommit"]
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        for lease in &facts.leases {
            for at in live(facts, lease) {
                let op = facts.op(at);
                finding.occasions += 1;
                if op.outcome() != Outcome::Failed(Class::NotFound) {
                    continue;
                }
                let hold = facts.hold_name(lease.hold);
                finding.violate(|| {
                    Story::new(
                        facts,
                        self.name(),
                        op.end,
                        format!("{hold} was acknowledged and then unknown"),
                    )
                    .step(format!(
                        "it was acknowledged by {}: {}",
                        millis(lease.acknowledged),
                        facts.tell(lease.grant)
                    ))
                    .step(format!("it could not end before {}", millis(lease.expires)))
                    .step(format!("however: {}: a contradiction", facts.tell(at)))
                    .edge(
                        lease.grant,
                        at,
                        "acknowledged before the other began, and alive until after it ended",
                    )
                    .margin(lease.expires.minus(op.end))
                    .end()
                });
                break;
            }
        }
        finding.note = format!("{} answers about holds within their time", finding.occasions);
        finding
    }
}
