//! The workload's words for the payment provider, as the provider's knobs.

use onsale_plan::Psp;
use onsale_psp::Knobs;

/// How the provider shall behave.
pub(crate) fn knobs(psp: &Psp) -> Knobs {
    Knobs {
        latency: psp.latency,
        slow: psp.slow,
        slow_share: psp.slow_share,
        decline: psp.decline,
        fail: psp.fail,
        drop: psp.drop,
        duplicate: psp.duplicate,
        delay: psp.delay,
        delay_by: psp.delay_by,
        reorder: psp.reorder,
        early: psp.early,
        forged: psp.forged,
        stale: psp.stale,
        wrong_amount: psp.wrong_amount,
        answer_lost: psp.answer_lost,
        refund_fails: psp.refund_fails,
        capture_after_cancel: psp.capture_after_cancel,
        ..Knobs::default()
    }
}
