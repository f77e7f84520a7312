//! Who is next: a wheel of sleepers, a queue of those who are due, and the end of the load.

use crate::session::{Shopper, Twin};
use crate::wheel::Wheel;
use onsale_history::{Clock, Nanos};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;
use tokio::sync::Notify;

/// The wheel turns so often.
const TICK: Duration = Duration::from_millis(1);
const TICK_NS: u64 = 1_000_000;

/// Something to do.
pub(crate) enum Task {
    /// A shopper arrives.
    Arrive(u32),
    /// A shopper's next step.
    Shopper(Box<Shopper>),
    /// The second of two clicks.
    Twin(Box<Twin>),
}

struct State {
    wheel: Wheel<(Nanos, Task)>,
    due: VecDeque<(Nanos, Task)>,
    /// Tasks that exist: asleep, due, with a worker or with a solver.
    alive: usize,
    closed: bool,
}

/// Shared by the dispatcher, the workers and the solvers.
pub(crate) struct Scheduler {
    state: Mutex<State>,
    wake: Notify,
    clock: Clock,
}

impl Scheduler {
    /// An empty one.
    pub(crate) fn new(clock: Clock) -> Self {
        let mut wheel = Wheel::new();
        wheel.advance(clock.now().0 / TICK_NS, &mut vec![]);
        let state = State { wheel, due: VecDeque::new(), alive: 0, closed: false };
        Self { state: Mutex::new(state), wake: Notify::new(), clock }
    }

    /// A new task.
    pub(crate) fn add(&self, at: Nanos, task: Task) {
        let mut state = self.state.lock().expect("no holder panics");
        state.alive += 1;
        self.lay(&mut state, at, task);
    }

    /// A task that a worker took and gives back.
    pub(crate) fn again(&self, at: Nanos, task: Task) {
        let mut state = self.state.lock().expect("no holder panics");
        self.lay(&mut state, at, task);
    }

    /// A task that a worker or solver took and gives back, to go on at once.
    pub(crate) fn ready(&self, task: Task) {
        self.again(self.clock.now(), task);
    }

    fn lay(&self, state: &mut State, at: Nanos, task: Task) {
        if at <= self.clock.now() {
            state.due.push_back((at, task));
            self.wake.notify_one();
        } else {
            state.wheel.lay(at.0.div_ceil(TICK_NS), (at, task));
        }
    }

    /// A task is over. The last one closes the scheduler.
    pub(crate) fn finished(&self) {
        let mut state = self.state.lock().expect("no holder panics");
        state.alive -= 1;
        if state.alive == 0 {
            state.closed = true;
            self.wake.notify_waiters();
        }
    }

    /// The next due task and when it was due; nothing when the load is over.
    pub(crate) async fn next(&self) -> Option<(Nanos, Task)> {
        loop {
            let woken = self.wake.notified();
            tokio::pin!(woken);
            woken.as_mut().enable();
            {
                let mut state = self.state.lock().expect("no holder panics");
                if state.closed {
                    return None;
                }
                if let Some(task) = state.due.pop_front() {
                    if !state.due.is_empty() {
                        self.wake.notify_one();
                    }
                    return Some(task);
                }
            }
            woken.await;
        }
    }

    /// Turns the wheel until everybody is done.
    pub(crate) async fn turn(&self) {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        let mut ripe = vec![];
        loop {
            ticks.tick().await;
            let mut state = self.state.lock().expect("no holder panics");
            if state.closed {
                return;
            }
            state.wheel.advance(self.clock.now().0 / TICK_NS, &mut ripe);
            if !ripe.is_empty() {
                state.due.extend(ripe.drain(..).map(|(_, task)| task));
                self.wake.notify_one();
            }
        }
    }

    /// Ends the load, whoever is done or not: what was due by now, and what was not.
    pub(crate) fn close(&self) -> (Vec<Task>, Vec<Task>) {
        let mut state = self.state.lock().expect("no holder panics");
        state.closed = true;
        self.wake.notify_waiters();
        let due = state.due.drain(..).map(|(_, task)| task).collect();
        let asleep = state.wheel.empty().map(|(_, task)| task).collect();
        (due, asleep)
    }
}
