//! Looking without changing.

use super::adapter::Books;
use super::pay;
use crate::admission::Bucket;
use crate::defect::Defect;
use crate::ledger::{HoldRecord, OrderRecord, Release, SkuCount, State};
use onsale_contract::admin::{LedgerHold, LedgerPage};
use onsale_contract::hold::HoldItem;
use onsale_contract::order::OrderStatus;
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(super) fn items(c: &Connection, hold_id: &str) -> rusqlite::Result<Vec<HoldItem>> {
    let sql = "SELECT sku, qty FROM hold_lines WHERE hold_id = ?1 ORDER BY sku";
    c.prepare_cached(sql)?
        .query_map([hold_id], |row| Ok(HoldItem { sku: row.get(0)?, qty: row.get(1)? }))?
        .collect()
}

pub(super) fn hold(
    c: &Connection,
    books: &Books,
    hold_id: &str,
) -> rusqlite::Result<Option<HoldRecord>> {
    let Some(hold) = pay::load(c, hold_id)? else { return Ok(None) };
    let over = hold.state == State::Held && books.lease_clock.now_ms() > hold.until_ms;
    Ok(Some(HoldRecord {
        event: hold.owner.event,
        account: hold.owner.account,
        state: hold.state,
        items: items(c, hold_id)?,
        until_ms: hold.until_ms,
        over,
    }))
}

const ORDER: &str = "SELECT o.seq, o.order_id, o.hold_id, o.account, h.state, o.amount, o.currency,
    (SELECT p.state FROM payments p WHERE p.hold_id = o.hold_id ORDER BY p.state LIKE 'REFUND%' DESC, p.attempt_id LIMIT 1),
    (SELECT p.psp_ref FROM payments p WHERE p.hold_id = o.hold_id AND p.state = 'INIT' ORDER BY p.attempt_id DESC LIMIT 1),
    (SELECT p.client_secret FROM payments p WHERE p.hold_id = o.hold_id AND p.state = 'INIT' ORDER BY p.attempt_id DESC LIMIT 1)
  FROM orders o JOIN holds h ON h.hold_id = o.hold_id";

fn order_row(row: &Row<'_>) -> rusqlite::Result<OrderRecord> {
    let (state, payment) = (row.get::<_, String>(4)?, row.get::<_, Option<String>>(7)?);
    let status = order_status(State::of(&state), payment.as_deref());
    let (intent, secret) = (row.get::<_, Option<String>>(8)?, row.get::<_, Option<String>>(9)?);
    Ok(OrderRecord {
        seq: row.get(0)?,
        order_id: row.get(1)?,
        hold_id: row.get(2)?,
        account: row.get(3)?,
        status,
        items: Vec::new(),
        amount: row.get(5)?,
        currency: row.get(6)?,
        payment: intent.zip(secret).filter(|_| status == OrderStatus::PendingPayment),
    })
}

fn order_status(hold: State, payment: Option<&str>) -> OrderStatus {
    match (hold, payment) {
        (State::Confirmed, _) => OrderStatus::Confirmed,
        (_, Some("REFUND_DUE")) => OrderStatus::Refunding,
        (_, Some("REFUNDED")) => OrderStatus::Refunded,
        (State::Held | State::Paying, _) => OrderStatus::PendingPayment,
        (State::Expired, _) => OrderStatus::Expired,
        (State::Cancelled, _) => OrderStatus::Cancelled,
        (State::Failed | State::Refused, _) => OrderStatus::PaymentFailed,
    }
}

fn with_items(c: &Connection, order: Option<OrderRecord>) -> rusqlite::Result<Option<OrderRecord>> {
    order.map(|order| Ok(OrderRecord { items: items(c, &order.hold_id)?, ..order })).transpose()
}

pub(super) fn order(c: &Connection, order_id: &str) -> rusqlite::Result<Option<OrderRecord>> {
    let sql = format!("{ORDER} WHERE o.order_id = ?1");
    with_items(c, c.prepare_cached(&sql)?.query_row([order_id], order_row).optional()?)
}

pub(super) fn order_of_hold(
    c: &Connection,
    hold_id: &str,
) -> rusqlite::Result<Option<OrderRecord>> {
    let sql = format!("{ORDER} WHERE o.hold_id = ?1 ORDER BY o.seq LIMIT 1");
    with_items(c, c.prepare_cached(&sql)?.query_row([hold_id], order_row).optional()?)
}

