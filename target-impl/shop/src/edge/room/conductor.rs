//! The only writer of a waiting room.
//!
//! A round takes in the joins that have arrived, drops who left, draws the lottery when the sale opens, and admits at
//! the pace. It is committed as one transaction; then the admissions are told, in order, and the joins answered. So a
//! position is given after its join arrived and before anybody of its round is answered, and a restart finds all that
//! anybody was told.

use super::lottery::ranks;
use super::member::{Member, State};
use super::pace::Pace;
use super::store::{Arrival, Loaded, Round, Seat, Store};
use super::view::{Room, millis};
use crate::clock::SharedClock;
use crate::defect::{Defect, Defects};
use crate::edge::keys::KeyRing;
use crate::edge::puzzle::Spending;
use crate::edge::service::EdgeMetrics;
use onsale_contract::admin::{EventConfig, QueueConfig, QueueMethod};
use onsale_contract::problem::ErrorCode;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};

/// Somebody at the door.
pub(crate) struct Join {
    pub(crate) account: String,
    pub(crate) spends: Option<Spending>,
    pub(crate) answer: oneshot::Sender<Result<Joined, ErrorCode>>,
}

/// Inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Joined {
    /// From 1; 0 until the draw, or without a waiting room.
    pub(crate) position: u64,
    /// Estimated.
    pub(crate) wait_s: u64,
}

/// Joins a round takes in at most.
const ARRIVALS_MAX: usize = 2_048;
/// Between rounds, while somebody waits; and while nobody does.
const ROUND: Duration = Duration::from_millis(10);
const IDLE: Duration = Duration::from_millis(100);
/// Between searches for those who left.
const SWEEP_MS: u64 = 250;

/// The only writer of a waiting room.
pub(crate) struct Conductor {
    pub(crate) room: Arc<Room>,
    pub(crate) joins: mpsc::Receiver<Join>,
    pub(crate) store: Store,
    pub(crate) keys: Arc<KeyRing>,
    pub(crate) clock: SharedClock,
    pub(crate) defects: Defects,
    pub(crate) metrics: Arc<EdgeMetrics>,
    seed: [u8; 32],
    drawn: bool,
    /// A draw that the ledger does not know of yet.
    draw_unsaved: Option<u64>,
    /// Who waits, by rank.
    line: BTreeMap<u64, Arc<Member>>,
    /// Who waits for the draw, in the order of joining.
    undrawn: Vec<Arc<Member>>,
    pace: Pace,
    swept_ms: u64,
}

/// What a conductor works with.
pub(crate) struct Tools {
    pub(crate) store: Store,
    pub(crate) keys: Arc<KeyRing>,
    pub(crate) clock: SharedClock,
    pub(crate) defects: Defects,
    pub(crate) metrics: Arc<EdgeMetrics>,
}

impl Conductor {
    /// Takes over a room as it was stored.
    pub(crate) fn new(
        room: Arc<Room>,
        joins: mpsc::Receiver<Join>,
        tools: Tools,
        loaded: Loaded,
    ) -> Self {
        let Tools { store, keys, clock, defects, metrics } = tools;
        let pace = Pace::new(clock.monotonic());
        let mut conductor = Self {
            room,
            joins,
            store,
            keys,
            clock,
            defects,
            metrics,
            seed: loaded.seed,
            drawn: loaded.drawn_through.is_some(),
            draw_unsaved: None,
            line: BTreeMap::new(),
            undrawn: Vec::new(),
            pace,
            swept_ms: 0,
        };
        conductor.restore(loaded);
        conductor
    }

    fn restore(&mut self, loaded: Loaded) {
        let lottery = self.is_lottery();
        let through = loaded.drawn_through.unwrap_or(0);
        let drawn = loaded
            .positions
            .iter()
            .map(|row| row.seq)
            .filter(|&seq| seq <= through)
            .collect::<Vec<_>>();
        let ranks = ranks(&self.seed, &drawn);
        let now = millis(self.clock.monotonic());
        for row in loaded.positions {
            let rank = match (lottery, loaded.drawn_through) {
                (true, None) => 0,
                (true, Some(through)) if row.seq <= through => ranks[&row.seq],
                _ => row.seq,
            };
            let member = Arc::new(Member::new(row.account, row.seq, rank, now));
            match row.state {
                0 => self.wait(Arc::clone(&member)),
                1 => {
                    member.admit(row.admitted_at_ms);
                    self.room.admitted_through.fetch_max(rank, Ordering::Relaxed);
                }
                _ => {
                    member.leave();
                    // Until the draw, those who left keep their number in it.
                    if rank == 0 {
                        self.wait(Arc::clone(&member));
                    }
                }
            }
            // A place that was lost without the ledger's knowing must not come back beside the newer one.
            if let Some(older) = self.room.roster.find(&member.account) {
                older.leave();
            }
            self.room.roster.put(member);
        }
        self.count();
    }

    fn is_lottery(&self) -> bool {
        self.room.config().queue.as_ref().is_some_and(|queue| queue.method == QueueMethod::Lottery)
    }

