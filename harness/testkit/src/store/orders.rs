//! Orders: checkout, the outcome of a payment, cancellation, lists.

use super::provider::Stage;
use super::stock::Standing;
use super::world::{Event, World};
use crate::Defect;
use onsale_history::{
    BuyerId, ChargeId, Class, Completion, HoldId, LateCapture, Line, OrderId, Outcome, SkuId, State,
};

/// One order.
#[derive(Clone, Debug)]
pub(super) struct OrderRow {
    pub(super) buyer: BuyerId,
    pub(super) hold: usize,
    pub(super) charge: usize,
    pub(super) state: State,
}

impl World {
    /// Turns a hold into an order with a payment attempt.
    pub(super) fn checkout(&mut self, request: usize) {
        let Some(hold) = self.named_hold(request) else {
            return self.refuse(request, Class::NotFound);
        };
        let live = self.now < self.holds[hold].expires;
        match self.holds[hold].standing {
            Standing::Held if live || self.has(Defect::ConfirmAfterExpiry) => {
                self.open_order(request, hold);
            }
            Standing::Expired if self.has(Defect::ConfirmAfterExpiry) => {
                self.open_order(request, hold);
            }
            Standing::Cancelled if self.has(Defect::ConfirmAfterCancel) => {
                self.open_order(request, hold);
            }
            Standing::Paying | Standing::Confirmed => self.open_order_again(request, hold),
            Standing::Held | Standing::Expired => self.refuse(request, Class::Expired),
            Standing::Cancelled | Standing::Failed => self.refuse(request, Class::Conflict),
        }
    }
    fn open_order_again(&mut self, request: usize, hold: usize) {
        let Some(order) = self.holds[hold].order else {
            return self.refuse(request, Class::Conflict);
        };
        if self.has(Defect::DuplicateOrder) {
            let order = self.new_order(request, hold);
            return self.answer_order(request, order);
        }
        if self.has(Defect::TwoPayments) {
            let charge = self.new_charge(request, hold, order);
            self.orders[order].charge = charge;
        }
        self.answer_order(request, order);
    }
    fn open_order(&mut self, request: usize, hold: usize) {
        let call = self.requests[request].call;
        let quantity = self.holds[hold].quantity;
        let card = self.holds.iter().filter(|row| {
            row.instrument == call.instrument
                && matches!(row.standing, Standing::Paying | Standing::Confirmed)
        });
        let taken = card.map(|row| row.quantity).sum::<u32>();
        if self.plan.facts.instrument_limit.is_some_and(|limit| taken + quantity > limit) {
            return self.refuse(request, Class::Limit);
        }
        self.holds[hold].standing = Standing::Paying;
        self.holds[hold].instrument = call.instrument;
        let order = self.new_order(request, hold);
        if self.has(Defect::ConfirmBeforePayment) {
            self.confirm(order);
        }
        self.answer_order(request, order);
    }
    fn new_order(&mut self, request: usize, hold: usize) -> usize {
        let order = self.orders.len();
        let buyer = self.holds[hold].buyer;
        self.orders.push(OrderRow { buyer, hold, charge: 0, state: State::PendingPayment });
        self.holds[hold].order = Some(order);
        let charge = self.new_charge(request, hold, order);
        self.orders[order].charge = charge;
        order
    }
    fn answer_order(&mut self, request: usize, order: usize) {
        let answer = Completion {
            order: Some(OrderId::from_index(order)),
            charge: Some(ChargeId::from_index(self.orders[order].charge)),
            status: 202,
            ..Completion::of(Outcome::Ok)
        };
        self.reply(request, answer, vec![]);
    }

