//! # token-replayed
//!
//! **What it finds.** A hold that was granted on another buyer's checkout token.
//!
//! **Why it matters.** One admission then serves a whole farm of accounts.
//!
//! **Evidence.** E0: the harness lends tokens between accounts and labels each such hold `replayed-token`.
//!
//! **Example.** One buyer is admitted; another shows the same token with an own queue ticket and gets a hold.
//!
//! **How it can be wrong.** It speaks of the attacks made. A refusal for another reason and an answer that never came count
//! for nothing.
//!
//! **Cost.** One pass, O(n).

use crate::evidence::judge_attacks;
use crate::{Facts, Finding, Rule, Strength};
use onsale_history::Label;

/// The rule of this file.
pub(crate) struct TokenReplayed;

impl Rule for TokenReplayed {
    fn name(&self) -> &'static str {
        "token-replayed"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("token_replayed.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        judge_attacks(facts, self.name(), &[Label::ReplayedToken], |op| {
            format!(
                "{} got a hold with the checkout token of somebody else",
                facts.buyer_name(op.call.buyer)
            )
        })
    }
}
