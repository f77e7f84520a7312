//! `webhook-delay`.

use crate::knob::{Felt, KnobFault};
use std::time::Duration;

pub(super) const FAULT: KnobFault = KnobFault {
    name: "webhook-delay",
    help: "Every webhook is held back for as long as the provider is told to hold delayed ones. Felt: some \
           webhook was held back.",
    lasts: Duration::from_millis(1500),
    turn: |knobs| {
        knobs.delay = 1.0;
    },
    back: |knobs, before| {
        knobs.delay = before.delay;
    },
    felt: Felt::Counted(|tally| tally.delayed),
};
