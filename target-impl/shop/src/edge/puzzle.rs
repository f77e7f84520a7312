//! The puzzle in front of the waiting room: bound to event, device and purpose. That a solution is spent once is the
//! ledger's business: it is spent in the very transaction that gives a position.

use super::keys::{KeyRing, entropy};
use crate::problem::Refusal;
use onsale_contract::admin::PuzzleConfig;
use onsale_contract::challenge::PuzzleScheme;
use onsale_contract::problem::{ErrorCode, Problem};
use onsale_pow::{Difficulty, Puzzle, Rejection, Scheme, Terms};
use std::sync::atomic::{AtomicU64, Ordering};

const PURPOSE: &str = "queue";

/// A puzzle's identifier and when it may be forgotten, in seconds since 1970.
pub(crate) type Spending = (String, u64);

/// Makes puzzles that never repeat.
pub(crate) struct Puzzles {
    process: [u8; 16],
    count: AtomicU64,
}

impl Default for Puzzles {
    fn default() -> Self {
        Self { process: entropy(), count: AtomicU64::new(0) }
    }
}

impl Puzzles {
    /// A puzzle for this event and device; nothing if the event asks for none.
    pub(crate) fn issue(
        &self,
        keys: &KeyRing,
        config: &PuzzleConfig,
        event: &str,
        device: &str,
        now_ms: u64,
    ) -> Option<Puzzle> {
        let scheme = match config.scheme {
            PuzzleScheme::None => return None,
            PuzzleScheme::AltchaV1 => Scheme::V1,
            PuzzleScheme::AltchaV2 => Scheme::V2,
        };
        let data = [("client", device), ("ev", event), ("for", PURPOSE)];
        let data = data.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let expires_at_s = now_ms.saturating_add(config.ttl_ms).div_ceil(1_000);
        let mut unique = self.process.to_vec();
        unique.extend(self.count.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        let difficulty = Difficulty { cost: config.cost, max_number: config.max_number };
        Some(keys.newest().puzzles.issue(
            scheme,
            difficulty,
            &Terms { data, expires_at_s },
            &unique,
        ))
    }
}

/// Is it a solution of a puzzle of ours for this event and device, in time? What is to be spent, if so.
pub(crate) fn verify(
    keys: &KeyRing,
    event: &str,
    device: &str,
    solution: Option<&str>,
    now_ms: u64,
) -> Result<Spending, Refusal> {
    let refused = |why: String| Refusal::from(Problem::new(ErrorCode::PuzzleInvalid).detail(why));
    let solution = solution.ok_or_else(|| refused("there is no solution".to_owned()))?;
    let mut last = Rejection::Signature;
    for key in keys.live() {
        match key.puzzles.verify(solution, now_ms / 1_000) {
            Ok(verified) => {
                let bound = [("client", device), ("ev", event), ("for", PURPOSE)];
                let matches = |(name, value)| {
                    verified.data.get(name).is_some_and(|had: &String| had == value)
                };
                return if bound.into_iter().all(matches) {
                    Ok((verified.id, verified.expires_at_s))
                } else {
                    Err(refused("the puzzle was made for another event or device".to_owned()))
                };
            }
            // Another key may have signed it; any other reason is final.
            Err(Rejection::Signature) => {}
            Err(reason) => last = reason,
        }
    }
    Err(refused(last.to_string()))
}
