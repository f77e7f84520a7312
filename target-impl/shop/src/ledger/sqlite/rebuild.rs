//! T7: a bucket's next epoch, and what the admission store must know under it.

use crate::admission::{Bucket, scripts::Live};
use crate::ledger::{BucketState, Rebuilt};
use rusqlite::{Connection, OptionalExtension, params};

pub(super) fn t7(
    c: &Connection,
    bucket: &Bucket,
    seen: Option<u64>,
) -> rusqlite::Result<Option<Rebuilt>> {
    let Bucket { event, sku, shard } = bucket;
    let sql = "UPDATE buckets SET epoch = epoch + 1 WHERE event = ?1 AND sku = ?2 AND shard = ?3 AND epoch = COALESCE(?4, epoch)
               RETURNING epoch, cap - taken";
    let raised = c
        .prepare_cached(sql)?
        .query_row(params![event, sku, shard, seen], |row| {
            Ok((row.get::<_, u64>(0)?, row.get::<_, i64>(1)?))
        })
        .optional()?;
    let Some((epoch, free)) = raised else { return Ok(None) };
    Ok(Some(Rebuilt { epoch, free, live: live(c, bucket)? }))
}

fn live(c: &Connection, bucket: &Bucket) -> rusqlite::Result<Vec<Live>> {
    let Bucket { event, sku, shard } = bucket;
    let sql = "SELECT h.hold_id, l.qty, h.account, h.expires_at, h.state = 'CONFIRMED'
               FROM hold_lines l CROSS JOIN holds h ON h.hold_id = l.hold_id
               WHERE l.sku = ?2 AND l.shard = ?3 AND h.event = ?1 AND h.state IN ('HELD', 'PAYING', 'CONFIRMED') ORDER BY h.seq";
    c.prepare_cached(sql)?
        .query_map(params![event, sku, shard], |row| {
            Ok(Live {
                hold: row.get(0)?,
                quantity: row.get(1)?,
                account: row.get(2)?,
                ends_ms: row.get(3)?,
                sold: row.get(4)?,
            })
        })?
        .collect()
}

pub(super) fn states(c: &Connection) -> rusqlite::Result<Vec<BucketState>> {
    let sql =
        "SELECT event, sku, shard, epoch, cap - taken FROM buckets ORDER BY event, sku, shard";
    c.prepare_cached(sql)?
        .query_map([], |row| {
            let bucket = Bucket { event: row.get(0)?, sku: row.get(1)?, shard: row.get(2)? };
            Ok(BucketState { bucket, epoch: row.get(3)?, free: row.get(4)? })
        })?
        .collect()
}
