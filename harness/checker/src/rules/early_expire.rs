//! # early-expire
//!
//! **What it finds.** A hold that was called expired before its time can have been over.
//!
//! **Why it matters.** The shopper's countdown still runs, and the seat is gone.
//!
//! **Evidence.** A checkout, a release or a read of the hold by its owner that ended before the earliest instant at which
//! the hold can have expired (the start of the first try with its key, plus the ttl, less the tolerated earliness), and
//! was answered *expired*; nobody had begun to give it back or to pay for it by then.
//!
//! **Example.** `h0` of 60 s is asked for at 0 ms and acknowledged by 5 ms; at 15,000 ms its checkout is *expired*.
//!
//! **How it can be wrong.** Not, if the tolerated earliness covers the target's payment window.
//!
//! **Cost.** Linear.

use super::Rule;
use crate::facts::{At, Facts, Lease, millis};
use crate::{Finding, Story, Strength};
use onsale_history::{CallKind, Class, Nanos, Operation, Outcome, State};

/// Expired before its time.
#[derive(Debug)]
pub(crate) struct EarlyExpire;

impl Rule for EarlyExpire {
    fn name(&self) -> &'static str {
        "early-expire"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("early_expire.rs")
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
                if !is_expired(op) {
                    continue;
                }
                let hold = facts.hold_name(lease.hold);
                let margin = lease.expires.minus(op.end);
                finding.violate(|| {
                    Story::new(
                        facts,
                        self.name(),
                        op.end,
                        format!("{hold} was called expired {} before it could be", millis(margin)),
                    )
                    .step(format!(
                        "it cannot have been granted before {}: {}",
                        millis(lease.asked),
                        facts.tell(lease.grant)
                    ))
                    .step(format!("so it could not expire before {}", millis(lease.expires)))
                    .step(format!("however: {}: a contradiction", facts.tell(at)))
                    .edge(lease.grant, at, "less than the promised life lies between")
                    .margin(margin)
                    .end()
                });
                break;
            }
        }
        finding.note = format!("{} answers about holds within their time", finding.occasions);
        finding
    }
}

fn is_expired(op: &Operation) -> bool {
    match op.outcome() {
        Outcome::Failed(class) => class == Class::Expired,
        Outcome::Ok => op.kind() == CallKind::ReadHold && op.answer.state == Some(State::Expired),
        Outcome::Indeterminate(_) => false,
    }
}

/// Definite answers to a lease's owner about it that lie wholly within its life, before anything was begun that may end it.
pub(crate) fn live<'f>(facts: &'f Facts<'_>, lease: &'f Lease) -> impl Iterator<Item = At> + 'f {
    let touched = touched(facts, lease);
    facts.ops_of_hold(lease.hold).iter().copied().filter(move |&at| {
        let op = facts.op(at);
        let about =
            matches!(op.kind(), CallKind::Checkout | CallKind::Release | CallKind::ReadHold);
        about
            && op.call.hold == Some(lease.hold)
            && op.call.buyer == lease.buyer
            && !op.outcome().is_indeterminate()
            && op.start > lease.acknowledged
            && op.end < lease.expires
            && op.end < touched(at)
    })
}

/// When something was begun, by another operation than this one, that may end a lease or turn it into something else.
fn touched<'f>(facts: &'f Facts<'_>, lease: &'f Lease) -> impl Fn(At) -> Nanos + 'f {
    move |but| {
        let ops = facts
            .ops_of_hold(lease.hold)
            .iter()
            .copied()
            .filter(|&at| at != but)
            .map(|at| facts.op(at));
        let may_end = ops.filter(|op| {
            matches!(op.kind(), CallKind::Checkout | CallKind::Release | CallKind::Cancel)
                && (op.outcome().is_ok() || op.outcome().is_indeterminate())
        });
        may_end.map(|op| op.start).min().unwrap_or(Nanos::NEVER).min(lease.failed)
    }
}
