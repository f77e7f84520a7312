//! T3: what became of a payment. One path for webhook, provider's answer and poll. States only move forward, so the
//! order in which outcomes arrive does not matter.

use super::adapter::Books;
use super::pay::{Hold, load, set_state};
use super::{buckets, quota};
use crate::defect::Defect;
use crate::ledger::{Outcome, OutcomeKind, OutcomeVerdict, State};
use onsale_contract::admin::LateCapture;
use rusqlite::{Connection, OptionalExtension, params};

/// A payment attempt with what its order asks for.
struct Payment {
    attempt_id: String,
    hold_id: String,
    psp_ref: Option<String>,
    state: String,
    amount: u32,
    currency: String,
}

pub(super) fn t3(
    c: &Connection,
    books: &Books,
    outcome: &Outcome,
) -> rusqlite::Result<OutcomeVerdict> {
    let Some(payment) = find(c, outcome)? else { return Ok(OutcomeVerdict::Unknown) };
    if let Some(event_id) = &outcome.event_id {
        let new = c
            .prepare_cached("INSERT OR IGNORE INTO inbox (event_id) VALUES (?1)")?
            .execute([event_id])?;
        if new == 0 {
            if books.defects.has(Defect::WebhookTwice)
                && matches!(outcome.kind, OutcomeKind::Captured { .. })
            {
                second_order(c, &payment.hold_id)?;
            }
            return Ok(OutcomeVerdict::Repeated);
        }
    }
    if payment.psp_ref.is_none() {
        let sql = "UPDATE payments SET psp_ref = ?2 WHERE attempt_id = ?1";
        c.prepare_cached(sql)?.execute([&payment.attempt_id, &outcome.psp_ref])?;
    }
    let hold = load(c, &payment.hold_id)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    match &outcome.kind {
        OutcomeKind::Declined => Ok(OutcomeVerdict::Nothing),
        OutcomeKind::Cancelled => cancelled(c, books, &payment, &hold),
        OutcomeKind::Captured { amount, currency } => {
            if !matches!(payment.state.as_str(), "INIT" | "FAILED") {
                return Ok(OutcomeVerdict::Nothing);
            }
            let sql = "UPDATE payments SET captured = ?2 WHERE attempt_id = ?1";
            c.prepare_cached(sql)?.execute(params![payment.attempt_id, amount])?;
            let right =
                *amount == payment.amount && currency.eq_ignore_ascii_case(&payment.currency);
            if right || books.defects.has(Defect::AmountUnchecked) {
                captured(c, books, &payment, &hold)
            } else {
                wrong_amount(c, books, &payment, &hold)
            }
        }
    }
}

fn find(c: &Connection, outcome: &Outcome) -> rusqlite::Result<Option<Payment>> {
    let sql = "SELECT p.attempt_id, p.hold_id, p.psp_ref, p.state, o.amount, o.currency
               FROM payments p JOIN orders o ON o.order_id = p.order_id
               WHERE p.psp_ref = ?1 OR (p.attempt_id = ?2 AND p.psp_ref IS NULL)";
    c.prepare_cached(sql)?
        .query_row(params![outcome.psp_ref, outcome.attempt_id], |row| {
            Ok(Payment {
                attempt_id: row.get(0)?,
                hold_id: row.get(1)?,
                psp_ref: row.get(2)?,
                state: row.get(3)?,
                amount: row.get(4)?,
                currency: row.get(5)?,
            })
        })
        .optional()
}

fn set_payment(c: &Connection, payment: &Payment, state: &str) -> rusqlite::Result<()> {
    let sql = "UPDATE payments SET state = ?2, polls = 0 WHERE attempt_id = ?1";
    c.prepare_cached(sql)?.execute([&payment.attempt_id, state]).map(drop)
}

/// The payment will never be made: the hold ends, as the buyer wished or as a failure.
fn cancelled(
    c: &Connection,
    books: &Books,
    payment: &Payment,
    hold: &Hold,
) -> rusqlite::Result<OutcomeVerdict> {
    if payment.state != "INIT" {
        return Ok(OutcomeVerdict::Nothing);
    }
    set_payment(c, payment, "FAILED")?;
    let others = "SELECT 1 FROM payments WHERE hold_id = ?1 AND state IN ('INIT', 'CAPTURED')";
    if hold.state != State::Paying || c.prepare_cached(others)?.exists([&payment.hold_id])? {
        return Ok(OutcomeVerdict::Nothing);
    }
    let asked = hold.reason.as_deref() == Some("cancel-asked");
    set_state(c, &payment.hold_id, if asked { State::Cancelled } else { State::Failed })?;
    Ok(OutcomeVerdict::Failed(buckets::give_back(c, books, &hold.owner)?))
}