    fn wait(&mut self, member: Arc<Member>) {
        match member.rank() {
            0 => self.undrawn.push(member),
            rank => drop(self.line.insert(rank, member)),
        }
    }

    fn count(&self) {
        let waiting = self.line.len() + self.undrawn.len();
        self.room
            .waiting
            .store(u64::try_from(waiting).expect("it fits in memory"), Ordering::Relaxed);
    }

    /// Works until the edge closes.
    pub(crate) async fn run(mut self, mut closing: watch::Receiver<bool>) {
        match self.store.found(self.room.event.clone()).await {
            Ok(seed) => self.seed = seed,
            Err(error) => {
                tracing::error!(event = self.room.event, %error, "failed to set up the waiting room");
            }
        }
        let mut arrivals = Vec::new();
        loop {
            let pause = if self.line.is_empty() && self.undrawn.is_empty() { IDLE } else { ROUND };
            tokio::select! {
                biased;
                _ = closing.changed() => return,
                taken = self.joins.recv_many(&mut arrivals, ARRIVALS_MAX) => if taken == 0 { return },
                () = tokio::time::sleep(pause) => {}
            }
            self.round(std::mem::take(&mut arrivals)).await;
            self.metrics.rounds.add();
        }
    }

    async fn round(&mut self, joins: Vec<Join>) {
        let config = self.room.config();
        let wall_ms = self.clock.wall_ms();
        let Some(queue) = &config.queue else {
            return self.unqueued(joins, wall_ms).await;
        };
        self.draw_if_due(&config, queue, wall_ms);
        let mut left = self.sweep(queue);
        let admitted = self.choose(&config, queue, joins.is_empty(), &mut left);
        let round = Round {
            event: self.room.event.clone(),
            now_ms: wall_ms,
            arrivals: self.arrivals(queue, &joins, wall_ms),
            queued: true,
            vacancies: queue.capacity.saturating_sub(self.room.waiting.load(Ordering::Relaxed)),
            admitted: admitted.iter().map(|member| member.seq).collect(),
            left: left.iter().map(|member| member.seq).collect(),
            drawn_through: self.draw_unsaved,
        };
        if round.is_empty() {
            return self.count();
        }
        match self.store.commit(round).await {
            Ok(seats) => {
                self.draw_unsaved = None;
                self.admit(queue, &admitted, wall_ms);
                self.answer(&config, queue, joins, &seats, wall_ms);
            }
            Err(error) => {
                tracing::error!(event = self.room.event, %error, "failed to commit a round of the waiting room");
                for member in admitted {
                    self.wait(member);
                }
                for join in joins {
                    // Who does not wait for the answer any more, needs none.
                    let _ = join.answer.send(Err(ErrorCode::Internal));
                }
            }
        }
        self.count();
    }

    fn arrivals(&self, queue: &QueueConfig, joins: &[Join], wall_ms: u64) -> Vec<Arrival> {
        let monotonic = self.clock.monotonic();
        let keeps = |account: &str| {
            let member = self.room.roster.find(account);
            member.is_some_and(|member| {
                self.room.has_place(&self.keys, queue, &member, wall_ms, monotonic)
            })
        };
        let arrival = |join: &Join| Arrival {
            account: join.account.clone(),
            spends: join.spends.clone(),
            keeps: keeps(&join.account),
        };
        joins.iter().map(arrival).collect()
    }

    /// An event without a waiting room: puzzles are spent, and that is all.
    async fn unqueued(&self, joins: Vec<Join>, now_ms: u64) {
        if joins.is_empty() {
            return;
        }
        let arrival = |join: &Join| Arrival {
            account: join.account.clone(),
            spends: join.spends.clone(),
            keeps: true,
        };
        let arrivals = joins.iter().map(arrival).collect();
        let round = Round { event: self.room.event.clone(), now_ms, arrivals, ..Round::default() };
        let seats = self.store.commit(round).await.unwrap_or_default();
        for (index, join) in joins.into_iter().enumerate() {
            let answer = match seats.get(index) {
                Some(Seat::Spent) => Err(ErrorCode::PuzzleSpent),
                Some(_) => Ok(Joined { position: 0, wait_s: 0 }),
                None => Err(ErrorCode::Internal),
            };
            let _ = join.answer.send(answer);
        }
    }

    /// Draws the lottery at the opening, among those who are there.
    fn draw_if_due(&mut self, config: &EventConfig, queue: &QueueConfig, wall_ms: u64) {
        if queue.method != QueueMethod::Lottery || self.drawn || wall_ms < config.sale_opens_at_ms {
            return;
        }
        self.drawn = true;
        let seqs = self.undrawn.iter().map(|member| member.seq).collect::<Vec<_>>();
        let ranks = ranks(&self.seed, &seqs);
        for member in std::mem::take(&mut self.undrawn) {
            member.draw(ranks[&member.seq]);
            self.wait(member);
        }
        // Everybody after this one comes in the order of joining, behind those who took part.
        self.draw_unsaved = Some(seqs.last().copied().unwrap_or(0));
    }

