//! # token-expired
//!
//! **What it finds.** A hold that was granted on a checkout token past its time.
//!
//! **Why it matters.** A token that lives for ever is a place in the queue that can be sold.
//!
//! **Evidence.** E0: the harness keeps tokens past their time and labels each such hold `expired-token`.
//!
//! **Example.** A buyer is admitted, waits until the token has expired, and still gets a hold.
//!
//! **How it can be wrong.** Only if the harness calls a token expired that is not: it waits for the time that the token
//! itself states. A refusal for another reason and an answer that never came count for nothing.
//!
//! **Cost.** One pass, O(n).

use crate::evidence::judge_attacks;
use crate::{Facts, Finding, Rule, Strength};
use onsale_history::Label;

/// The rule of this file.
pub(crate) struct TokenExpired;

impl Rule for TokenExpired {
    fn name(&self) -> &'static str {
        "token-expired"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("token_expired.rs")
    }
    fn occasions_needed(&self) -> u64 {
        10
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        judge_attacks(facts, self.name(), &[Label::ExpiredToken], |op| {
            format!(
                "{} got a hold with a checkout token past its time",
                facts.buyer_name(op.call.buyer)
            )
        })
    }
}
