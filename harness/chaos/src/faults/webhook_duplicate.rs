//! `webhook-duplicate`.

use crate::knob::{Felt, KnobFault};
use std::time::Duration;

pub(super) const FAULT: KnobFault = KnobFault {
    name: "webhook-duplicate",
    help: "Every webhook is sent twice, half of them at the same instant. Felt: some webhook was doubled.",
    lasts: Duration::from_millis(1500),
    turn: |knobs| {
        knobs.duplicate = 1.0;
    },
    back: |knobs, before| {
        knobs.duplicate = before.duplicate;
    },
    felt: Felt::Counted(|tally| tally.duplicated),
};
