//! The embedded database: one connection on a thread of its own; everyone sends it closures.

use rusqlite::Connection;
use std::path::Path;
use tokio::sync::{mpsc, oneshot};

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// A handle to the database's thread. Cheap to clone; the thread ends with the last handle.
#[derive(Clone)]
pub struct Database {
    jobs: mpsc::UnboundedSender<Job>,
}

impl Database {
    /// Opens or creates the database and starts its thread. WAL with `synchronous = FULL`: a commit survives SIGKILL
    /// and power loss.
    pub fn open(path: &Path) -> rusqlite::Result<Self> {
        let mut connection = Connection::open(path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", "ON")?;
        let (jobs, mut queue) = mpsc::unbounded_channel::<Job>();
        std::thread::Builder::new()
            .name("sqlite".into())
            .spawn(move || {
                while let Some(job) = queue.blocking_recv() {
                    job(&mut connection);
                }
            })
            .expect("a thread can be started");
        Ok(Self { jobs })
    }

    /// Runs `work` on the database's thread and gives its result back.
    pub async fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> R + Send + 'static,
    ) -> R {
        let (done, result) = oneshot::channel();
        let job = Box::new(move |connection: &mut Connection| drop(done.send(work(connection))));
        self.jobs
            .send(job)
            .unwrap_or_else(|_| unreachable!("the thread lives as long as its handles"));
        result.await.expect("the database's thread does not panic")
    }
}
