//! The payment provider: attempts, captures, webhooks, refunds. What it marks is the truth about money.

use super::stock::Standing;
use super::world::{Event, World};
use crate::Defect;
use onsale_history::State;
use onsale_history::{
    ChargeId, ChargeStage, Class, Completion, DeliveryId, DeliveryKind, DeliveryLabel,
    DeliveryStage, HoldId, InstrumentId, MarkKind, OrderId, Outcome, RefundId, RefundStage,
};

/// Where an attempt stands at the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Created,
    Captured,
    Cancelled,
    Failed,
}

/// One payment attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge {
    pub(super) order: usize,
    pub(super) amount: u32,
    pub(super) stage: Stage,
    pub(super) instrument: Option<InstrumentId>,
    /// Confirmed by the shopper: a capture is on its way.
    pub(super) confirmed: bool,
    /// The shop knows that it was captured.
    pub(super) known: bool,
    /// It will be captured although it was cancelled.
    pub(super) betrayed: bool,
}

/// One attempt to deliver one event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Webhook {
    pub(super) delivery: usize,
    pub(super) charge: usize,
    pub(super) kind: DeliveryKind,
    pub(super) label: DeliveryLabel,
    pub(super) tries: u32,
}

impl World {
    /// Makes a payment attempt.
    pub(super) fn new_charge(&mut self, request: usize, hold: usize, order: usize) -> usize {
        let instrument = self.requests[request].call.instrument.or(self.holds[hold].instrument);
        let amount = self.plan.facts.price * self.holds[hold].quantity;
        let index = self.charges.len();
        let stage = Stage::Created;
        self.charges.push(Charge {
            order,
            amount,
            stage,
            instrument,
            confirmed: false,
            known: false,
            betrayed: false,
        });
        self.mark_charge(index, ChargeStage::Created);
        self.after(self.plan.pay_window, Event::Reconcile(index));
        if self.chance(self.plan.attacks) {
            let label = DeliveryLabel::Forged;
            self.new_webhook(index, DeliveryKind::Succeeded, label);
        }
        index
    }
    fn mark_charge(&self, charge: usize, stage: ChargeStage) {
        let row = &self.charges[charge];
        let order = &self.orders[row.order];
        self.mark(MarkKind::Charge {
            charge: ChargeId::from_index(charge),
            order: Some(OrderId::from_index(row.order)),
            hold: Some(HoldId::from_index(order.hold)),
            buyer: Some(order.buyer),
            instrument: row.instrument,
            amount: row.amount,
            stage,
        });
    }

    /// The shopper confirms the payment.
    pub(super) fn pay(&mut self, request: usize) {
        let call = self.requests[request].call;
        let Some(charge) =
            call.charge.map(ChargeId::index).filter(|&charge| charge < self.charges.len())
        else {
            return self.refuse(request, Class::NotFound);
        };
        let ok = Completion::of(Outcome::Ok);
        let Charge { stage, confirmed, .. } = self.charges[charge];
        match stage {
            Stage::Cancelled | Stage::Failed => self.refuse(request, Class::Conflict),
            Stage::Captured => self.reply(request, ok, vec![]),
            Stage::Created if confirmed => self.reply(request, ok, vec![]),
            Stage::Created if self.chance(self.plan.trouble / 4) => {
                self.mark_charge(charge, ChargeStage::Declined);
                self.refuse(request, Class::Declined);
            }
            Stage::Created => {
                self.charges[charge].confirmed = true;
                let delay = self.upto(self.plan.capture);
                self.after(delay, Event::Capture(charge));
                self.reply(request, ok, vec![]);
            }
        }
    }
    /// The money moves, or fails for good.
    pub(super) fn capture(&mut self, charge: usize) {
        let betrayed =
            self.charges[charge].stage == Stage::Cancelled && self.charges[charge].betrayed;
        if self.charges[charge].stage != Stage::Created && !betrayed {
            return;
        }
        if !betrayed && self.chance(self.plan.trouble / 8) {
            self.charges[charge].stage = Stage::Failed;
            self.mark_charge(charge, ChargeStage::Failed);
            return self.new_webhook(charge, DeliveryKind::PaymentFailed, DeliveryLabel::Genuine);
        }
        let mut label = DeliveryLabel::Genuine;
        if self.chance(self.plan.trouble / 4) {
            self.charges[charge].amount /= 2;
            label = DeliveryLabel::WrongAmount;
        }
        self.charges[charge].stage = Stage::Captured;
        self.mark_charge(charge, ChargeStage::Captured);
        self.new_webhook(charge, DeliveryKind::Succeeded, label);
        if self.chance(self.plan.attacks) {
            self.new_webhook(charge, DeliveryKind::Succeeded, DeliveryLabel::Stale);
        }
    }
    /// The shop cancels an attempt. Seldom it is captured all the same.
    pub(super) fn cancel_at_provider(&mut self, charge: usize) {
        if self.charges[charge].stage != Stage::Created {
            return;
        }
        self.charges[charge].stage = Stage::Cancelled;
        self.mark_charge(charge, ChargeStage::Cancelled);
        if self.charges[charge].confirmed && self.chance(self.plan.trouble / 4) {
            self.charges[charge].betrayed = true;
            let delay = self.upto(20);
            self.after(delay, Event::Capture(charge));
            self.after(60, Event::Reconcile(charge));
        }
    }

