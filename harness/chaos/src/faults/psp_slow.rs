//! `psp-slow`.

use crate::knob::{Felt, KnobFault};
use std::time::Duration;

pub(super) const FAULT: KnobFault = KnobFault {
    name: "psp-slow",
    help: "The payment provider takes 300 ms longer for every call, and every payment confirmed meanwhile is a \
           slow one. Felt: a call of our own takes as long.",
    lasts: Duration::from_millis(1500),
    turn: |knobs| {
        knobs.answer_delay = Duration::from_millis(300);
        knobs.slow_share = 1.0;
    },
    back: |knobs, before| {
        knobs.answer_delay = before.answer_delay;
        knobs.slow_share = before.slow_share;
    },
    felt: Felt::Slow,
};
