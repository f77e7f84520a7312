//! [`SqliteLedger`]: the port's methods, each a transaction of a file beside this one.

use super::committer::Committer;
use super::{
    attempts, cancel, configure, expire, hold, outcome, pay, quota, reads, rebuild, schema,
};
use crate::admission::Bucket;
use crate::clock::SharedClock;
use crate::defect::Defects;
use crate::gateway::Metrics;
use crate::ledger::{
    Answer, Attempt, BucketState, Configured, HoldCommand, HoldRecord, LeaseClock, Ledger,
    LedgerError, Marked, OrderRecord, Outcome, OutcomeVerdict, PayCommand, PayVerdict, Rebuilt,
    Refund, Release, RemoveVerdict, Removed, SkuCount, Verdict,
};
use crate::sqlite::Database;
use futures_util::FutureExt;
use onsale_contract::admin::{EventConfig, LedgerPage};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

/// The ledger in this process.
pub struct SqliteLedger {
    writer: Committer,
    reader: Database,
    books: Arc<Books>,
}

/// What every transaction needs besides its connection.
pub(super) struct Books {
    pub(super) defects: Defects,
    pub(super) lease_clock: LeaseClock,
    terms: RwLock<BTreeMap<String, Arc<EventConfig>>>,
}

impl Books {
    /// The terms of a sale.
    pub(super) fn terms(&self, event: &str) -> Option<Arc<EventConfig>> {
        self.terms.read().unwrap_or_else(PoisonError::into_inner).get(event).cloned()
    }
    fn learn(&self, event: &str, config: EventConfig) {
        self.terms
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(event.to_owned(), Arc::new(config));
    }
}

impl SqliteLedger {
    /// Opens the ledger in `database`. `unchecked`: holds are written that were acknowledged already, whatever they
    /// break (`--admission redis-only`).
    pub async fn open(
        database: Database,
        clock: SharedClock,
        defects: Defects,
        unchecked: bool,
        metrics: Arc<Metrics>,
    ) -> Result<Self, LedgerError> {
        let books = Arc::new(Books {
            defects: defects.clone(),
            lease_clock: LeaseClock::start(clock),
            terms: RwLock::default(),
        });
        let path = database
            .run(move |connection| {
                schema::migrate(connection, &defects, unchecked)?;
                connection.set_prepared_statement_cache_capacity(128);
                Ok(connection.path().map(PathBuf::from).unwrap_or_default())
            })
            .await
            .map_err(LedgerError::Statement)?;
        let reader = Database::open(&path).map_err(LedgerError::Statement)?;
        let writer = Committer::start(database, metrics);
        let ledger = Self { writer, reader, books };
        for (event, config) in ledger.events().await? {
            ledger.books.learn(&event, config);
        }
        Ok(ledger)
    }

    /// The clock that leases follow.
    pub fn lease_clock(&self) -> &LeaseClock {
        &self.books.lease_clock
    }

    fn write<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &Books) -> rusqlite::Result<R> + Send + 'static,
    ) -> Answer<'_, R> {
        let books = Arc::clone(&self.books);
        async move { self.writer.run(move |connection| work(connection, &books)).await }.boxed()
    }

    /// One read transaction: everything it sees is from one instant, and nothing that was answered is missing.
    fn read<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &Books) -> rusqlite::Result<R> + Send + 'static,
    ) -> Answer<'_, R> {
        let books = Arc::clone(&self.books);
        let work = move |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            work(&transaction, &books)
        };
        async move { self.reader.run(work).await.map_err(LedgerError::Statement) }.boxed()
    }
}

