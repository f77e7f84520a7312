//! `refund-fails`.

use crate::knob::{Felt, KnobFault};
use std::time::Duration;

pub(super) const FAULT: KnobFault = KnobFault {
    name: "refund-fails",
    help: "The first refund of every payment fails; the second passes. Felt: some refund failed.",
    lasts: Duration::from_secs(5),
    turn: |knobs| {
        knobs.refund_fails = 1.0;
    },
    back: |knobs, before| {
        knobs.refund_fails = before.refund_fails;
    },
    felt: Felt::Counted(|tally| tally.refunds_failed),
};
