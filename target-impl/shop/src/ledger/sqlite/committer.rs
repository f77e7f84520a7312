//! Group commit: whoever waits is committed together.

use crate::gateway::Metrics;
use crate::ledger::LedgerError;
use crate::sqlite::Database;
use rusqlite::{Connection, TransactionBehavior};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Tells the one who waits, given how the commit ended.
type Tell = Box<dyn FnOnce(Result<(), String>) + Send>;
type Job = Box<dyn FnOnce(&Connection) -> Tell + Send>;

/// At most so many transactions share a commit.
const GROUP_MAX: usize = 512;

/// Takes transactions in.
#[derive(Clone)]
pub(super) struct Committer {
    jobs: mpsc::UnboundedSender<Job>,
}

impl Committer {
    pub(super) fn start(database: Database, metrics: Arc<Metrics>) -> Self {
        let (jobs, mut queue) = mpsc::unbounded_channel::<Job>();
        tokio::spawn(async move {
            let mut group = Vec::new();
            while queue.recv_many(&mut group, GROUP_MAX).await > 0 {
                metrics.ledger_commits.add();
                metrics.ledger_transactions.add_many(group.len() as u64);
                let jobs = std::mem::take(&mut group);
                database.run(move |connection| commit(connection, jobs)).await;
            }
        });
        Self { jobs }
    }

    /// Runs `work` in a transaction; its result is given after the commit, an error after its rollback.
    pub(super) async fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<R> + Send + 'static,
    ) -> Result<R, LedgerError> {
        let (done, result) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let outcome = savepoint(connection, work);
            Box::new(move |committed| {
                let answer = match (outcome, committed) {
                    (Ok(value), Ok(())) => Ok(value),
                    (Ok(_), Err(message)) => Err(LedgerError::Commit(message)),
                    (Err(error), _) => Err(LedgerError::Statement(error)),
                };
                drop(done.send(answer));
            })
        });
        self.jobs.send(job).map_err(|_| LedgerError::Stopped)?;
        result.await.map_err(|_| LedgerError::Stopped)?
    }
}

fn savepoint<R>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<R>,
) -> rusqlite::Result<R> {
    connection.prepare_cached("SAVEPOINT one")?.execute([])?;
    let result = work(connection);
    if result.is_err() {
        connection.prepare_cached("ROLLBACK TO one")?.execute([])?;
    }
    connection.prepare_cached("RELEASE one")?.execute([])?;
    result
}

fn commit(connection: &mut Connection, jobs: Vec<Job>) {
    let mut tells = Vec::with_capacity(jobs.len());
    let committed = connection.transaction_with_behavior(TransactionBehavior::Immediate).and_then(
        |transaction| {
            tells.extend(jobs.into_iter().map(|job| job(&transaction)));
            transaction.commit()
        },
    );
    let committed = committed.map_err(|error| error.to_string());
    for tell in tells {
        tell(committed.clone());
    }
}
