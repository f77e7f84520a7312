//! T4: holds whose time is over.

use super::adapter::Books;
use super::buckets::{self, Owner};
use super::pay::set_state;
use crate::defect::Defect;
use crate::ledger::{Removed, State};
use rusqlite::{Connection, params};

pub(super) fn is_due(c: &Connection, books: &Books) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM holds WHERE state = 'HELD' AND expires_at <= ?1 LIMIT 1";
    let confirmed = books.defects.has(Defect::ReclaimAfterConfirm);
    Ok(confirmed || c.prepare_cached(sql)?.exists([books.lease_clock.now_ms()])?)
}

pub(super) fn t4(c: &Connection, books: &Books, most: u32) -> rusqlite::Result<Vec<Removed>> {
    let mut removed = Vec::new();
    for owner in due(c, books, "HELD", most)? {
        carry_clock(c, books, &owner)?;
        set_state(c, &owner.hold_id, State::Expired)?;
        removed.push(buckets::give_back(c, books, &owner)?);
    }
    if books.defects.has(Defect::ReclaimAfterConfirm) {
        for owner in due(c, books, "CONFIRMED", most)? {
            let sql = "UPDATE holds SET expires_at = 9000000000000000 WHERE hold_id = ?1";
            c.prepare_cached(sql)?.execute([&owner.hold_id])?;
            removed.push(buckets::give_back(c, books, &owner)?);
        }
    }
    Ok(removed)
}

fn due(c: &Connection, books: &Books, state: &str, most: u32) -> rusqlite::Result<Vec<Owner>> {
    let sql = match state {
        "HELD" => {
            "SELECT hold_id, event, account, instrument FROM holds WHERE state = 'HELD' AND expires_at <= ?1 ORDER BY expires_at LIMIT ?2"
        }
        _ => {
            "SELECT hold_id, event, account, instrument FROM holds WHERE state = 'CONFIRMED' AND expires_at <= ?1 LIMIT ?2"
        }
    };
    c.prepare_cached(sql)?
        .query_map(params![books.lease_clock.now_ms(), most], |row| {
            Ok(Owner {
                hold_id: row.get(0)?,
                event: row.get(1)?,
                account: row.get(2)?,
                instrument: row.get(3)?,
            })
        })?
        .collect()
}

/// The buckets' clocks are carried forward, so that a restart under an earlier wall clock grants nothing from before.
fn carry_clock(c: &Connection, books: &Books, owner: &Owner) -> rusqlite::Result<()> {
    let now = books.lease_clock.now_ms();
    let sql = "UPDATE buckets SET lease_clock = MAX(lease_clock, ?4) WHERE event = ?1 AND sku = ?2 AND shard = ?3";
    for line in buckets::lines(c, &owner.hold_id)? {
        c.prepare_cached(sql)?.execute(params![owner.event, line.sku, line.shard, now])?;
    }
    Ok(())
}