    /// Those who have not asked for too long; once in a while, because it looks at everybody.
    fn sweep(&mut self, queue: &QueueConfig) -> Vec<Arc<Member>> {
        let now = millis(self.clock.monotonic());
        if now.saturating_sub(self.swept_ms) < SWEEP_MS {
            return Vec::new();
        }
        self.swept_ms = now;
        let gone = |member: &Member| {
            member.state() == State::Left
                || (member.is_absent(now, queue.abandon_after_ms) && member.leave())
        };
        let mut left = Vec::new();
        let absent = self.line.values().filter(|member| gone(member)).cloned().collect::<Vec<_>>();
        for member in absent {
            self.line.remove(&member.rank());
            left.push(member);
        }
        // Until the draw, those who left keep their number in it: the draw must be the same when it is read back.
        left
    }

    /// Takes those out of the line whose turn it is. A round of its own is only worth half a batch at least.
    fn choose(
        &mut self,
        config: &EventConfig,
        queue: &QueueConfig,
        alone: bool,
        left: &mut Vec<Arc<Member>>,
    ) -> Vec<Arc<Member>> {
        let now = self.clock.monotonic();
        let mut count = self.pace.allowed(now, queue.rate_per_s, queue.batch);
        let worth =
            usize::try_from(queue.batch.div_ceil(2)).unwrap_or(usize::MAX).min(self.line.len());
        let early = self.defects.has(Defect::OpensEarly);
        let opens_at_ms = if early { config.queue_opens_at_ms } else { config.sale_opens_at_ms };
        if self.clock.wall_ms() < opens_at_ms || (alone && count < worth) {
            return Vec::new();
        }
        if self.defects.has(Defect::AdmissionBurst) {
            count = self.line.len();
        }
        let mut chosen = Vec::new();
        while chosen.len() < count {
            let Some(rank) = self.next(queue) else { break };
            let member = self.line.remove(&rank).expect("it was just found");
            let absent = member.is_absent(millis(now), queue.abandon_after_ms);
            if member.state() == State::Left || (absent && member.leave()) {
                left.push(member);
            } else {
                chosen.push(member);
            }
        }
        chosen
    }

    fn next(&self, queue: &QueueConfig) -> Option<u64> {
        if self.defects.has(Defect::LifoBatch) {
            // A batch large enough to be seen: three seconds of admissions.
            let batch = queue.batch.max(f64_to_u32(queue.rate_per_s * 3.0));
            return self
                .line
                .keys()
                .take(usize::try_from(batch).unwrap_or(usize::MAX))
                .next_back()
                .copied();
        }
        self.line.first_key_value().map(|(&rank, _)| rank)
    }

    /// Tells the admitted, in order, and pays for them at this very moment.
    fn admit(&mut self, queue: &QueueConfig, admitted: &[Arc<Member>], wall_ms: u64) {
        // The bucket has only filled since the choice, but it must fill up to this moment and not beyond a batch.
        let _ = self.pace.allowed(self.clock.monotonic(), queue.rate_per_s, queue.batch);
        for member in admitted {
            member.admit(wall_ms);
            self.room.admitted_through.fetch_max(member.rank(), Ordering::Relaxed);
        }
        self.pace.spend(admitted.len());
        self.metrics.admissions.add_many(u64::try_from(admitted.len()).expect("a batch is small"));
    }

    fn answer(
        &mut self,
        config: &EventConfig,
        queue: &QueueConfig,
        joins: Vec<Join>,
        seats: &[Seat],
        wall_ms: u64,
    ) {
        let now = millis(self.clock.monotonic());
        let lottery = queue.method == QueueMethod::Lottery && !self.drawn;
        for (join, seat) in joins.iter().zip(seats) {
            if let Seat::New(seq) = *seat {
                let rank = if lottery { 0 } else { seq };
                let member = Arc::new(Member::new(join.account.clone(), seq, rank, now));
                self.room.roster.put(Arc::clone(&member));
                self.wait(member);
            }
        }
        self.count();
        for (join, seat) in joins.into_iter().zip(seats) {
            let answer = match seat {
                Seat::Spent => Err(ErrorCode::PuzzleSpent),
                Seat::Full => Err(ErrorCode::QueueFull),
                Seat::Kept | Seat::Same(_) | Seat::New(_) => {
                    let member = self.room.roster.find(&join.account).expect("it has a place");
                    member.seen(now);
                    let position = member.rank();
                    let admitted = member.state() == State::Admitted;
                    let wait = self.room.wait_s(config, queue, position, wall_ms);
                    Ok(Joined { position, wait_s: if admitted { 0 } else { wait.unwrap_or(0) } })
                }
            };
            self.metrics.joins.add_many(u64::from(answer.is_ok()));
            let _ = join.answer.send(answer);
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, which is meant"
)]
fn f64_to_u32(value: f64) -> u32 {
    value as u32
}
