//! T2: a checkout.

use super::adapter::Books;
use super::{buckets, quota, reads};
use crate::defect::Defect;
use crate::ledger::{Checkout, PayCommand, PayVerdict, State};
use rusqlite::{Connection, OptionalExtension, params};

/// A hold's row.
pub(super) struct Hold {
    pub(super) owner: buckets::Owner,
    pub(super) state: State,
    pub(super) reason: Option<String>,
    pub(super) until_ms: u64,
}

pub(super) fn load(c: &Connection, hold_id: &str) -> rusqlite::Result<Option<Hold>> {
    let sql = "SELECT event, account, instrument, state, reason, promised_until FROM holds WHERE hold_id = ?1";
    c.prepare_cached(sql)?
        .query_row([hold_id], |row| {
            let owner = buckets::Owner {
                hold_id: hold_id.to_owned(),
                event: row.get(0)?,
                account: row.get(1)?,
                instrument: row.get(2)?,
            };
            Ok(Hold {
                owner,
                state: State::of(&row.get::<_, String>(3)?),
                reason: row.get(4)?,
                until_ms: row.get(5)?,
            })
        })
        .optional()
}

/// Moves a hold on.
pub(super) fn set_state(c: &Connection, hold_id: &str, state: State) -> rusqlite::Result<()> {
    let sql = "UPDATE holds SET state = ?2 WHERE hold_id = ?1";
    c.prepare_cached(sql)?.execute([hold_id, state.word()]).map(drop)
}

pub(super) fn t2(
    c: &Connection,
    books: &Books,
    command: &PayCommand,
) -> rusqlite::Result<PayVerdict> {
    let Some(hold) = load(c, &command.hold_id)? else { return Ok(PayVerdict::Unknown) };
    if hold.state == State::Refused {
        return Ok(PayVerdict::Unknown);
    }
    if hold.owner.account != command.account {
        return Ok(PayVerdict::Foreign);
    }
    let order = reads::order_of_hold(c, &command.hold_id)?;
    if let Some(order) = order {
        let sold = matches!(hold.state, State::Paying | State::Confirmed);
        if sold && books.defects.has(Defect::TwoPayments) {
            attempt(c, books, command, &hold, &order.order_id)?;
        }
        let checkout = open_checkout(c, &order.order_id)?;
        return Ok(PayVerdict::Order(Box::new(order), checkout.map(Box::new)));
    }
    let late = books.lease_clock.now_ms() > hold.until_ms;
    let payable = match hold.state {
        State::Held => !late || books.defects.has(Defect::ConfirmAfterExpiry),
        State::Expired => books.defects.has(Defect::ConfirmAfterExpiry),
        State::Cancelled => books.defects.has(Defect::ConfirmAfterCancel),
        _ => false,
    };
    if !payable {
        return Ok(PayVerdict::Conflict(if hold.state == State::Held {
            State::Expired
        } else {
            hold.state
        }));
    }
    if !claim_instrument(c, books, command, &hold)? {
        return Ok(PayVerdict::Limit);
    }
    let order_id = make_order(c, books, command, &hold)?;
    let state = if books.defects.has(Defect::ConfirmBeforePayment) {
        State::Confirmed
    } else {
        State::Paying
    };
    set_state(c, &command.hold_id, state)?;
    attempt(c, books, command, &hold, &order_id)?;
    let order =
        reads::order_of_hold(c, &command.hold_id)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let checkout = open_checkout(c, &order_id)?;
    Ok(PayVerdict::Order(Box::new(order), checkout.map(Box::new)))
}

/// Counts the units on this card, and no longer on the one named before.
fn claim_instrument(
    c: &Connection,
    books: &Books,
    command: &PayCommand,
    hold: &Hold,
) -> rusqlite::Result<bool> {
    let buckets::Owner { event, hold_id, instrument, .. } = &hold.owner;
    if instrument.as_ref() == Some(&command.instrument) {
        return Ok(true);
    }
    let units = buckets::lines(c, hold_id)?.iter().map(|line| line.quantity).sum::<i64>();
    let unlimited = books.defects.has(Defect::LimitCheckThenAct);
    if !unlimited && quota::exceeds(c, books, event, quota::INSTRUMENT, &command.instrument, units)?
    {
        return Ok(false);
    }
    if let Some(before) = instrument {
        quota::add(c, books, event, quota::INSTRUMENT, before, -units)?;
    }
    quota::add(c, books, event, quota::INSTRUMENT, &command.instrument, units)?;
    let sql = "UPDATE holds SET instrument = ?2 WHERE hold_id = ?1";
    c.prepare_cached(sql)?.execute([hold_id, &command.instrument])?;
    Ok(true)
}

fn make_order(
    c: &Connection,
    books: &Books,
    command: &PayCommand,
    hold: &Hold,
) -> rusqlite::Result<String> {
    let terms = books.terms(&hold.owner.event).ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let units = buckets::lines(c, &command.hold_id)?.iter().map(|line| line.quantity).sum::<i64>();
    let amount = units.max(0) * i64::from(terms.price);
    let order_id = command.hold_id.replacen("h_", "or_", 1);
    let sql = "INSERT INTO orders (order_id, hold_id, account, instrument, amount, currency) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let PayCommand { hold_id, account, instrument } = command;
    c.prepare_cached(sql)?.execute(params![
        order_id,
        hold_id,
        account,
        instrument,
        amount,
        terms.currency
    ])?;
    Ok(order_id)
}

/// Another payment attempt of a hold.
fn attempt(
    c: &Connection,
    books: &Books,
    command: &PayCommand,
    hold: &Hold,
    order_id: &str,
) -> rusqlite::Result<()> {
    let count: u32 = c
        .prepare_cached("SELECT COUNT(*) FROM payments WHERE hold_id = ?1")?
        .query_row([&command.hold_id], |row| row.get(0))?;
    let attempt_id = format!("{}-{}", command.hold_id.replacen("h_", "at_", 1), count + 1);
    let now = books.lease_clock.now_ms();
    let window = books.terms(&hold.owner.event).map_or(0, |terms| terms.hold_ttl_ms);
    let sql = "INSERT INTO payments (attempt_id, hold_id, order_id, state, pay_until, next_poll_at) VALUES (?1, ?2, ?3, 'INIT', ?4, ?5)";
    c.prepare_cached(sql)?.execute(params![
        attempt_id,
        command.hold_id,
        order_id,
        now + window,
        now + window.min(super::attempts::FIRST_LOOK_MS)
    ])?;
    Ok(())
}

/// The newest attempt of an order that can still be paid.
pub(super) fn open_checkout(c: &Connection, order_id: &str) -> rusqlite::Result<Option<Checkout>> {
    let sql = "SELECT p.attempt_id, p.psp_ref, p.client_secret, o.amount, o.currency, o.hold_id, o.order_id, o.account, o.instrument
               FROM payments p JOIN orders o ON o.order_id = p.order_id
               WHERE o.order_id = ?1 AND p.state = 'INIT' ORDER BY p.attempt_id DESC LIMIT 1";
    c.prepare_cached(sql)?.query_row([order_id], checkout).optional()
}

pub(super) fn checkout(row: &rusqlite::Row<'_>) -> rusqlite::Result<Checkout> {
    Ok(Checkout {
        attempt_id: row.get(0)?,
        psp_ref: row.get(1)?,
        client_secret: row.get(2)?,
        amount: row.get(3)?,
        currency: row.get(4)?,
        hold_id: row.get(5)?,
        order_id: row.get(6)?,
        account: row.get(7)?,
        instrument: row.get(8)?,
    })
}
