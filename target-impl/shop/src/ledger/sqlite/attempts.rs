//! T5 and T6: payments that need the provider once more.

use super::adapter::Books;
use super::pay::checkout;
use crate::ledger::{Attempt, Refund};
use rusqlite::{Connection, params};

/// An attempt is first looked at after so long, in case its webhook was lost.
pub(super) const FIRST_LOOK_MS: u64 = 1_500;
/// A failed attempt is looked at so often, in case money came all the same.
const FAILED_POLLS: u32 = 6;

pub(super) fn due(c: &Connection, books: &Books, most: u32) -> rusqlite::Result<Vec<Attempt>> {
    let now = books.lease_clock.now_ms();
    let sql = "SELECT p.attempt_id, p.psp_ref, p.client_secret, o.amount, o.currency, o.hold_id, o.order_id, o.account, o.instrument,
                      p.state = 'INIT' AND p.pay_until <= ?1
               FROM payments p JOIN orders o ON o.order_id = p.order_id
               WHERE p.state IN ('INIT', 'FAILED') AND p.next_poll_at <= ?1 AND (p.state = 'INIT' OR p.polls < ?2)
               ORDER BY p.next_poll_at LIMIT ?3";
    c.prepare_cached(sql)?
        .query_map(params![now, FAILED_POLLS, most], |row| {
            Ok(Attempt { checkout: checkout(row)?, overdue: row.get(9)? })
        })?
        .collect()
}

/// Looked at: an open one again soon, and at its deadline; a failed one ever more rarely.
pub(super) fn seen(c: &Connection, books: &Books, attempt_id: &str) -> rusqlite::Result<()> {
    let sql = "UPDATE payments SET polls = polls + 1, next_poll_at = CASE
                 WHEN state = 'INIT' AND pay_until > ?2 THEN MIN(pay_until, ?2 + 1000)
                 WHEN state = 'INIT' THEN ?2 + 250
                 ELSE ?2 + (250 << polls) END
               WHERE attempt_id = ?1";
    c.prepare_cached(sql)?.execute(params![attempt_id, books.lease_clock.now_ms()]).map(drop)
}

pub(super) fn refunds(c: &Connection, most: u32) -> rusqlite::Result<Vec<Refund>> {
    let sql = "SELECT attempt_id, psp_ref, refund_no, captured FROM payments WHERE state = 'REFUND_DUE' LIMIT ?1";
    c.prepare_cached(sql)?
        .query_map([most], |row| {
            Ok(Refund {
                attempt_id: row.get(0)?,
                psp_ref: row.get(1)?,
                number: row.get(2)?,
                captured: row.get(3)?,
            })
        })?
        .collect()
}

/// A refund is final: done, or failed, so that the next number may be tried.
pub(super) fn refunded(
    c: &Connection,
    attempt_id: &str,
    number: u32,
    done: bool,
) -> rusqlite::Result<()> {
    let sql = if done {
        "UPDATE payments SET state = 'REFUNDED' WHERE attempt_id = ?1 AND refund_no = ?2 AND state = 'REFUND_DUE'"
    } else {
        "UPDATE payments SET refund_no = refund_no + 1 WHERE attempt_id = ?1 AND refund_no = ?2 AND state = 'REFUND_DUE'"
    };
    c.prepare_cached(sql)?.execute(params![attempt_id, number]).map(drop)
}