    fn confirm(&mut self, order: usize) {
        let hold = self.orders[order].hold;
        self.holds[hold].standing = Standing::Confirmed;
        self.orders[order].state = State::Confirmed;
    }
    /// The shop learns that a payment was captured: by webhook, or by asking.
    pub(super) fn captured(&mut self, charge: usize) {
        let order = self.charges[charge].order;
        let hold = self.orders[order].hold;
        if self.charges[charge].known {
            if self.has(Defect::WebhookTwice) {
                self.sell_again(order, charge);
            }
            return;
        }
        self.charges[charge].known = true;
        let price = self.plan.facts.price * self.holds[hold].quantity;
        let right = self.charges[charge].amount == price || self.has(Defect::AmountUnchecked);
        let free_order =
            self.orders[order].state == State::PendingPayment || self.has(Defect::DuplicateOrder);
        match self.holds[hold].standing {
            Standing::Paying | Standing::Confirmed if right && free_order => {
                self.confirm(order);
                if self.has(Defect::RefundAndTicket) && self.chance(50) {
                    self.begin_refund(charge);
                }
            }
            Standing::Paying => {
                self.holds[hold].standing = Standing::Failed;
                self.give_back(hold, self.grace());
                self.owe(order, charge);
            }
            Standing::Confirmed
                if self.has(Defect::TwoPayments) || self.has(Defect::ConfirmBeforePayment) => {}
            Standing::Expired | Standing::Failed
                if right
                    && self.plan.facts.late_capture == LateCapture::Rehold
                    && self.orders[order].state != State::Cancelled =>
            {
                self.hold_again(order, charge);
            }
            _ => self.owe(order, charge),
        }
    }
    /// The money goes back; the order is lost unless another payment won it.
    fn owe(&mut self, order: usize, charge: usize) {
        if self.has(Defect::LateMoneyKept) {
            return;
        }
        if self.orders[order].state != State::Confirmed {
            self.orders[order].state = State::Refunding;
        }
        self.begin_refund(charge);
    }
    fn hold_again(&mut self, order: usize, charge: usize) {
        let hold = self.orders[order].hold;
        let (sku, quantity, buyer) = {
            let row = &self.holds[hold];
            (row.sku, row.quantity, row.buyer)
        };
        let mine = self.holds.iter().filter(|row| row.buyer == buyer && row.occupies());
        let card = self.holds[hold].instrument;
        let same_card = self.holds.iter().filter(|row| {
            row.instrument == card && matches!(row.standing, Standing::Paying | Standing::Confirmed)
        });
        let limits = (self.plan.facts.account_limit, self.plan.facts.instrument_limit);
        let over = limits
            .0
            .is_some_and(|limit| mine.map(|row| row.quantity).sum::<u32>() + quantity > limit)
            || limits.1.is_some_and(|limit| {
                same_card.map(|row| row.quantity).sum::<u32>() + quantity > limit
            });
        let room = self.skus[sku].shards.iter().position(|shard| shard.free >= i64::from(quantity));
        match room.filter(|_| !over) {
            Some(shard) => {
                self.skus[sku].shards[shard].free -= i64::from(quantity);
                self.holds[hold].shard = shard;
                self.confirm(order);
            }
            None => self.owe(order, charge),
        }
    }
    fn sell_again(&mut self, order: usize, charge: usize) {
        if self.orders[order].state != State::Confirmed {
            return;
        }
        let hold = self.orders[order].hold;
        let (sku, shard, quantity) = {
            let row = &self.holds[hold];
            (row.sku, row.shard, row.quantity)
        };
        self.skus[sku].shards[shard].free -= i64::from(quantity);
        let buyer = self.orders[order].buyer;
        self.orders.push(OrderRow { buyer, hold, charge, state: State::Confirmed });
    }

    /// An attempt came to nothing: its hold is over, and its units come back within the grace.
    pub(super) fn attempt_failed(
        &mut self,
        charge: usize,
        standing: Standing,
        state: State,
        lag: u64,
    ) {
        let order = self.charges[charge].order;
        let hold = self.orders[order].hold;
        if self.orders[order].state == State::PendingPayment && self.orders[order].charge == charge
        {
            self.orders[order].state = state;
            if self.holds[hold].standing == Standing::Paying {
                self.holds[hold].standing = standing;
                self.give_back(hold, lag);
            }
        }
    }

