//! The waiting rooms' part of the ledger: positions and spent puzzles. One round of a room is one transaction.

use crate::edge::keys::{entropy, signed};
use crate::edge::puzzle::Spending;
use crate::sqlite::Database;
use rusqlite::{Transaction, params};
use std::collections::BTreeMap;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS queue_rooms(
    event TEXT PRIMARY KEY, seed BLOB NOT NULL, drawn_through INTEGER) STRICT;
CREATE TABLE IF NOT EXISTS queue_positions(
    event TEXT NOT NULL, seq INTEGER NOT NULL, account TEXT NOT NULL, joined_at_ms INTEGER NOT NULL,
    state INTEGER NOT NULL DEFAULT 0, admitted_at_ms INTEGER,
    PRIMARY KEY (event, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent_puzzles(
    id TEXT PRIMARY KEY, expires_at_s INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS spent_puzzles_by_end ON spent_puzzles(expires_at_s);";

/// One position, as stored.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) seq: u64,
    pub(crate) account: String,
    /// The code of a [`super::State`].
    pub(crate) state: u8,
    pub(crate) admitted_at_ms: u64,
}

/// A room, as stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loaded {
    /// Of the lottery.
    pub(crate) seed: [u8; 32],
    /// The last join that took part in the draw; nothing before the draw.
    pub(crate) drawn_through: Option<u64>,
    /// In the order of joining.
    pub(crate) positions: Vec<Row>,
}

/// Somebody who wants a position.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) account: String,
    /// The puzzle to spend, if one was asked for.
    pub(crate) spends: Option<Spending>,
    /// Has a position already, which is kept.
    pub(crate) keeps: bool,
}

/// What became of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seat {
    /// The position it had.
    Kept,
    /// A new one.
    New(u64),
    /// The one that an earlier arrival of this round got.
    Same(usize),
    /// The puzzle was spent before.
    Spent,
    /// No room.
    Full,
}

/// One round: all of it, or nothing.
#[derive(Debug, Default)]
pub(crate) struct Round {
    pub(crate) event: String,
    pub(crate) now_ms: u64,
    pub(crate) arrivals: Vec<Arrival>,
    /// The event has a waiting room; without one, only puzzles are spent.
    pub(crate) queued: bool,
    /// How many more positions there may be.
    pub(crate) vacancies: u64,
    pub(crate) admitted: Vec<u64>,
    pub(crate) left: Vec<u64>,
    pub(crate) drawn_through: Option<u64>,
}

impl Round {
    pub(crate) fn is_empty(&self) -> bool {
        self.arrivals.is_empty()
            && self.admitted.is_empty()
            && self.left.is_empty()
            && self.drawn_through.is_none()
    }
}

/// The waiting rooms' part of the ledger.
#[derive(Clone)]
pub(crate) struct Store {
    database: Database,
}

impl Store {
    pub(crate) async fn open(database: Database) -> Result<Self, rusqlite::Error> {
        database.run(|sql| sql.execute_batch(SCHEMA)).await?;
        Ok(Self { database })
    }

    /// Every room.
    pub(crate) async fn load(&self) -> Result<BTreeMap<String, Loaded>, rusqlite::Error> {
        self.database.run(load).await
    }

    /// Makes sure that the room exists, with a seed for its lottery: the stored one, or a new one.
    pub(crate) async fn found(&self, event: String) -> Result<[u8; 32], rusqlite::Error> {
        let seed = entropy::<32>();
        self.database
            .run(move |sql| {
                sql.execute(
                    "INSERT OR IGNORE INTO queue_rooms(event, seed) VALUES (?1, ?2)",
                    params![event, seed],
                )?;
                sql.query_row("SELECT seed FROM queue_rooms WHERE event = ?1", [event], |row| {
                    row.get(0)
                })
            })
            .await
    }

    /// Does a round; tells what became of each arrival.
    pub(crate) async fn commit(&self, round: Round) -> Result<Vec<Seat>, rusqlite::Error> {
        self.database
            .run(move |sql| {
                let change = sql.transaction()?;
                let seats = seat(&change, &round)?;
                record(&change, &round)?;
                change.commit()?;
                Ok(seats)
            })
            .await
    }

