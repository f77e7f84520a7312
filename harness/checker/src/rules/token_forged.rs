//! # token-forged
//!
//! **What it finds.** A hold that was granted on a checkout token with a wrong signature, or under `alg: none`.
//!
//! **Why it matters.** Whoever can write a token needs no queue, no puzzle and no limit.
//!
//! **Evidence.** E0: the harness forges tokens and labels each such hold `forged-token`.
//!
//! **Example.** A buyer changes the last byte of the signature and still gets a hold.
//!
//! **How it can be wrong.** It speaks of the attacks made, not of all forgeries. A refusal for another reason (sold out,
//! busy) and an answer that never came count for nothing.
//!
//! **Cost.** One pass, O(n).

use crate::evidence::judge_attacks;
use crate::{Facts, Finding, Rule, Strength};
use onsale_history::Label;

/// The rule of this file.
pub(crate) struct TokenForged;

impl Rule for TokenForged {
    fn name(&self) -> &'static str {
        "token-forged"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("token_forged.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        judge_attacks(facts, self.name(), &[Label::ForgedToken], |op| {
            format!("{} got a hold with a forged checkout token", facts.buyer_name(op.call.buyer))
        })
    }
}
