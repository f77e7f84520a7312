//! # queue-bypass
//!
//! **What it finds.** A hold that was granted without any checkout token: around the queue.
//!
//! **Why it matters.** One unguarded route makes the waiting room a decoration.
//!
//! **Evidence.** E0: the harness asks for holds without a token and labels them `no-token`.
//!
//! **Example.** A buyer who never joined posts to the hold route and gets a hold.
//!
//! **How it can be wrong.** It speaks of the routes tried. A refusal for another reason (sold out, busy) and an answer that
//! never came count for nothing. A hold before the sale opens is the business of `early-leak`.
//!
//! **Cost.** One pass, O(n).

use crate::evidence::judge_attacks;
use crate::{Facts, Finding, Rule, Strength};
use onsale_history::Label;

/// The rule of this file.
pub(crate) struct QueueBypass;

impl Rule for QueueBypass {
    fn name(&self) -> &'static str {
        "queue-bypass"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("queue_bypass.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        judge_attacks(facts, self.name(), &[Label::NoToken], |op| {
            format!("{} got a hold without any checkout token", facts.buyer_name(op.call.buyer))
        })
    }
}
