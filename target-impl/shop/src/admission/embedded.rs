//! The admission store in this process: an interpreter and its keyspace on a thread of their own.

use super::interpreter::Interpreter;
use super::reply::Reply;
use super::scripts::Script;
use super::{AdmissionError, AdmissionStore};
use crate::defect::Defects;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

struct Job {
    source: &'static str,
    keys: Vec<String>,
    args: Vec<String>,
    done: oneshot::Sender<Reply>,
}

/// A handle to the keyspace's thread. The keyspace is empty at first, and is gone with its last handle.
#[derive(Clone)]
pub struct EmbeddedStore {
    jobs: mpsc::UnboundedSender<Job>,
    defects: Defects,
}

impl EmbeddedStore {
    /// Starts the thread.
    pub fn start(defects: Defects) -> Self {
        let (jobs, mut queue) = mpsc::unbounded_channel::<Job>();
        std::thread::Builder::new()
            .name("keyspace".into())
            .spawn(move || {
                let mut interpreter =
                    Interpreter::new().expect("the interpreter's own tables can be made");
                while let Some(job) = queue.blocking_recv() {
                    let reply = interpreter.run(job.source, &job.keys, &job.args);
                    drop(job.done.send(reply));
                }
            })
            .expect("a thread can be started");
        Self { jobs, defects }
    }

    /// Runs any script; its text is kept compiled.
    pub async fn eval(
        &self,
        source: &'static str,
        keys: Vec<String>,
        args: Vec<String>,
    ) -> Option<Reply> {
        let (done, reply) = oneshot::channel();
        self.jobs.send(Job { source, keys, args, done }).ok()?;
        reply.await.ok()
    }
}

impl AdmissionStore for EmbeddedStore {
    fn run(
        &self,
        script: Script,
        keys: Vec<String>,
        args: Vec<String>,
    ) -> BoxFuture<'_, Result<Reply, AdmissionError>> {
        async move {
            let reply = self
                .eval(script.source(&self.defects), keys, args)
                .await
                .ok_or(AdmissionError::Stopped)?;
            let script = script.name();
            match reply {
                Reply::Error(message) if message.ends_with("EVENT_NOT_FOUND") => {
                    Err(AdmissionError::NotBuilt { script })
                }
                Reply::Error(message) => Err(AdmissionError::Script { script, message }),
                reply => Ok(reply),
            }
        }
        .boxed()
    }
}