pub(super) fn orders_of(
    c: &Connection,
    books: &Books,
    account: &str,
    after: i64,
    most: u32,
) -> rusqlite::Result<Vec<OrderRecord>> {
    let sql = format!("{ORDER} WHERE o.account = ?1 AND o.seq > ?2 ORDER BY o.seq LIMIT ?3");
    let mut statement = c.prepare_cached(&sql)?;
    let mut orders = statement
        .query_map(params![account, after, most], order_row)?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    if books.defects.has(Defect::OrderListLags) {
        orders.retain(|order| !super::hold::one_in(&order.hold_id, 4));
    }
    orders
        .into_iter()
        .map(|order| Ok(OrderRecord { items: items(c, &order.hold_id)?, ..order }))
        .collect()
}

pub(super) fn counts(c: &Connection, event: &str) -> rusqlite::Result<Vec<SkuCount>> {
    // One pass over the holds that count, by their own index: this is asked often while the crowd is there.
    let sql = "SELECT i.sku, i.released, COALESCE(live.held, 0), COALESCE(live.confirmed, 0)
      FROM items i LEFT JOIN (
        SELECT l.sku AS sku, SUM(l.qty * (h.state != 'CONFIRMED')) AS held, SUM(l.qty * (h.state = 'CONFIRMED')) AS confirmed
        FROM holds h INDEXED BY holds_that_count CROSS JOIN hold_lines l ON l.hold_id = h.hold_id
        WHERE h.event = ?1 AND h.state IN ('HELD', 'PAYING', 'CONFIRMED') GROUP BY l.sku
      ) live ON live.sku = i.sku
      WHERE i.event = ?1 ORDER BY i.sku";
    c.prepare_cached(sql)?
        .query_map([event], |row| {
            Ok(SkuCount {
                sku: row.get(0)?,
                released: row.get(1)?,
                held: row.get(2)?,
                confirmed: row.get(3)?,
            })
        })?
        .collect()
}

pub(super) fn testimony(
    c: &Connection,
    event: &str,
    after: i64,
    most: u32,
) -> rusqlite::Result<LedgerPage> {
    let sql = "SELECT h.seq, h.hold_id, h.account, h.state, h.created_at, h.promised_until, (SELECT order_id FROM orders o WHERE o.hold_id = h.hold_id ORDER BY seq LIMIT 1)
               FROM holds h WHERE h.event = ?1 AND h.seq > ?2 ORDER BY h.seq LIMIT ?3";
    let mut last = after;
    let mut statement = c.prepare_cached(sql)?;
    let rows = statement.query_map(params![event, after, most], |row| {
        let hold = LedgerHold {
            hold_id: row.get(1)?,
            account: row.get(2)?,
            state: row.get(3)?,
            items: Vec::new(),
            order_id: row.get(6)?,
            payments: Vec::new(),
            created_at_ms: row.get(4)?,
            expires_at_ms: row.get(5)?,
        };
        Ok((row.get::<_, i64>(0)?, hold))
    })?;
    let mut holds = Vec::new();
    for row in rows {
        let (seq, mut hold) = row?;
        last = seq;
        hold.items = items(c, &hold.hold_id)?;
        hold.payments = payments(c, &hold.hold_id)?;
        holds.push(hold);
    }
    let full = u32::try_from(holds.len()).is_ok_and(|count| count == most);
    Ok(LedgerPage { holds, next: full.then(|| last.to_string()) })
}

fn payments(c: &Connection, hold_id: &str) -> rusqlite::Result<Vec<(String, String)>> {
    let sql =
        "SELECT COALESCE(psp_ref, ''), state FROM payments WHERE hold_id = ?1 ORDER BY attempt_id";
    c.prepare_cached(sql)?.query_map([hold_id], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

pub(super) fn outbox(c: &Connection, most: u32) -> rusqlite::Result<Vec<(i64, Release)>> {
    let sql = "SELECT id, event, sku, shard, epoch, hold_id, qty FROM outbox ORDER BY id LIMIT ?1";
    c.prepare_cached(sql)?
        .query_map([most], |row| {
            let bucket = Bucket { event: row.get(1)?, sku: row.get(2)?, shard: row.get(3)? };
            Ok((
                row.get(0)?,
                Release { bucket, epoch: row.get(4)?, hold_id: row.get(5)?, quantity: row.get(6)? },
            ))
        })?
        .collect()
}
