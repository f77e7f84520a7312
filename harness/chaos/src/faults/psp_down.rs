//! `psp-down`.

use crate::knob::{Felt, KnobFault};
use std::time::Duration;

pub(super) const FAULT: KnobFault = KnobFault {
    name: "psp-down",
    help: "The payment provider answers every call with 503 and does nothing. Webhooks already on their way \
           still arrive. Felt: a call of our own is answered 503.",
    lasts: Duration::from_secs(1),
    turn: |knobs| {
        knobs.down = true;
    },
    back: |knobs, before| {
        knobs.down = before.down;
    },
    felt: Felt::Down,
};
