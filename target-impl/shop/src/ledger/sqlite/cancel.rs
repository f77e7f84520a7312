//! Cancelling, by the buyer: a hold at once; an order only after its payment was cancelled.

use super::adapter::Books;
use super::pay::{load, open_checkout, set_state};
use super::{buckets, reads};
use crate::defect::Defect;
use crate::ledger::{Marked, RemoveVerdict, Removed, State};
use rusqlite::Connection;

pub(super) fn hold(
    c: &Connection,
    books: &Books,
    hold_id: &str,
    account: &str,
) -> rusqlite::Result<RemoveVerdict> {
    let Some(hold) = load(c, hold_id)? else { return Ok(RemoveVerdict::Unknown) };
    if hold.state == State::Refused {
        return Ok(RemoveVerdict::Unknown);
    }
    if hold.owner.account != account {
        return Ok(RemoveVerdict::Foreign);
    }
    if hold.state != State::Held {
        return Ok(RemoveVerdict::State(hold.state));
    }
    set_state(c, hold_id, State::Cancelled)?;
    if books.defects.has(Defect::CancelKeepsStock) {
        return Ok(RemoveVerdict::Removed(Removed {
            hold_id: hold_id.to_owned(),
            releases: Vec::new(),
        }));
    }
    Ok(RemoveVerdict::Removed(buckets::give_back(c, books, &hold.owner)?))
}

/// From now on a cancelled payment means that the buyer wished it.
pub(super) fn mark(c: &Connection, order_id: &str, account: &str) -> rusqlite::Result<Marked> {
    let Some(order) = reads::order(c, order_id)? else { return Ok(Marked::Unknown) };
    if order.account != account {
        return Ok(Marked::Foreign);
    }
    let paying = load(c, &order.hold_id)?.is_some_and(|hold| hold.state == State::Paying);
    let checkout = open_checkout(c, order_id)?;
    match checkout {
        Some(checkout) if paying => {
            let sql = "UPDATE holds SET reason = 'cancel-asked' WHERE hold_id = ?1";
            c.prepare_cached(sql)?.execute([&order.hold_id])?;
            Ok(Marked::Paying(checkout))
        }
        _ => Ok(Marked::Settled(order)),
    }
}
