//! T1: a hold.

use super::adapter::Books;
use super::{buckets, quota};
use crate::defect::Defect;
use crate::ledger::{Granted, HoldCommand, State, Verdict};
use rusqlite::{Connection, OptionalExtension, params};

/// The reaper takes a hold so much later than was promised, so that nobody who is on time is late.
pub(super) const MARGIN_MS: u64 = 100;

pub(super) fn t1(
    c: &Connection,
    books: &Books,
    command: &HoldCommand,
) -> rusqlite::Result<Verdict> {
    if let Some(verdict) = recall(c, books, &command.hold_id, &command.body_hash)? {
        return Ok(verdict);
    }
    let acknowledged = command.acknowledged_until_ms.is_some();
    let mut rows = Vec::with_capacity(command.lines.len());
    for line in &command.lines {
        let row = buckets::load(c, &command.event, &line.sku, line.shard)?;
        let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        if row.epoch != line.epoch && !acknowledged {
            return Ok(Verdict::Fenced(line.sku.clone(), line.shard, row.epoch));
        }
        rows.push(row);
    }
    if !acknowledged && let Some(reason) = refusal(c, books, command)? {
        refuse(c, books, command, reason)?;
        return Ok(Verdict::Refused(reason.to_owned()));
    }
    let unchecked = acknowledged || books.defects.has(Defect::ReserveWithoutCheck);
    for (line, row) in command.lines.iter().zip(&rows) {
        if line.quantity > row.cap - row.taken && !unchecked {
            return Ok(Verdict::Exhausted(line.sku.clone(), line.shard, row.epoch));
        }
    }
    grant(c, books, command, &rows)
}

/// The verdict that was told for this hold.
pub(super) fn recall(
    c: &Connection,
    books: &Books,
    hold_id: &str,
    body_hash: &str,
) -> rusqlite::Result<Option<Verdict>> {
    let sql = "SELECT body_hash, state, reason, fence, promised_until, expires_at FROM holds WHERE hold_id = ?1";
    let known = c
        .prepare_cached(sql)?
        .query_row([hold_id], |row| {
            let (hash, state, reason) = (
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, Option<String>>(2)?,
            );
            let granted = Granted {
                fence: row.get(3)?,
                until_ms: row.get(4)?,
                ends_ms: row.get(5)?,
                replayed: true,
                lines: vec![],
            };
            Ok((hash, State::of(&state), reason, granted))
        })
        .optional()?;
    let Some((hash, state, reason, mut granted)) = known else { return Ok(None) };
    if hash != body_hash && !books.defects.has(Defect::KeyBodyUnchecked) {
        return Ok(Some(Verdict::KeyReused));
    }
    if state == State::Refused {
        return Ok(Some(Verdict::Refused(reason.unwrap_or_default())));
    }
    granted.lines =
        buckets::lines(c, hold_id)?.into_iter().map(|line| (line.sku, line.shard)).collect();
    Ok(Some(Verdict::Held(granted)))
}

/// Why this account or card may not have it.
fn refusal(
    c: &Connection,
    books: &Books,
    command: &HoldCommand,
) -> rusqlite::Result<Option<&'static str>> {
    let HoldCommand { event, account, instrument, .. } = command;
    if books.terms(event).is_some_and(|terms| terms.one_hold) {
        let sql = "SELECT 1 FROM holds WHERE event = ?1 AND account = ?2 AND state IN ('HELD', 'PAYING') LIMIT 1";
        if c.prepare_cached(sql)?.exists([event, account])? {
            return Ok(Some("already-holding"));
        }
    }
    if books.defects.has(Defect::LimitCheckThenAct) {
        return Ok(None);
    }
    let units = command.units();
    let account_full = quota::exceeds(c, books, event, quota::ACCOUNT, account, units)?;
    let card_full = match instrument {
        Some(card) => quota::exceeds(c, books, event, quota::INSTRUMENT, card, units)?,
        None => false,
    };
    Ok((account_full || card_full).then_some("limit-exceeded"))
}

