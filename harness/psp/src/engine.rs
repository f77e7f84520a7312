//! The books, and what goes on around them: captures that become due, webhooks on their way.

use crate::books::{Books, Timing};
use crate::event::Action;
use crate::idempotency::Keys;
use crate::{Config, Error, Retry};
use onsale_history::{DeliveryLabel, Scribe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinHandle;

/// Webhook requests in flight at once.
const DELIVERIES_AT_ONCE: usize = 256;

/// One provider's inside.
pub(crate) struct Engine {
    books: Mutex<Books>,
    pub(crate) keys: Arc<Keys>,
    pub(crate) secret_key: String,
    pub(crate) webhook_secret: String,
    pub(crate) retry: Retry,
    pub(crate) http: reqwest::Client,
    pub(crate) permits: Semaphore,
    /// How many parcels have left: what a reordered one waits for.
    pub(crate) left: watch::Sender<u64>,
    stopped: watch::Sender<bool>,
    pending: Arc<Pending>,
}

/// How much is under way.
#[derive(Default)]
struct Pending {
    count: AtomicUsize,
    less: Notify,
}

/// Held by everything that is under way.
pub(crate) struct Busy(Arc<Pending>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::SeqCst);
        self.0.less.notify_waiters();
    }
}

impl Engine {
    pub(crate) fn new(config: &Config, scribe: Scribe) -> Result<Self, Error> {
        let http = reqwest::Client::builder()
            .no_proxy()
            .tcp_nodelay(true)
            .timeout(config.retry.timeout)
            .pool_max_idle_per_host(DELIVERIES_AT_ONCE)
            .user_agent("Stripe/1.0 (+https://stripe.com/docs/webhooks)")
            .build()
            .map_err(Error::WebhookClient)?;
        Ok(Self {
            books: Mutex::new(Books::new(config, scribe)),
            keys: Arc::default(),
            secret_key: config.secret_key.clone(),
            webhook_secret: config.webhook_secret.clone(),
            retry: config.retry,
            http,
            permits: Semaphore::new(DELIVERIES_AT_ONCE),
            left: watch::Sender::new(0),
            stopped: watch::Sender::new(false),
            pending: Arc::default(),
        })
    }

    /// Reads the books.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&Books) -> T) -> T {
        look(&self.books.lock().expect("no holder panics"))
    }

    /// Changes the books and sets going what follows. Gives back the early webhooks, for whoever must answer after them.
    pub(crate) fn change<T>(
        self: &Arc<Self>,
        change: impl FnOnce(&mut Books) -> T,
    ) -> (T, Vec<JoinHandle<()>>) {
        let mut books = self.books.lock().expect("no holder panics");
        let result = change(&mut books);
        // Spawned under the lock: nobody can see the change and find nothing pending.
        let early = books.actions.drain(..).filter_map(|action| self.begin(action)).collect();
        (result, early)
    }

    fn begin(self: &Arc<Self>, action: Action) -> Option<JoinHandle<()>> {
        self.pending.count.fetch_add(1, Ordering::SeqCst);
        let busy = Busy(self.pending.clone());
        let engine = self.clone();
        match action {
            Action::Settle { intent, confirmation, after } => {
                tokio::spawn(async move {
                    if engine.pause(after).await {
                        engine.change(|books| books.settle(&intent, confirmation, Timing::Usual));
                    }
                    drop(busy);
                });
                None
            }
            Action::Deliver(parcel) => {
                let early = parcel.label == DeliveryLabel::Early;
                let task = tokio::spawn(crate::delivery::deliver(engine, parcel, busy));
                early.then_some(task)
            }
        }
    }

    /// Waits; false when the provider was stopped meanwhile.
    pub(crate) async fn pause(&self, wait: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(wait) => true,
            () = self.stopping() => false,
        }
    }

    /// Returns when the provider is told to stop.
    pub(crate) async fn stopping(&self) {
        // The sender lives as long as `self`: waiting cannot fail.
        let _ = self.stopped.subscribe().wait_for(|stopped| *stopped).await;
    }

    pub(crate) fn stop(&self) {
        self.stopped.send_replace(true);
    }

    /// Payments being processed and webhooks on their way.
    pub(crate) fn pending(&self) -> usize {
        self.pending.count.load(Ordering::SeqCst)
    }

    /// Returns when nothing is under way.
    pub(crate) async fn quiet(&self) {
        loop {
            let less = self.pending.less.notified();
            if self.pending() == 0 {
                return;
            }
            less.await;
        }
    }
}
