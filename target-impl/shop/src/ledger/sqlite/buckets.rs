//! Buckets: what is taken of them, and what goes back.

use super::adapter::Books;
use super::quota;
use crate::admission::Bucket;
use crate::defect::Defect;
use crate::ledger::{Release, Removed};
use rusqlite::{Connection, OptionalExtension, params};

/// A bucket's row.
pub(super) struct Row {
    pub(super) cap: i64,
    pub(super) taken: i64,
    pub(super) epoch: u64,
    pub(super) lease_clock: u64,
    pub(super) fence: u64,
}

pub(super) fn load(
    c: &Connection,
    event: &str,
    sku: &str,
    shard: u32,
) -> rusqlite::Result<Option<Row>> {
    let sql = "SELECT cap, taken, epoch, lease_clock, fence FROM buckets WHERE event = ?1 AND sku = ?2 AND shard = ?3";
    c.prepare_cached(sql)?
        .query_row(params![event, sku, shard], |row| {
            Ok(Row {
                cap: row.get(0)?,
                taken: row.get(1)?,
                epoch: row.get(2)?,
                lease_clock: row.get(3)?,
                fence: row.get(4)?,
            })
        })
        .optional()
}

/// Takes units; a negative quantity gives them back.
pub(super) fn take(
    c: &Connection,
    event: &str,
    sku: &str,
    shard: u32,
    quantity: i64,
) -> rusqlite::Result<()> {
    let sql = "UPDATE buckets SET taken = taken + ?4 WHERE event = ?1 AND sku = ?2 AND shard = ?3";
    c.prepare_cached(sql)?.execute(params![event, sku, shard, quantity]).map(drop)
}

/// A line of a hold as it is stored.
pub(super) struct Line {
    pub(super) sku: String,
    pub(super) shard: u32,
    pub(super) quantity: i64,
    /// The bucket's `taken` counts it.
    pub(super) counted: bool,
}

/// A hold's lines, sorted: this is the order in which buckets are locked.
pub(super) fn lines(c: &Connection, hold_id: &str) -> rusqlite::Result<Vec<Line>> {
    let sql =
        "SELECT sku, shard, qty, counted FROM hold_lines WHERE hold_id = ?1 ORDER BY sku, shard";
    c.prepare_cached(sql)?
        .query_map([hold_id], |row| {
            Ok(Line {
                sku: row.get(0)?,
                shard: row.get(1)?,
                quantity: row.get(2)?,
                counted: row.get(3)?,
            })
        })?
        .collect()
}

/// What of a hold matters when its units move.
pub(super) struct Owner {
    pub(super) hold_id: String,
    pub(super) event: String,
    pub(super) account: String,
    pub(super) instrument: Option<String>,
}

/// Where a hold's units are, without moving them.
pub(super) fn locate(c: &Connection, owner: &Owner) -> rusqlite::Result<Removed> {
    let mut releases = Vec::new();
    for line in lines(c, &owner.hold_id)? {
        let epoch = load(c, &owner.event, &line.sku, line.shard)?.map_or(0, |row| row.epoch);
        releases.push(Release {
            bucket: Bucket { event: owner.event.clone(), sku: line.sku, shard: line.shard },
            epoch,
            hold_id: owner.hold_id.clone(),
            quantity: line.quantity,
        });
    }
    Ok(Removed { hold_id: owner.hold_id.clone(), releases })
}

/// Gives units and quotas of a hold back and writes the outbox.
pub(super) fn give_back(c: &Connection, books: &Books, owner: &Owner) -> rusqlite::Result<Removed> {
    let lines = lines(c, &owner.hold_id)?;
    let mut removed = locate(c, owner)?;
    if books.defects.has(Defect::DoubleReclaim) {
        let again: Vec<_> = removed
            .releases
            .iter()
            .cloned()
            .map(|release| Release { hold_id: format!("{}-again", release.hold_id), ..release })
            .collect();
        removed.releases.extend(again);
    }
    let times = if books.defects.has(Defect::DoubleReclaim) { 2 } else { 1 };
    for line in lines.iter().filter(|line| line.counted) {
        take(c, &owner.event, &line.sku, line.shard, -line.quantity * times)?;
    }
    for release in &removed.releases {
        let sql = "INSERT INTO outbox (event, sku, shard, epoch, hold_id, qty) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let Bucket { event, sku, shard } = &release.bucket;
        c.prepare_cached(sql)?.execute(params![
            event,
            sku,
            shard,
            release.epoch,
            release.hold_id,
            release.quantity
        ])?;
    }
    let units = lines.iter().map(|line| line.quantity).sum::<i64>();
    quota::add(c, books, &owner.event, quota::ACCOUNT, &owner.account, -units)?;
    if let Some(instrument) = &owner.instrument {
        quota::add(c, books, &owner.event, quota::INSTRUMENT, instrument, -units)?;
    }
    Ok(removed)
}
