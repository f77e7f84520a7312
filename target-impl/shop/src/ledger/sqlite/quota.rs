//! Limits per account and per instrument.

use super::adapter::Books;
use rusqlite::{Connection, OptionalExtension, params};

pub(super) const ACCOUNT: &str = "account";
pub(super) const INSTRUMENT: &str = "instrument";

/// Units taken so far.
pub(super) fn taken(c: &Connection, event: &str, scope: &str, key: &str) -> rusqlite::Result<i64> {
    let sql = "SELECT taken FROM quota WHERE event = ?1 AND scope = ?2 AND key = ?3";
    c.prepare_cached(sql)?
        .query_row([event, scope, key], |row| row.get(0))
        .optional()
        .map(Option::unwrap_or_default)
}

/// How many units there may be.
pub(super) fn limit(books: &Books, event: &str, scope: &str) -> i64 {
    let terms = books.terms(event);
    let limit = terms
        .map(|terms| if scope == ACCOUNT { terms.account_limit } else { terms.instrument_limit });
    limit.map_or(0, i64::from)
}

/// Would so many more be too many?
pub(super) fn exceeds(
    c: &Connection,
    books: &Books,
    event: &str,
    scope: &str,
    key: &str,
    more: i64,
) -> rusqlite::Result<bool> {
    Ok(taken(c, event, scope, key)? + more > limit(books, event, scope))
}

/// Counts units; a negative number gives them back.
pub(super) fn add(
    c: &Connection,
    books: &Books,
    event: &str,
    scope: &str,
    key: &str,
    units: i64,
) -> rusqlite::Result<()> {
    let limit = limit(books, event, scope);
    let sql = "INSERT INTO quota (event, scope, key, taken, limit_units) VALUES (?1, ?2, ?3, MAX(?4, 0), ?5)
               ON CONFLICT DO UPDATE SET taken = taken + ?4, limit_units = ?5";
    c.prepare_cached(sql)?.execute(params![event, scope, key, units, limit]).map(drop)
}