    /// Forgets puzzles that are past their time by more than a minute: their payloads are refused for that already.
    pub(crate) async fn forget_puzzles(&self, now_ms: u64) -> Result<usize, rusqlite::Error> {
        let before = signed((now_ms / 1_000).saturating_sub(60));
        self.database
            .run(move |sql| {
                sql.execute("DELETE FROM spent_puzzles WHERE expires_at_s < ?1", [before])
            })
            .await
    }
}

fn load(sql: &mut rusqlite::Connection) -> Result<BTreeMap<String, Loaded>, rusqlite::Error> {
    let mut rooms = BTreeMap::new();
    let mut query = sql.prepare("SELECT event, seed, drawn_through FROM queue_rooms")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let drawn_through = row.get::<_, Option<i64>>(2)?.map(i64::unsigned_abs);
        let room = Loaded { seed: row.get(1)?, drawn_through, positions: Vec::new() };
        rooms.insert(row.get::<_, String>(0)?, room);
    }
    let mut query = sql.prepare(
        "SELECT event, seq, account, state, coalesce(admitted_at_ms, 0) FROM queue_positions ORDER BY event, seq",
    )?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let position = Row {
            seq: row.get::<_, i64>(1)?.unsigned_abs(),
            account: row.get(2)?,
            state: row.get(3)?,
            admitted_at_ms: row.get::<_, i64>(4)?.unsigned_abs(),
        };
        rooms.entry(row.get(0)?).or_default().positions.push(position);
    }
    Ok(rooms)
}

fn seat(change: &Transaction<'_>, round: &Round) -> Result<Vec<Seat>, rusqlite::Error> {
    let newest = "SELECT coalesce(max(seq), 0) FROM queue_positions WHERE event = ?1";
    let mut last = change.query_row(newest, [&round.event], |row| row.get::<_, i64>(0))?;
    let mut spend = change.prepare_cached("INSERT OR IGNORE INTO spent_puzzles VALUES (?1, ?2)")?;
    let mut place = change.prepare_cached(
        "INSERT INTO queue_positions(event, seq, account, joined_at_ms) VALUES (?1, ?2, ?3, ?4)",
    )?;
    let mut vacancies = round.vacancies;
    let mut newcomers = BTreeMap::new();
    let mut seats = Vec::with_capacity(round.arrivals.len());
    for (index, arrival) in round.arrivals.iter().enumerate() {
        let earlier = newcomers.get(arrival.account.as_str()).copied();
        let needs_place = round.queued && !arrival.keeps && earlier.is_none();
        if needs_place && vacancies == 0 {
            seats.push(Seat::Full);
            continue;
        }
        if let Some((id, expires_at_s)) = &arrival.spends
            && spend.execute(params![id, signed(*expires_at_s)])? == 0
        {
            seats.push(Seat::Spent);
            continue;
        }
        if !needs_place {
            seats.push(earlier.map_or(Seat::Kept, Seat::Same));
            continue;
        }
        last += 1;
        vacancies -= 1;
        place.execute(params![round.event, last, arrival.account, signed(round.now_ms)])?;
        newcomers.insert(arrival.account.as_str(), index);
        seats.push(Seat::New(last.unsigned_abs()));
    }
    Ok(seats)
}

fn record(change: &Transaction<'_>, round: &Round) -> Result<(), rusqlite::Error> {
    let mut admit = change.prepare_cached(
        "UPDATE queue_positions SET state = 1, admitted_at_ms = ?3 WHERE event = ?1 AND seq = ?2",
    )?;
    for seq in &round.admitted {
        admit.execute(params![round.event, signed(*seq), signed(round.now_ms)])?;
    }
    let mut leave = change
        .prepare_cached("UPDATE queue_positions SET state = 2 WHERE event = ?1 AND seq = ?2")?;
    for seq in &round.left {
        leave.execute(params![round.event, signed(*seq)])?;
    }
    if let Some(through) = round.drawn_through {
        let draw = "UPDATE queue_rooms SET drawn_through = ?2 WHERE event = ?1";
        change.execute(draw, params![round.event, signed(through)])?;
    }
    Ok(())
}