    /// Cancels an order that is not paid; at the provider first.
    pub(super) fn cancel(&mut self, request: usize) {
        let call = self.requests[request].call;
        let found = call
            .order
            .map(OrderId::index)
            .filter(|&order| self.orders.get(order).is_some_and(|row| row.buyer == call.buyer));
        let Some(order) = found else { return self.refuse(request, Class::NotFound) };
        let charge = self.orders[order].charge;
        match self.orders[order].state {
            State::PendingPayment => {
                if self.charges[charge].stage == Stage::Captured {
                    self.captured(charge);
                    self.refuse(request, Class::Conflict);
                } else {
                    self.cancel_at_provider(charge);
                    let lag = Self::millis(self.plan.facts.release_lag);
                    self.attempt_failed(charge, Standing::Cancelled, State::Cancelled, lag);
                    self.reply(request, Completion::of(Outcome::Ok), vec![]);
                }
            }
            State::Cancelled => self.reply(request, Completion::of(Outcome::Ok), vec![]),
            _ => self.refuse(request, Class::Conflict),
        }
    }

    /// Reads one order.
    pub(super) fn read_order(&mut self, request: usize) {
        let call = self.requests[request].call;
        let found = call
            .order
            .map(OrderId::index)
            .filter(|&order| self.orders.get(order).is_some_and(|row| row.buyer == call.buyer));
        let Some(order) = found else { return self.refuse(request, Class::NotFound) };
        let row = &self.orders[order];
        let answer = Completion {
            order: Some(OrderId::from_index(order)),
            hold: Some(HoldId::from_index(row.hold)),
            charge: Some(ChargeId::from_index(row.charge)),
            state: Some(row.state),
            ..Completion::of(Outcome::Ok)
        };
        self.reply(request, answer, vec![]);
    }

    /// Lists a shopper's orders.
    pub(super) fn list_orders(&mut self, request: usize) {
        let buyer = self.requests[request].call.buyer;
        let line = |index: usize, row: &OrderRow, hold: usize| Line::Order {
            order: OrderId::from_index(index),
            hold: Some(HoldId::from_index(row.hold)),
            sku: SkuId::from_index(self.holds[hold].sku),
            quantity: self.holds[hold].quantity,
            state: row.state,
        };
        let rows = self.orders.iter().enumerate().filter(|(_, row)| row.buyer == buyer);
        let mut lines = rows.map(|(index, row)| line(index, row, row.hold)).collect::<Vec<_>>();
        if self.has(Defect::OrderListLags) {
            lines.retain(|line| !matches!(line, Line::Order { state: State::Confirmed, order, .. } if order.index() % 2 == 0));
        }
        if self.has(Defect::PhantomOrders) && buyer.index().is_multiple_of(2) {
            lines.push(Line::Order {
                order: OrderId::from_index(self.orders.len() + buyer.index()),
                hold: None,
                sku: SkuId::from_index(0),
                quantity: 1,
                state: State::Confirmed,
            });
        }
        self.reply(request, Completion::of(Outcome::Ok), lines);
    }

    /// After the pay window the shop asks the provider, and ends what is not paid.
    pub(super) fn reconcile(&mut self, charge: usize) {
        match self.charges[charge].stage {
            Stage::Captured => self.captured(charge),
            Stage::Failed => {
                self.attempt_failed(charge, Standing::Failed, State::PaymentFailed, self.grace());
            }
            Stage::Cancelled if self.charges[charge].betrayed => {
                self.after(20, Event::Reconcile(charge));
            }
            Stage::Cancelled => {
                self.attempt_failed(charge, Standing::Failed, State::Expired, self.grace());
            }
            Stage::Created => {
                self.cancel_at_provider(charge);
                self.attempt_failed(charge, Standing::Failed, State::Expired, self.grace());
                self.after(20, Event::Reconcile(charge));
            }
        }
    }
}
