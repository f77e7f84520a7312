//! # forged-webhook
//!
//! **What it finds.** A webhook that was not genuine and was accepted: signed by somebody else, or with a signature too old; or an
//! order that was confirmed on the word of such a webhook alone.
//!
//! **Why it matters.** Whoever can post to the webhook route prints tickets.
//!
//! **Evidence.** E1: the harness forges the deliveries, labels them `forged` and `stale`, and marks how each was answered. E0 and
//! E2: reads and lists that show the order as confirmed.
//!
//! **Example.** A delivery signed with a wrong secret is answered 200, and its order is confirmed without a capture.
//!
//! **How it can be wrong.** A target that answers 200 before it looks at the signature, and then ignores the event, is convicted: the
//! contract asks for another answer. Answers of 3xx and 5xx, and no answer, count for nothing.
//!
//! **Cost.** One pass over the marks and a join, O(n log n).

use crate::evidence::{Charge, Sent};
use crate::facts::millis;
use crate::{Facts, Finding, Rule, Story, Strength};
use onsale_history::{DeliveryId, DeliveryLabel, DeliveryStage, MarkId, MarkKind, Nanos, State};
use std::collections::BTreeSet;

/// The rule of this file.
pub(crate) struct ForgedWebhook;

impl Rule for ForgedWebhook {
    fn name(&self) -> &'static str {
        "forged-webhook"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("forged_webhook.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn implies(&self) -> &'static [&'static str] {
        &["free-ticket"]
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        let (mut refused, mut unclear) = (0_u64, 0_u64);
        let mut harmless = BTreeSet::new();
        for (index, mark) in facts.history.marks.iter().enumerate() {
            let MarkKind::Delivery { delivery, charge, label, stage, status, .. } = mark.kind
            else {
                continue;
            };
            if !is_attack(label) || stage == DeliveryStage::Sent || stage == DeliveryStage::Dropped
            {
                continue;
            }
            match status {
                200..=299 => finding.violate(|| {
                    let name =
                        charge.map_or("no payment".to_owned(), |charge| facts.charge_name(charge));
                    let sentence =
                        format!("a {label} webhook for {name} was accepted with status {status}");
                    Story::new(facts, self.name(), mark.at, sentence)
                        .step(format!("{delivery} was sent as `{label}` and must be refused"))
                        .step(format!("however it was answered {status} at {}", millis(mark.at)))
                        .mark(MarkId::from_index(index))
                        .end()
                }),
                400..=499 => {
                    refused += 1;
                    harmless.insert(delivery);
                }
                _ => unclear += 1,
            }
        }
        finding.occasions = refused + finding.violations;
        for charge in facts.ledger().charges.values().filter(|charge| charge.capture.is_none()) {
            self.judge_effect(facts, charge, &harmless, &mut finding);
        }
        finding.note = format!(
            "{refused} false webhooks refused, {unclear} answered by something else or not at all"
        );
        finding
    }
}

impl ForgedWebhook {
    /// An order that was confirmed after nothing but false webhooks that were not refused.
    fn judge_effect(
        &self,
        facts: &Facts<'_>,
        charge: &Charge,
        harmless: &BTreeSet<DeliveryId>,
        finding: &mut Finding,
    ) {
        let ledger = facts.ledger();
        let false_ones = charge
            .deliveries
            .iter()
            .filter(|sent| is_attack(sent.label) && !harmless.contains(&sent.delivery));
        let Some(&Sent { at: sent, mark, label, .. }) = false_ones.min_by_key(|sent| sent.at)
        else {
            return;
        };
        let Some(order) = charge.order.and_then(|id| ledger.orders.get(&id)) else { return };
        let otherwise_paid =
            ledger.captured_for(order).next().is_some() || ledger.has_stray_capture();
        if otherwise_paid || !ledger.complete {
            return;
        }
        let confirmed =
            order.shown.iter().filter(|shown| shown.state == State::Confirmed && shown.end > sent);
        let Some(&shown) = confirmed.min_by_key(|shown| shown.end) else { return };
        finding.occasions += 1;
        finding.violate(|| {
            let (name, buyer) = (facts.charge_name(charge.id), facts.buyer_name(shown.buyer));
            let sentence = format!(
                "an order of {buyer} was confirmed on a {label} webhook: {name} was never captured"
            );
            Story::new(facts, self.name(), shown.end, sentence)
                .step(format!(
                    "a `{label}` webhook for {name} was sent at {}; no money was ever taken",
                    millis(sent)
                ))
                .step(format!(
                    "however {buyer} was shown the order as confirmed by {}",
                    millis(shown.end)
                ))
                .margin(shown.end.minus(sent).max(Nanos::ZERO))
                .mark(mark)
                .op(shown.at)
                .end()
        });
    }
}

const fn is_attack(label: DeliveryLabel) -> bool {
    matches!(label, DeliveryLabel::Forged | DeliveryLabel::Stale)
}
