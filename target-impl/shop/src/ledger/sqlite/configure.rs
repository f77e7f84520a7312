//! Events, their items and buckets; waves.

use crate::admission::Bucket;
use crate::ledger::Configured;
use onsale_contract::admin::{EventConfig, SkuConfig};
use rusqlite::{Connection, OptionalExtension, params};

pub(super) fn configure(
    c: &Connection,
    event: &str,
    config: &EventConfig,
    json: &str,
    wall_ms: u64,
) -> rusqlite::Result<Configured> {
    let stored: Option<String> = c
        .prepare_cached("SELECT config FROM events WHERE event = ?1")?
        .query_row([event], |row| row.get(0))
        .optional()?;
    if stored.as_deref() == Some(json) {
        return Ok(Configured::Unchanged);
    }
    for sku in &config.skus {
        if let Some(why) = shrinks(c, event, sku)? {
            return Ok(Configured::Shrinks(why));
        }
    }
    let sql =
        "INSERT INTO events (event, config) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET config = ?2";
    c.prepare_cached(sql)?.execute([event, json])?;
    let mut grown = Vec::new();
    for sku in &config.skus {
        let sql = "INSERT INTO items (event, sku, stock, released) VALUES (?1, ?2, ?3, 0) ON CONFLICT DO UPDATE SET stock = ?3";
        c.prepare_cached(sql)?.execute(params![event, sku.sku, sku.stock])?;
        for shard in 0..sku.shards.max(1) {
            let sql =
                "INSERT OR IGNORE INTO buckets (event, sku, shard, cap) VALUES (?1, ?2, ?3, 0)";
            c.prepare_cached(sql)?.execute(params![event, sku.sku, shard])?;
            grown.push(Bucket { event: event.to_owned(), sku: sku.sku.clone(), shard });
        }
        release(c, event, sku, wall_ms)?;
    }
    Ok(Configured::Stored(grown))
}

/// Why a SKU cannot become so: units or shards that exist cannot be taken away.
fn shrinks(c: &Connection, event: &str, sku: &SkuConfig) -> rusqlite::Result<Option<String>> {
    let released = released(c, event, &sku.sku)?.unwrap_or_default();
    let sql = "SELECT COUNT(*) FROM buckets WHERE event = ?1 AND sku = ?2";
    let shards: u32 = c.prepare_cached(sql)?.query_row([event, &sku.sku], |row| row.get(0))?;
    if sku.stock < released {
        return Ok(Some(format!("`{}` has released {released} units already", sku.sku)));
    }
    Ok((shards != 0 && sku.shards.max(1) != shards)
        .then(|| format!("`{}` has {shards} shards already", sku.sku)))
}

fn released(c: &Connection, event: &str, sku: &str) -> rusqlite::Result<Option<u32>> {
    let sql = "SELECT released FROM items WHERE event = ?1 AND sku = ?2";
    c.prepare_cached(sql)?.query_row([event, sku], |row| row.get(0)).optional()
}

/// Releases what is due; gives the buckets that grew. What is new is spread evenly, the remainder is on shard 0.
pub(super) fn release(
    c: &Connection,
    event: &str,
    sku: &SkuConfig,
    wall_ms: u64,
) -> rusqlite::Result<Vec<Bucket>> {
    let due = if sku.waves.is_empty() {
        sku.stock
    } else {
        sku.waves
            .iter()
            .filter(|wave| wave.at_ms <= wall_ms)
            .map(|wave| wave.units)
            .max()
            .unwrap_or_default()
            .min(sku.stock)
    };
    let before = released(c, event, &sku.sku)?.unwrap_or_default();
    if due <= before {
        return Ok(Vec::new());
    }
    c.prepare_cached("UPDATE items SET released = ?3 WHERE event = ?1 AND sku = ?2")?
        .execute(params![event, sku.sku, due])?;
    let (shards, new) = (sku.shards.max(1), due - before);
    let mut grown = Vec::new();
    for shard in 0..shards {
        let share = new / shards + if shard == 0 { new % shards } else { 0 };
        let sql = "UPDATE buckets SET cap = cap + ?4 WHERE event = ?1 AND sku = ?2 AND shard = ?3";
        c.prepare_cached(sql)?.execute(params![event, sku.sku, shard, share])?;
        grown.push(Bucket { event: event.to_owned(), sku: sku.sku.clone(), shard });
    }
    Ok(grown)
}
