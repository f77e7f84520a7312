//! Orders: a hold is checked out (T2), its payment made at the provider; and cancelled.

use super::Gateway;
use super::events::internal;
use crate::defect::Defect;
use crate::ledger::{Checkout, Marked, OrderRecord, PayCommand, PayVerdict, RemoveVerdict, State};
use crate::payments::webhook;
use crate::problem::Refusal;
use onsale_contract::order::{OrderRequest, OrderStatus, OrderView, PaymentView};
use onsale_contract::problem::ErrorCode;
use std::time::Duration;

/// A hold that was acknowledged and not yet written is waited for so often.
const UNWRITTEN_LOOKS: u32 = 200;

impl Gateway {
    /// `POST /v1/orders`.
    pub(super) async fn check_out(
        &self,
        account: &str,
        request: OrderRequest,
    ) -> Result<OrderView, Refusal> {
        self.await_written(&request.hold_id).await;
        let OrderRequest { hold_id, instrument } = request;
        let command = PayCommand { hold_id, account: account.to_owned(), instrument };
        let verdict = self.ledger.pay(command).await.map_err(|error| internal(&error))?;
        let (order, checkout) = match verdict {
            PayVerdict::Order(order, checkout) => (*order, checkout),
            PayVerdict::Unknown => return Err(ErrorCode::HoldNotFound.into()),
            PayVerdict::Foreign => return Err(ErrorCode::Forbidden.into()),
            PayVerdict::Limit => return Err(ErrorCode::LimitExceeded.into()),
            PayVerdict::Conflict(state) => return Err(conflict(state)),
        };
        self.metrics.orders_made.add();
        let Some(checkout) = checkout.filter(|_| may_be_paid(&order)) else {
            return Ok(view(order));
        };
        let payment = self.payment(&checkout).await?;
        if self.config.defects.has(Defect::TwoPayments)
            && let Err(error) = self.provider.confirm(&payment.intent, &checkout.instrument).await
        {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "a payment was not captured in the buyer's place"
            );
        }
        Ok(OrderView { payment: Some(payment), ..view(order) })
    }

    /// The provider's payment of an attempt, made if need be. A lost answer is made up for by the same key.
    async fn payment(&self, checkout: &Checkout) -> Result<PaymentView, Refusal> {
        if let (Some(intent), Some(client_secret)) =
            (checkout.psp_ref.clone(), checkout.client_secret.clone())
        {
            return Ok(PaymentView { intent, client_secret });
        }
        let intent = self.provider.create(checkout).await.map_err(|error| internal(&error))?;
        let client_secret = intent.client_secret.unwrap_or_default();
        let attached = self
            .ledger
            .attach(checkout.attempt_id.clone(), intent.id.clone(), client_secret.clone())
            .await;
        attached.map_err(|error| internal(&error))?;
        Ok(PaymentView { intent: intent.id, client_secret })
    }

    /// `POST /v1/orders/{order}/cancel`: at the provider first.
    pub(super) async fn cancel_order(
        &self,
        account: &str,
        order_id: &str,
    ) -> Result<OrderView, Refusal> {
        let marked = self.ledger.mark_cancelling(order_id.to_owned(), account.to_owned()).await;
        let checkout = match marked.map_err(|error| internal(&error))? {
            Marked::Paying(checkout) => checkout,
            Marked::Settled(order) if order.status == OrderStatus::Cancelled => {
                return Ok(view(order));
            }
            Marked::Settled(_) => return Err(ErrorCode::StateConflict.into()),
            Marked::Unknown => return Err(ErrorCode::OrderNotFound.into()),
            Marked::Foreign => return Err(ErrorCode::Forbidden.into()),
        };
        self.cancel_payment(&checkout).await?;
        let order =
            self.ledger.find_order(order_id.to_owned()).await.map_err(|error| internal(&error))?;
        let order = order.ok_or(ErrorCode::OrderNotFound)?;
        match order.status {
            OrderStatus::Cancelled | OrderStatus::Refunding | OrderStatus::Refunded => {
                Ok(view(order))
            }
            OrderStatus::PendingPayment => Err(ErrorCode::Internal.into()),
            _ => Err(ErrorCode::StateConflict.into()),
        }
    }

    /// Cancels a payment at the provider and settles what it says. One that was never made is made first, unconfirmed
    /// and under the same key, so that a delayed create can never capture.
    pub(super) async fn cancel_payment(&self, checkout: &Checkout) -> Result<(), Refusal> {
        let psp_ref = match &checkout.psp_ref {
            Some(psp_ref) => psp_ref.clone(),
            None => self.payment(checkout).await?.intent,
        };
        let intent = self.provider.cancel(&psp_ref).await.map_err(|error| internal(&error))?;
        if let Some(outcome) = webhook::outcome_of(&intent) {
            self.settle(outcome).await.map_err(|error| internal(&error))?;
        }
        Ok(())
    }

    /// `DELETE /v1/holds/{hold}`.
    pub(super) async fn cancel_hold(&self, account: &str, hold_id: &str) -> Result<(), Refusal> {
        self.await_written(hold_id).await;
        let verdict = self
            .ledger
            .cancel_hold(hold_id.to_owned(), account.to_owned())
            .await
            .map_err(|error| internal(&error))?;
        match verdict {
            RemoveVerdict::Removed(removed) => {
                self.metrics.holds_cancelled.add();
                self.release_now(&removed).await;
                Ok(())
            }
            RemoveVerdict::State(State::Cancelled) => Ok(()),
            RemoveVerdict::State(state) => Err(conflict(state)),
            RemoveVerdict::Unknown => Err(ErrorCode::HoldNotFound.into()),
            RemoveVerdict::Foreign => Err(ErrorCode::Forbidden.into()),
        }
    }

    /// `--admission redis-only`: a hold that was acknowledged is on its way to the ledger.
    async fn await_written(&self, hold_id: &str) {
        for _ in 0..UNWRITTEN_LOOKS {
            if self.acknowledged.get(hold_id).is_none() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

fn may_be_paid(order: &OrderRecord) -> bool {
    matches!(order.status, OrderStatus::PendingPayment | OrderStatus::Confirmed)
}

/// Why a hold in this state cannot be paid or given back.
pub(super) fn conflict(state: State) -> Refusal {
    match state {
        State::Expired => ErrorCode::HoldExpired.into(),
        State::Cancelled => ErrorCode::HoldCancelled.into(),
        State::Refused => ErrorCode::HoldNotFound.into(),
        _ => ErrorCode::StateConflict.into(),
    }
}

/// An order as told.
pub(super) fn view(order: OrderRecord) -> OrderView {
    OrderView {
        order_id: order.order_id,
        hold_id: order.hold_id,
        status: order.status,
        items: order.items,
        amount: order.amount,
        currency: order.currency,
        payment: order.payment.map(|(intent, client_secret)| PaymentView { intent, client_secret }),
    }
}