fn refuse(
    c: &Connection,
    books: &Books,
    command: &HoldCommand,
    reason: &str,
) -> rusqlite::Result<()> {
    let now = books.lease_clock.now_ms();
    let sql = "INSERT INTO holds (hold_id, body_hash, event, account, instrument, state, reason, fence, created_at, promised_until, expires_at)
               VALUES (?1, ?2, ?3, ?4, ?5, 'REFUSED', ?6, 0, ?7, ?7, ?7)";
    let HoldCommand { hold_id, body_hash, event, account, instrument, .. } = command;
    c.prepare_cached(sql)?
        .execute(params![hold_id, body_hash, event, account, instrument, reason, now])
        .map(drop)
}

fn grant(
    c: &Connection,
    books: &Books,
    command: &HoldCommand,
    rows: &[buckets::Row],
) -> rusqlite::Result<Verdict> {
    let HoldCommand { hold_id, body_hash, event, account, instrument, .. } = command;
    let clock = rows.iter().map(|row| row.lease_clock).fold(books.lease_clock.now_ms(), u64::max);
    let ttl = books.terms(event).map_or(0, |terms| terms.hold_ttl_ms);
    let until_ms = command.acknowledged_until_ms.unwrap_or(clock + ttl);
    let ends_ms =
        if books.defects.has(Defect::EarlyExpiry) { clock + ttl / 4 } else { until_ms + MARGIN_MS };
    let fence = rows.iter().map(|row| row.fence).max().unwrap_or_default() + 1;
    let lines = command.lines.iter().map(|line| (line.sku.clone(), line.shard)).collect();
    let verdict = Verdict::Held(Granted { fence, until_ms, ends_ms, replayed: false, lines });
    if books.defects.has(Defect::ForgottenHold) && one_in(hold_id, 10) {
        return Ok(verdict);
    }
    let sql = "INSERT INTO holds (hold_id, body_hash, event, account, instrument, state, fence, created_at, promised_until, expires_at)
               VALUES (?1, ?2, ?3, ?4, ?5, 'HELD', ?6, ?7, ?8, ?9)";
    c.prepare_cached(sql)?.execute(params![
        hold_id, body_hash, event, account, instrument, fence, clock, until_ms, ends_ms
    ])?;
    for line in &command.lines {
        let lost = books.defects.has(Defect::LostDecrement) && hold_id.ends_with(['0', '8']);
        let twice = books.defects.has(Defect::FallbackSellsTwice) && line.fallback;
        let counted = !(lost || twice);
        let sql = "INSERT INTO hold_lines (hold_id, sku, shard, qty, counted) VALUES (?1, ?2, ?3, ?4, ?5)";
        c.prepare_cached(sql)?.execute(params![
            hold_id,
            line.sku,
            line.shard,
            line.quantity,
            counted
        ])?;
        let sql = "UPDATE buckets SET taken = taken + ?4, lease_clock = ?5, fence = ?6 WHERE event = ?1 AND sku = ?2 AND shard = ?3";
        let units = if counted { line.quantity } else { 0 };
        c.prepare_cached(sql)?
            .execute(params![event, line.sku, line.shard, units, clock, fence])?;
    }
    let units = command.units();
    quota::add(c, books, event, quota::ACCOUNT, account, units)?;
    if let Some(card) = instrument {
        quota::add(c, books, event, quota::INSTRUMENT, card, units)?;
    }
    Ok(verdict)
}

impl HoldCommand {
    fn units(&self) -> i64 {
        self.lines.iter().map(|line| line.quantity).sum()
    }
}

/// One identifier in so many, always the same.
pub(super) fn one_in(id: &str, many: u32) -> bool {
    id.bytes()
        .fold(7_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)))
        .is_multiple_of(many)
}
