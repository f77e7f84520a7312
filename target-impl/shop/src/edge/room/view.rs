//! What requests see of a waiting room: answered from memory.

use super::conductor::Join;
use super::member::{Member, Roster, State};
use crate::edge::keys::KeyRing;
use crate::edge::token::{self, Claims};
use crate::problem::Refusal;
use onsale_contract::admin::{EventConfig, QueueConfig};
use onsale_contract::problem::{ErrorCode, Problem};
use onsale_contract::queue::QueueView;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tokio::sync::mpsc;

/// A waiting room.
pub(crate) struct Room {
    pub(crate) event: String,
    config: RwLock<Arc<EventConfig>>,
    pub(crate) roster: Roster,
    /// The rank that was admitted last.
    pub(crate) admitted_through: AtomicU64,
    /// How many wait.
    pub(crate) waiting: AtomicU64,
    /// Everything is held or sold.
    pub(crate) standby: AtomicBool,
    /// To the conductor.
    pub(crate) joins: mpsc::Sender<Join>,
}

impl Room {
    pub(crate) fn new(event: String, config: EventConfig, joins: mpsc::Sender<Join>) -> Self {
        Self {
            event,
            config: RwLock::new(Arc::new(config)),
            roster: Roster::default(),
            admitted_through: AtomicU64::new(0),
            waiting: AtomicU64::new(0),
            standby: AtomicBool::new(false),
            joins,
        }
    }

    pub(crate) fn config(&self) -> Arc<EventConfig> {
        Arc::clone(&self.config.read().expect("nobody panics with the configuration in hand"))
    }

    pub(crate) fn configure(&self, config: EventConfig) {
        *self.config.write().expect("nobody panics with the configuration in hand") =
            Arc::new(config);
    }

    /// How many are before a rank.
    pub(crate) fn ahead(&self, rank: u64) -> u64 {
        let through = self.admitted_through.load(Ordering::Relaxed);
        rank.saturating_sub(through).saturating_sub(1).min(self.waiting.load(Ordering::Relaxed))
    }

    /// Seconds until admission, estimated; unknown before a lottery's draw and when nobody is admitted.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an estimate"
    )]
    pub(crate) fn wait_s(
        &self,
        config: &EventConfig,
        queue: &QueueConfig,
        rank: u64,
        now_ms: u64,
    ) -> Option<u64> {
        let opening = config.sale_opens_at_ms.saturating_sub(now_ms).div_ceil(1_000);
        if rank == 0 || queue.rate_per_s <= 0.0 {
            return None;
        }
        Some(opening + (self.ahead(rank) as f64 / queue.rate_per_s).ceil() as u64)
    }

    /// What a member is shown. Asking keeps the place; a place that was not asked for is lost, and an admission whose
    /// token ended too.
    pub(crate) fn view(
        &self,
        keys: &KeyRing,
        account: &str,
        wall_ms: u64,
        monotonic: Duration,
    ) -> Result<QueueView, Refusal> {
        let config = self.config();
        let Some(queue) = &config.queue else {
            return Ok(self.unqueued(wall_ms));
        };
        let expired =
            |why: &str| Refusal::from(Problem::new(ErrorCode::PositionExpired).detail(why));
        let member =
            self.roster.find(account).ok_or_else(|| expired("you have no place in this queue"))?;
        let now_ms = millis(monotonic);
        if member.state() == State::Waiting && member.is_absent(now_ms, queue.abandon_after_ms) {
            member.leave();
        }
        match member.state() {
            State::Waiting => {
                member.seen(now_ms);
                Ok(self.waiting_view(&config, queue, &member, wall_ms))
            }
            State::Admitted => {
                let (token, ends_ms) = self.token(keys, queue, &member);
                if wall_ms >= *ends_ms {
                    return Err(expired("your checkout token has ended; join again"));
                }
                Ok(QueueView {
                    in_waiting_room: false,
                    wait_time: 0,
                    wait_time_known: true,
                    ahead: 0,
                    token: Some(token.clone()),
                    token_expires_at_ms: Some(*ends_ms),
                    ..self.waiting_view(&config, queue, &member, wall_ms)
                })
            }
            State::Left => Err(expired("you did not ask for too long")),
        }
    }

    fn waiting_view(
        &self,
        config: &EventConfig,
        queue: &QueueConfig,
        member: &Member,
        wall_ms: u64,
    ) -> QueueView {
        let rank = member.rank();
        let wait_s = self.wait_s(config, queue, rank, wall_ms);
        QueueView {
            in_waiting_room: true,
            wait_time: wait_s.map_or(0, |seconds| (seconds + 30) / 60),
            wait_time_known: wait_s.is_some(),
            queue_is_full: self.waiting.load(Ordering::Relaxed) >= queue.capacity,
            queue_all: true,
            last_updated: wall_ms,
            refresh_interval_seconds: queue.refresh_interval_s,
            position: rank,
            ahead: if rank == 0 { self.waiting.load(Ordering::Relaxed) } else { self.ahead(rank) },
            standby: self.standby.load(Ordering::Relaxed),
            token: None,
            token_expires_at_ms: None,
        }
    }

    /// An event without a waiting room: go on.
    fn unqueued(&self, wall_ms: u64) -> QueueView {
        QueueView {
            in_waiting_room: false,
            wait_time: 0,
            wait_time_known: true,
            queue_is_full: false,
            queue_all: false,
            last_updated: wall_ms,
            refresh_interval_seconds: 1.0,
            position: 0,
            ahead: 0,
            standby: self.standby.load(Ordering::Relaxed),
            token: None,
            token_expires_at_ms: None,
        }
    }

    /// The token of an admitted member: the same however often it is asked for.
    pub(crate) fn token<'a>(
        &self,
        keys: &KeyRing,
        queue: &QueueConfig,
        member: &'a Member,
    ) -> &'a (String, u64) {
        member.token.get_or_init(|| {
            let admitted_ms = member.admitted_at_ms();
            let (iat, exp) =
                (admitted_ms / 1_000, admitted_ms.saturating_add(queue.token_ttl_ms) / 1_000);
            let claims = Claims {
                aud: self.event.clone(),
                sub: member.account.clone(),
                jti: format!("{}-{}-{admitted_ms}", self.event, member.seq),
                iat,
                nbf: iat,
                exp,
                queue_position: member.rank(),
            };
            (token::sign(&keys.newest(), queue.token_algorithm, &claims), exp.saturating_mul(1_000))
        })
    }

    /// Does the account have a place that a new join would keep?
    pub(crate) fn has_place(
        &self,
        keys: &KeyRing,
        queue: &QueueConfig,
        member: &Member,
        wall_ms: u64,
        monotonic: Duration,
    ) -> bool {
        match member.state() {
            State::Waiting => {
                !member.is_absent(millis(monotonic), queue.abandon_after_ms) || !member.leave()
            }
            State::Admitted => wall_ms < self.token(keys, queue, member).1,
            State::Left => false,
        }
    }
}

/// As stored in atomics.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
