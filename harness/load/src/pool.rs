//! What shoppers share: stolen tokens, the barrier, what is left to resolve, who has something to list.

use onsale_client::{Buyer, Call};
use onsale_history::{BuyerId, OpId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// Tokens that a thief may find; the oldest go first.
const TOKENS_MAX: usize = 256;
/// A barrier that does not fill opens after this.
const BARRIER_WAIT_MAX: Duration = Duration::from_millis(250);

/// An operation whose outcome nobody knows yet.
pub(crate) struct Unresolved {
    pub(crate) buyer: Buyer,
    pub(crate) call: Call,
    pub(crate) op: OpId,
}

/// Shared by all workers of a swarm.
pub(crate) struct Pool {
    tokens: Mutex<VecDeque<(BuyerId, Arc<str>)>>,
    pub(crate) unresolved: Mutex<Vec<Unresolved>>,
    /// Buyers who hold or ordered something, by their number.
    pub(crate) customers: Mutex<BTreeMap<BuyerId, Buyer>>,
    barrier: Barrier,
}

struct Barrier {
    size: u32,
    waiting: Mutex<u32>,
    opened: watch::Sender<u64>,
}

impl Pool {
    /// With a barrier for so many.
    pub(crate) fn new(barrier: u32) -> Self {
        Self {
            tokens: Mutex::default(),
            unresolved: Mutex::default(),
            customers: Mutex::default(),
            barrier: Barrier { size: barrier, waiting: Mutex::new(0), opened: watch::channel(0).0 },
        }
    }
    /// Lets a token lie around.
    pub(crate) fn leave_token(&self, owner: BuyerId, token: Arc<str>) {
        let mut tokens = self.tokens.lock().expect("no holder panics");
        if tokens.len() == TOKENS_MAX {
            tokens.pop_front();
        }
        tokens.push_back((owner, token));
    }
    /// The youngest token of somebody else.
    pub(crate) fn steal_token(&self, thief: BuyerId) -> Option<Arc<str>> {
        let tokens = self.tokens.lock().expect("no holder panics");
        tokens.iter().rev().find(|(owner, _)| *owner != thief).map(|(_, token)| token.clone())
    }
    /// Remembers an operation to resolve.
    pub(crate) fn resolve_later(&self, unresolved: Unresolved) {
        self.unresolved.lock().expect("no holder panics").push(unresolved);
    }
    /// Remembers a buyer who has something to list at the end.
    pub(crate) fn remember(&self, buyer: &Buyer) {
        self.customers.lock().expect("no holder panics").insert(buyer.id, buyer.clone());
    }
    /// A future that ends when enough others wait too.
    pub(crate) fn barrier(self: &Arc<Self>) -> onsale_client::Gate {
        let pool = self.clone();
        Box::pin(async move { pool.barrier.pass().await })
    }
}

impl Barrier {
    async fn pass(&self) {
        let mut opened = self.opened.subscribe();
        {
            let mut waiting = self.waiting.lock().expect("no holder panics");
            *waiting += 1;
            if *waiting >= self.size {
                *waiting = 0;
                self.opened.send_modify(|times| *times += 1);
                return;
            }
        }
        // Too few came: go alone. Whoever still waits is counted again with the next ones.
        if tokio::time::timeout(BARRIER_WAIT_MAX, opened.changed()).await.is_err() {
            let mut waiting = self.waiting.lock().expect("no holder panics");
            *waiting = waiting.saturating_sub(1);
        }
    }
}