    fn new_webhook(&mut self, charge: usize, kind: DeliveryKind, label: DeliveryLabel) {
        let delivery = self.deliveries;
        self.deliveries += 1;
        let webhook = Webhook { delivery, charge, kind, label, tries: 0 };
        let genuine = matches!(label, DeliveryLabel::Genuine | DeliveryLabel::WrongAmount);
        let trouble = self.plan.trouble;
        if genuine && self.chance(trouble / 2) {
            return self.mark_delivery(webhook, DeliveryStage::Dropped, 0);
        }
        let (delay, label) = match self.rng.u8(0..8) {
            0 if label == DeliveryLabel::Genuine => (self.ttl(), DeliveryLabel::Delayed),
            _ => (self.upto(6), label),
        };
        self.after(delay, Event::Send(Webhook { label, ..webhook }));
        if genuine && self.chance(trouble) {
            let again = delay + self.upto(6);
            self.after(again, Event::Send(Webhook { label: DeliveryLabel::Duplicate, ..webhook }));
        }
    }
    fn mark_delivery(&self, webhook: Webhook, stage: DeliveryStage, status: u16) {
        self.mark(MarkKind::Delivery {
            delivery: DeliveryId::from_index(webhook.delivery),
            charge: Some(ChargeId::from_index(webhook.charge)),
            kind: webhook.kind,
            label: webhook.label,
            stage,
            status,
            amount: self.charges[webhook.charge].amount,
        });
    }
    /// A webhook leaves.
    pub(super) fn send_webhook(&mut self, webhook: Webhook) {
        self.mark_delivery(webhook, DeliveryStage::Sent, 0);
        let delay = self.upto(4);
        self.after(delay, Event::Deliver(webhook));
    }
    /// A webhook arrives, takes effect, and is answered, unless the answer is lost.
    pub(super) fn deliver(&mut self, webhook: Webhook) {
        let accepted = match webhook.label {
            DeliveryLabel::Forged => self.has(Defect::UnsignedWebhook),
            DeliveryLabel::Stale => self.has(Defect::StaleWebhook),
            _ => true,
        };
        if accepted && webhook.kind == DeliveryKind::Succeeded {
            self.captured(webhook.charge);
        }
        if accepted && webhook.kind == DeliveryKind::PaymentFailed {
            self.attempt_failed(
                webhook.charge,
                Standing::Failed,
                State::PaymentFailed,
                self.grace(),
            );
        }
        if self.chance(self.plan.lost) {
            self.mark_delivery(webhook, DeliveryStage::Lost, 0);
            if webhook.tries < 3 && accepted {
                self.after(10, Event::Send(Webhook { tries: webhook.tries + 1, ..webhook }));
            }
            return;
        }
        self.mark_delivery(webhook, DeliveryStage::Answered, if accepted { 200 } else { 400 });
    }

    /// The shop sends money back.
    pub(super) fn begin_refund(&mut self, charge: usize) {
        self.refund_once(charge);
        if self.has(Defect::RefundTwice) {
            self.refund_once(charge);
        }
    }
    fn refund_once(&mut self, charge: usize) {
        let refund = self.refunds;
        self.refunds += 1;
        let amount = self.charges[charge].amount;
        self.mark_refund(refund, charge, amount, RefundStage::Created);
        let delay = self.upto(10);
        self.after(delay, Event::Refund { refund, charge, amount });
    }
    fn mark_refund(&self, refund: usize, charge: usize, amount: u32, stage: RefundStage) {
        let (refund, charge) = (RefundId::from_index(refund), ChargeId::from_index(charge));
        self.mark(MarkKind::Refund { refund, charge, amount, stage });
    }
    /// A refund succeeds, or fails and is made again.
    pub(super) fn end_refund(&mut self, refund: usize, charge: usize, amount: u32) {
        if self.chance(self.plan.trouble / 4) {
            self.mark_refund(refund, charge, amount, RefundStage::Failed);
            return self.refund_once(charge);
        }
        self.mark_refund(refund, charge, amount, RefundStage::Succeeded);
        let order = self.charges[charge].order;
        if self.orders[order].state == State::Refunding {
            self.orders[order].state = State::Refunded;
        }
    }
}
