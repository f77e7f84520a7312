//! Proof of work on threads of its own, with its CPU time counted apart: in the swarm's it would corrupt the latency.

use crate::LoadError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// Puzzles that wait at most; more wait with their shopper.
const WAITING_MAX: usize = 4096;

/// One puzzle of one shopper.
pub(crate) struct Puzzle {
    pub(crate) session: u32,
    pub(crate) challenge: String,
}

/// Hears of solutions, on a puzzle thread.
pub(crate) type Solved = Arc<dyn Fn(u32, Option<String>) + Send + Sync>;

/// What solving cost.
#[derive(Default)]
pub(crate) struct Cost {
    pub(crate) puzzles: AtomicU64,
    pub(crate) cpu_ns: AtomicU64,
}

/// The threads. They end when this is dropped.
pub(crate) struct Puzzles {
    queue: Option<SyncSender<Puzzle>>,
    threads: Vec<JoinHandle<()>>,
    pub(crate) cost: Arc<Cost>,
}

impl Puzzles {
    /// `tries` a puzzle at most.
    pub(crate) fn start(threads: u32, tries: u64, solved: &Solved) -> Result<Self, LoadError> {
        let (queue, waiting) = sync_channel(WAITING_MAX);
        let waiting = Arc::new(Mutex::new(waiting));
        let cost = Arc::<Cost>::default();
        let spawn = |index| {
            let (waiting, cost, solved) = (waiting.clone(), cost.clone(), solved.clone());
            let work = move || solve_all(&waiting, tries, &cost, &solved);
            std::thread::Builder::new().name(format!("puzzles-{index}")).spawn(work)
        };
        let threads = (0..threads.max(1)).map(spawn).collect::<Result<Vec<_>, _>>();
        let threads =
            threads.map_err(|source| LoadError::Start { what: "the puzzle threads", source })?;
        Ok(Self { queue: Some(queue), threads, cost })
    }

    /// Takes a puzzle, or gives it back if too many wait.
    pub(crate) fn submit(&self, puzzle: Puzzle) -> Result<(), Puzzle> {
        let queue = self.queue.as_ref().expect("the queue is open until it is dropped");
        queue.try_send(puzzle).map_err(|full| match full {
            TrySendError::Full(puzzle) | TrySendError::Disconnected(puzzle) => puzzle,
        })
    }
}

impl Drop for Puzzles {
    fn drop(&mut self) {
        self.queue = None;
        for thread in self.threads.drain(..) {
            // A panicked solver has solved nothing; its shoppers never joined.
            let _ = thread.join();
        }
    }
}

fn solve_all(waiting: &Mutex<Receiver<Puzzle>>, tries: u64, cost: &Cost, solved: &Solved) {
    let mut spent = cpu_ns();
    loop {
        let next = waiting.lock().expect("no solver panics while it waits").recv();
        let Ok(puzzle) = next else { return };
        // What is not a puzzle cannot be solved.
        let solution = onsale_pow::solve_json(&puzzle.challenge, tries).ok().flatten();
        let now = cpu_ns();
        cost.cpu_ns.fetch_add(now.saturating_sub(spent), Ordering::Relaxed);
        cost.puzzles.fetch_add(1, Ordering::Relaxed);
        spent = now;
        solved(puzzle.session, solution);
    }
}

/// CPU time of this thread, as the kernel accounts it.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0)
}
