//! What can be wrong with a provider.

use std::time::Duration;

/// How the provider behaves; changeable while it runs. Shares are 0 to 1. Counts are what is still to do: the provider
/// counts them down.
#[derive(Clone, Debug, PartialEq)]
pub struct Knobs {
    /// Shortest and longest time from confirmation to capture.
    pub latency: (Duration, Duration),
    /// Time to capture of a slow payment.
    pub slow: Duration,
    /// Share of slow payments.
    pub slow_share: f64,
    /// Declines that a second try may pass.
    pub decline: f64,
    /// Payments that fail for good, after they were `processing`.
    pub fail: f64,
    /// Payments that ask the buyer for an action first; the next confirmation passes.
    pub requires_action: f64,
    /// Webhooks never sent; who asks for undelivered events finds them.
    pub drop: f64,
    /// Webhooks sent twice, half of them at the same instant; a quarter of the second ones are events of their own about
    /// the same change.
    pub duplicate: f64,
    /// Webhooks held back.
    pub delay: f64,
    /// For how long.
    pub delay_by: Duration,
    /// Webhooks that are overtaken by a later one.
    pub reorder: f64,
    /// Webhooks sent before the call that caused them is answered.
    pub early: f64,
    /// Forged webhooks to send along, with one payment in three: a wrong secret, for an intent that is not captured.
    pub forged: u32,
    /// Webhooks with a stale signature to send along, with another third: the right secret, a timestamp past the
    /// tolerance, for an intent that is not captured.
    pub stale: u32,
    /// Captures of a wrong amount to make, among the last third.
    pub wrong_amount: u32,
    /// Create, confirm and refund calls whose answer is lost after they took effect.
    pub answer_lost: f64,
    /// Refunds that fail at first; another refund of the same payment then passes.
    pub refund_fails: f64,
    /// Payments cancelled while `processing` that are captured all the same.
    pub capture_after_cancel: f64,
    /// How long every API call waits before it takes effect.
    pub answer_delay: Duration,
    /// Every API call is answered 503 and does nothing.
    pub down: bool,
}

impl Default for Knobs {
    /// Nothing is wrong; captures take 5 to 50 ms.
    fn default() -> Self {
        Self {
            latency: (Duration::from_millis(5), Duration::from_millis(50)),
            slow: Duration::from_secs(1),
            slow_share: 0.0,
            decline: 0.0,
            fail: 0.0,
            requires_action: 0.0,
            drop: 0.0,
            duplicate: 0.0,
            delay: 0.0,
            delay_by: Duration::from_secs(1),
            reorder: 0.0,
            early: 0.0,
            forged: 0,
            stale: 0,
            wrong_amount: 0,
            answer_lost: 0.0,
            refund_fails: 0.0,
            capture_after_cancel: 0.0,
            answer_delay: Duration::ZERO,
            down: false,
        }
    }
}
