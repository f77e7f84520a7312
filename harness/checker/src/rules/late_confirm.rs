//! # late-confirm
//!
//! **What it finds.** A checkout that began after the hold's time and its grace were over, and was accepted.
//!
//! **Why it matters.** The unit may long be somebody else's; if it is not, the next time it will be.
//!
//! **Evidence.** The acknowledgement of the hold, its promised life, and a checkout that began later than both and the
//! grace together, and was answered by an order (not the answer of an earlier checkout once more). Where a checkout does
//! not keep a hold, also a payment that was captured as late and confirmed. Only where holds past their time cannot be
//! confirmed (`confirm: strict`).
//!
//! **Example.** `h0` lives 4 s and 2 s of grace from 5 ms on; its checkout begins at 7,000 ms and answers `o0`.
//!
//! **How it can be wrong.** Not, if the promises in the header are right.
//!
//! **Cost.** Linear.

use super::Rule;
use super::zombie_confirm::{checkouts, is_new};
use crate::facts::{Facts, Lease, millis};
use crate::{Anomaly, Finding, Story, Strength};
use onsale_history::{ConfirmPolicy, LateCapture, MarkId, Nanos};

/// Past its time, and accepted all the same.
#[derive(Debug)]
pub(crate) struct LateConfirm;

impl Rule for LateConfirm {
    fn name(&self) -> &'static str {
        "late-confirm"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("late_confirm.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn implies(&self) -> &'static [&'static str] {
        &["overcommit"]
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        if facts.sale.confirm != ConfirmPolicy::Strict {
            let note = "holds past their time may be confirmed here".to_owned();
            return Finding { note, ..finding };
        }
        for lease in &facts.leases {
            let over = over(facts, lease);
            for at in checkouts(facts, lease).filter(|&at| facts.op(at).start > over) {
                finding.occasions += u64::from(!facts.op(at).outcome().is_indeterminate());
                if is_new(facts, lease, at) {
                    let op = facts.op(at);
                    let hold = facts.hold_name(lease.hold);
                    finding.violate(|| {
                        Story::new(
                            facts,
                            self.name(),
                            op.end,
                            format!(
                                "{hold} was checked out {} after it was over",
                                millis(op.start.minus(over))
                            ),
                        )
                        .step(format!("it was granted: {}", facts.tell(lease.grant)))
                        .step(format!("with its grace it was over by {}", millis(over)))
                        .step(format!("after that: {}: a contradiction", facts.tell(at)))
                        .edge(lease.grant, at, "its life and its grace lie between")
                        .margin(op.start.minus(over))
                        .end()
                    });
                    break;
                }
            }
            if !facts.sale.checkout_extends && facts.sale.late_capture == LateCapture::Refund {
                late_money(facts, lease, over, &mut finding);
            }
        }
        finding.note = format!("{} checkouts of holds that were over", finding.occasions);
        finding
    }
}

/// When a lease and its grace are over, whatever happened.
fn over(facts: &Facts<'_>, lease: &Lease) -> Nanos {
    lease.acknowledged.plus(lease.promised).plus(facts.sale.grace).plus(facts.sale.clock_error)
}

fn late_money(facts: &Facts<'_>, lease: &Lease, over: Nanos, finding: &mut Finding) {
    let captures: Vec<(MarkId, Nanos)> = facts
        .charges_of_hold(lease.hold)
        .iter()
        .flat_map(|&index| &facts.charges[index as usize].captures)
        .map(|&(mark, at, _)| (mark, at))
        .collect();
    let Some(&(mark, at)) = captures.iter().min_by_key(|(_, at)| *at).filter(|(_, at)| *at > over)
    else {
        return;
    };
    finding.occasions += 1;
    let Some((_, _, (read, _))) = lease.confirmed else { return };
    finding.violate(|| tell_money(facts, lease, over, (mark, at), read));
}

fn tell_money(
    facts: &Facts<'_>,
    lease: &Lease,
    over: Nanos,
    money: (MarkId, Nanos),
    read: u32,
) -> Anomaly {
    let hold = facts.hold_name(lease.hold);
    let (mark, at) = money;
    let late = at.minus(over);
    Story::new(
        facts,
        "late-confirm",
        at,
        format!("{hold} was confirmed by money that came {} after it was over", millis(late)),
    )
    .step(format!("it was granted: {}", facts.tell(lease.grant)))
    .step(format!(
        "with its grace it was over by {}; its money came at {}",
        millis(over),
        millis(at)
    ))
    .step(format!("yet: {}: a contradiction", facts.tell(read)))
    .op(lease.grant)
    .op(read)
    .mark(mark)
    .margin(late)
    .end()
}