impl Ledger for SqliteLedger {
    fn events(&self) -> Answer<'_, Vec<(String, EventConfig)>> {
        let stored = self.read(|c, _| {
            let mut statement =
                c.prepare_cached("SELECT event, config FROM events ORDER BY event")?;
            let rows = statement
                .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        });
        async move {
            let parse = |(event, json): (String, String)| match serde_json::from_str(&json) {
                Ok(config) => Ok((event, config)),
                Err(source) => Err(LedgerError::Config { event, source }),
            };
            stored.await?.into_iter().map(parse).collect()
        }
        .boxed()
    }

    fn configure(
        &self,
        event: String,
        config: EventConfig,
        wall_ms: u64,
    ) -> Answer<'_, Configured> {
        async move {
            let json = serde_json::to_string(&config)
                .map_err(|source| LedgerError::Config { event: event.clone(), source })?;
            let (name, terms) = (event.clone(), config.clone());
            let done = self
                .write(move |c, _| configure::configure(c, &name, &terms, &json, wall_ms))
                .await?;
            if matches!(done, Configured::Stored(_)) {
                self.books.learn(&event, config);
            }
            Ok(done)
        }
        .boxed()
    }

    fn release_waves(&self, wall_ms: u64) -> Answer<'_, Vec<Bucket>> {
        self.write(move |c, books| {
            let terms = books.terms.read().unwrap_or_else(PoisonError::into_inner).clone();
            let mut grown = Vec::new();
            for (event, config) in &terms {
                for sku in config.skus.iter().filter(|sku| !sku.waves.is_empty()) {
                    grown.extend(configure::release(c, event, sku, wall_ms)?);
                }
            }
            Ok(grown)
        })
    }

    fn hold(&self, batch: Vec<HoldCommand>) -> Answer<'_, Vec<Verdict>> {
        self.write(move |c, books| {
            batch.iter().map(|command| hold::t1(c, books, command)).collect()
        })
    }

    fn recall(&self, hold_id: String, body_hash: String) -> Answer<'_, Option<Verdict>> {
        self.read(move |c, books| hold::recall(c, books, &hold_id, &body_hash))
    }

    fn account_units(&self, event: String, account: String) -> Answer<'_, u32> {
        self.read(move |c, _| {
            quota::taken(c, &event, quota::ACCOUNT, &account)
                .map(|units| u32::try_from(units).unwrap_or_default())
        })
    }

    fn pay(&self, command: PayCommand) -> Answer<'_, PayVerdict> {
        self.write(move |c, books| pay::t2(c, books, &command))
    }

    fn attach(&self, attempt_id: String, psp_ref: String, client_secret: String) -> Answer<'_, ()> {
        self.write(move |c, _| {
            let sql = "UPDATE payments SET psp_ref = ?2, client_secret = ?3 WHERE attempt_id = ?1";
            c.prepare_cached(sql)?.execute([&attempt_id, &psp_ref, &client_secret]).map(drop)
        })
    }

    fn outcome(&self, outcome: Outcome) -> Answer<'_, OutcomeVerdict> {
        self.write(move |c, books| outcome::t3(c, books, &outcome))
    }

    fn expire(&self, most: u32) -> Answer<'_, Vec<Removed>> {
        async move {
            if !self.read(expire::is_due).await? {
                return Ok(Vec::new());
            }
            self.write(move |c, books| expire::t4(c, books, most)).await
        }
        .boxed()
    }

    fn cancel_hold(&self, hold_id: String, account: String) -> Answer<'_, RemoveVerdict> {
        self.write(move |c, books| cancel::hold(c, books, &hold_id, &account))
    }

    fn mark_cancelling(&self, order_id: String, account: String) -> Answer<'_, Marked> {
        self.write(move |c, _| cancel::mark(c, &order_id, &account))
    }

    fn refunds_due(&self, most: u32) -> Answer<'_, Vec<Refund>> {
        self.read(move |c, _| attempts::refunds(c, most))
    }

    fn refunded(&self, attempt_id: String, number: u32, done: bool) -> Answer<'_, ()> {
        self.write(move |c, _| attempts::refunded(c, &attempt_id, number, done))
    }

    fn attempts_due(&self, most: u32) -> Answer<'_, Vec<Attempt>> {
        self.read(move |c, books| attempts::due(c, books, most))
    }

    fn attempt_seen(&self, attempt_id: String) -> Answer<'_, ()> {
        self.write(move |c, books| attempts::seen(c, books, &attempt_id))
    }

    fn rebuild(&self, bucket: Bucket, seen: Option<u64>) -> Answer<'_, Option<Rebuilt>> {
        self.write(move |c, _| rebuild::t7(c, &bucket, seen))
    }

    fn outbox(&self, most: u32) -> Answer<'_, Vec<(i64, Release)>> {
        self.read(move |c, _| reads::outbox(c, most))
    }

    fn outbox_done(&self, ids: Vec<i64>) -> Answer<'_, ()> {
        self.write(move |c, _| {
            let mut statement = c.prepare_cached("DELETE FROM outbox WHERE id = ?1")?;
            ids.iter().try_for_each(|id| statement.execute([id]).map(drop))
        })
    }

    fn buckets(&self) -> Answer<'_, Vec<BucketState>> {
        self.read(|c, _| rebuild::states(c))
    }

    fn told(&self) -> Answer<'_, Vec<String>> {
        self.read(|c, _| {
            c.prepare_cached("SELECT hold_id FROM holds ORDER BY seq")?
                .query_map([], |row| row.get(0))?
                .collect()
        })
    }

    fn find_hold(&self, hold_id: String) -> Answer<'_, Option<HoldRecord>> {
        self.read(move |c, books| reads::hold(c, books, &hold_id))
    }

    fn find_order(&self, order_id: String) -> Answer<'_, Option<OrderRecord>> {
        self.read(move |c, _| reads::order(c, &order_id))
    }

    fn orders_of(&self, account: String, after: i64, most: u32) -> Answer<'_, Vec<OrderRecord>> {
        self.read(move |c, books| reads::orders_of(c, books, &account, after, most))
    }

    fn counts(&self, event: String) -> Answer<'_, Vec<SkuCount>> {
        self.read(move |c, _| reads::counts(c, &event))
    }

    fn testimony(&self, event: String, after: i64, most: u32) -> Answer<'_, LedgerPage> {
        self.read(move |c, _| reads::testimony(c, &event, after, most))
    }
}
