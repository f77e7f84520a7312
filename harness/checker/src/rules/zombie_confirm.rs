//! # zombie-confirm
//!
//! **What it finds.** A hold that its owner had given back, checked out or confirmed all the same.
//!
//! **Why it matters.** The unit is on sale again: it will be sold twice, or the shopper pays for what was returned.
//!
//! **Evidence.** A definite answer to a release or a cancel, and after it: a checkout that began later and was accepted
//! as something new (not the answer of an earlier checkout once more), or a read that began later and shows `confirmed`.
//!
//! **Example.** `h0` is released by 10 ms; its checkout begins at 12 ms and answers `o0`.
//!
//! **How it can be wrong.** Not. A cancel that was only accepted (202) does not count as done.
//!
//! **Cost.** Linear.

use super::Rule;
use crate::facts::{At, Facts, Lease, millis};
use crate::{Anomaly, Finding, Story, Strength};
use onsale_history::{CallKind, LateCapture, Nanos, State};

/// Given back, and confirmed all the same.
#[derive(Debug)]
pub(crate) struct ZombieConfirm;

impl Rule for ZombieConfirm {
    fn name(&self) -> &'static str {
        "zombie-confirm"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("zombie_confirm.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn implies(&self) -> &'static [&'static str] {
        &["overcommit", "resurrected-stock"]
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        for lease in &facts.leases {
            let Some(back) = given_back(facts, lease) else { continue };
            let done = facts.op(back).end;
            let later = || checkouts(facts, lease).filter(|&at| facts.op(at).start > done);
            finding.occasions +=
                later().filter(|&at| !facts.op(at).outcome().is_indeterminate()).count() as u64;
            if let Some(at) = later().find(|&at| is_new(facts, lease, at)) {
                finding.violate(|| tell(facts, lease, back, at, "was checked out"));
            } else if let Some(read) = confirmed_after(facts, lease, back) {
                finding.violate(|| tell(facts, lease, back, read, "was confirmed"));
            } else if facts.times.final_reads.is_none() {
                unsettled(facts, later(), &mut finding);
            }
        }
        finding.note = format!("{} checkouts of holds that had been given back", finding.occasions);
        finding
    }
}

fn unsettled(facts: &Facts<'_>, later: impl Iterator<Item = At>, finding: &mut Finding) {
    for at in later.filter(|&at| facts.op(at).outcome().is_indeterminate()) {
        finding.unsettled(facts.op(at).id);
        finding.undecided.get_or_insert_with(|| {
            "a checkout after a release has no answer, and nobody read what became of it".to_owned()
        });
    }
}

/// A read that began after a lease had been given back, and shows it confirmed. Where late money may take a unit again,
/// only a lease that was certainly alive when it was given back stays so: one that had expired may lawfully return.
fn confirmed_after(facts: &Facts<'_>, lease: &Lease, back: At) -> Option<At> {
    let done = facts.op(back).end;
    let may_return = facts.sale.late_capture == LateCapture::Rehold && done >= lease.expires;
    let (_, _, (_, read)) = lease.confirmed.filter(|_| !may_return)?;
    (facts.op(read).start > done).then_some(read)
}

/// The first definite release or cancel of a lease.
fn given_back(facts: &Facts<'_>, lease: &Lease) -> Option<At> {
    let of_orders = facts
        .orders_of_hold(lease.hold)
        .iter()
        .flat_map(|&order| facts.ops_of_order(order as usize));
    let all = facts.ops_of_hold(lease.hold).iter().chain(of_orders).copied();
    let done = all.filter(|&at| {
        let op = facts.op(at);
        let over = op.answer.state.is_none_or(|state| {
            matches!(state, State::Cancelled | State::Refunding | State::Refunded)
        });
        matches!(op.kind(), CallKind::Release | CallKind::Cancel)
            && op.outcome().is_ok()
            && op.answer.status != 202
            && over
    });
    done.min_by_key(|&at| facts.op(at).end)
}

/// The checkouts of a lease, in the order of their starts.
pub(crate) fn checkouts<'f>(facts: &'f Facts<'_>, lease: &Lease) -> impl Iterator<Item = At> + 'f {
    let is_checkout = |at: &At| facts.op(*at).kind() == CallKind::Checkout;
    facts.ops_of_hold(lease.hold).iter().copied().filter(is_checkout)
}

/// Was a checkout accepted as something new, not as the answer of an earlier one once more?
pub(crate) fn is_new(facts: &Facts<'_>, lease: &Lease, at: At) -> bool {
    let op = facts.op(at);
    let same = |other: &At| {
        let other = facts.op(*other);
        let may_have = other.outcome().is_ok() || other.outcome().is_indeterminate();
        let one_key = other.call.key.is_some() && other.call.key == op.call.key;
        let one_order = other.answer.order.is_some() && other.answer.order == op.answer.order;
        may_have && (one_key || one_order || other.outcome().is_indeterminate())
    };
    op.outcome().is_ok()
        && !checkouts(facts, lease).take_while(|&other| other != at).any(|other| same(&other))
}

fn tell(facts: &Facts<'_>, lease: &Lease, back: At, after: At, what: &str) -> Anomaly {
    let hold = facts.hold_name(lease.hold);
    let (done, op) = (facts.op(back).end, facts.op(after));
    let margin: Nanos = op.start.minus(done);
    Story::new(
        facts,
        "zombie-confirm",
        op.end,
        format!("{hold} was given back by {} and {what} afterwards", millis(done)),
    )
    .step(format!("it was granted: {}", facts.tell(lease.grant)))
    .step(format!("its owner gave it back: {}", facts.tell(back)))
    .step(format!("{} later: {}: a contradiction", millis(margin), facts.tell(after)))
    .op(lease.grant)
    .edge(back, after, "answered before the other began")
    .margin(margin)
    .end()
}
