//! Proof of work on threads of its own, so that it does not spoil latencies; its CPU time is counted apart.

use crate::scheduler::{Scheduler, Task};
use crate::session::Shopper;
use nix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

/// Tries of one puzzle at most.
const TRIES_MAX: u64 = 1 << 28;

/// The threads that solve.
pub(crate) struct Solvers {
    queue: mpsc::Sender<(Box<Shopper>, String)>,
    threads: Vec<JoinHandle<()>>,
    solved: Arc<AtomicU64>,
    cpu_ns: Arc<AtomicU64>,
}

impl Solvers {
    /// Starts the threads; a solved shopper goes back to the scheduler at once.
    pub(crate) fn start(count: u32, scheduler: &Arc<Scheduler>) -> Self {
        let (queue, puzzles) = mpsc::channel::<(Box<Shopper>, String)>();
        let puzzles = Arc::new(Mutex::new(puzzles));
        let (solved, cpu_ns) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let threads = (0..count.max(1))
            .map(|_| {
                let (puzzles, scheduler) = (puzzles.clone(), scheduler.clone());
                let (solved, cpu_ns) = (solved.clone(), cpu_ns.clone());
                let work = move || {
                    let mut counted = 0;
                    loop {
                        let next = puzzles.lock().expect("no solver panics").recv();
                        let Ok((mut shopper, challenge)) = next else { return };
                        // A puzzle that cannot be read or solved leaves the shopper without a solution: the target says no.
                        shopper.puzzle =
                            onsale_pow::solve_json(&challenge, TRIES_MAX).ok().flatten();
                        solved.fetch_add(u64::from(shopper.puzzle.is_some()), Ordering::Relaxed);
                        scheduler.ready(Task::Shopper(shopper));
                        let used = thread_cpu_ns();
                        cpu_ns.fetch_add(used.saturating_sub(counted), Ordering::Relaxed);
                        counted = used;
                    }
                };
                std::thread::Builder::new()
                    .name("puzzles".into())
                    .spawn(work)
                    .expect("a thread can be started")
            })
            .collect();
        Self { queue, threads, solved, cpu_ns }
    }

    /// Where to send a shopper with a puzzle.
    pub(crate) fn queue(&self) -> mpsc::Sender<(Box<Shopper>, String)> {
        self.queue.clone()
    }

    /// Ends the threads and says how much they did.
    pub(crate) fn stop(self) -> (u64, Duration) {
        drop(self.queue);
        for thread in self.threads {
            thread.join().expect("no solver panics");
        }
        let cpu = Duration::from_nanos(self.cpu_ns.load(Ordering::Relaxed));
        (self.solved.load(Ordering::Relaxed), cpu)
    }
}

fn thread_cpu_ns() -> u64 {
    let time =
        clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default();
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