fn captured(
    c: &Connection,
    books: &Books,
    payment: &Payment,
    hold: &Hold,
) -> rusqlite::Result<OutcomeVerdict> {
    match hold.state {
        State::Held | State::Paying => {
            set_payment(c, payment, "CAPTURED")?;
            set_state(c, &payment.hold_id, State::Confirmed)?;
            Ok(OutcomeVerdict::Confirmed { sold: buckets::locate(c, &hold.owner)?, reheld: false })
        }
        State::Confirmed => {
            let first = "SELECT 1 FROM payments WHERE hold_id = ?1 AND state = 'CAPTURED'";
            let second = c.prepare_cached(first)?.exists([&payment.hold_id])?;
            let due = second && !books.defects.has(Defect::TwoPayments);
            set_payment(c, payment, if due { "REFUND_DUE" } else { "CAPTURED" })?;
            Ok(if due { OutcomeVerdict::RefundDue(None) } else { OutcomeVerdict::Nothing })
        }
        State::Expired | State::Failed => late(c, books, payment, hold),
        State::Cancelled | State::Refused => money_back(c, books, payment, hold),
    }
}

/// The money came after the hold was gone.
fn late(
    c: &Connection,
    books: &Books,
    payment: &Payment,
    hold: &Hold,
) -> rusqlite::Result<OutcomeVerdict> {
    let rehold = books
        .terms(&hold.owner.event)
        .is_some_and(|terms| terms.late_capture == LateCapture::Rehold);
    if !rehold || !take_again(c, books, hold)? {
        return money_back(c, books, payment, hold);
    }
    set_payment(c, payment, "CAPTURED")?;
    set_state(c, &payment.hold_id, State::Confirmed)?;
    Ok(OutcomeVerdict::Confirmed { sold: buckets::locate(c, &hold.owner)?, reheld: true })
}

fn money_back(
    c: &Connection,
    books: &Books,
    payment: &Payment,
    hold: &Hold,
) -> rusqlite::Result<OutcomeVerdict> {
    if books.defects.has(Defect::LateMoneyKept) {
        set_payment(c, payment, "CAPTURED")?;
        return Ok(OutcomeVerdict::Nothing);
    }
    set_payment(c, payment, "REFUND_DUE")?;
    if books.defects.has(Defect::RefundAndTicket) {
        set_state(c, &hold.owner.hold_id, State::Confirmed)?;
    }
    Ok(OutcomeVerdict::RefundDue(None))
}

/// Takes the units of a hold that is over once more, if everything has room.
fn take_again(c: &Connection, books: &Books, hold: &Hold) -> rusqlite::Result<bool> {
    let owner = &hold.owner;
    let lines = buckets::lines(c, &owner.hold_id)?;
    let units = lines.iter().map(|line| line.quantity).sum();
    for line in &lines {
        let row = buckets::load(c, &owner.event, &line.sku, line.shard)?;
        if row.is_none_or(|row| row.cap - row.taken < line.quantity) {
            return Ok(false);
        }
    }
    if quota::exceeds(c, books, &owner.event, quota::ACCOUNT, &owner.account, units)? {
        return Ok(false);
    }
    if let Some(card) = &owner.instrument
        && quota::exceeds(c, books, &owner.event, quota::INSTRUMENT, card, units)?
    {
        return Ok(false);
    }
    for line in &lines {
        buckets::take(c, &owner.event, &line.sku, line.shard, line.quantity)?;
    }
    quota::add(c, books, &owner.event, quota::ACCOUNT, &owner.account, units)?;
    if let Some(card) = &owner.instrument {
        quota::add(c, books, &owner.event, quota::INSTRUMENT, card, units)?;
    }
    Ok(true)
}

/// No ticket for another price: what came goes back, and the hold ends with its payment.
fn wrong_amount(
    c: &Connection,
    books: &Books,
    payment: &Payment,
    hold: &Hold,
) -> rusqlite::Result<OutcomeVerdict> {
    set_payment(c, payment, "REFUND_DUE")?;
    if !matches!(hold.state, State::Held | State::Paying) {
        return Ok(OutcomeVerdict::RefundDue(None));
    }
    set_state(c, &payment.hold_id, State::Failed)?;
    Ok(OutcomeVerdict::RefundDue(Some(buckets::give_back(c, books, &hold.owner)?)))
}

/// The defect `webhook-twice`.
fn second_order(c: &Connection, hold_id: &str) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO orders (order_id, hold_id, account, instrument, amount, currency)
               SELECT order_id || '-again', hold_id, account, instrument, amount, currency FROM orders WHERE hold_id = ?1 LIMIT 1";
    c.prepare_cached(sql)?.execute([hold_id]).map(drop)
}
