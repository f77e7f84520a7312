//! `webhook-drop`.

use crate::knob::{Felt, KnobFault};
use std::time::Duration;

pub(super) const FAULT: KnobFault = KnobFault {
    name: "webhook-drop",
    help: "No webhook is sent; whoever asks the provider for undelivered events finds them. Felt: some webhook \
           was dropped.",
    lasts: Duration::from_millis(1500),
    turn: |knobs| {
        knobs.drop = 1.0;
    },
    back: |knobs, before| {
        knobs.drop = before.drop;
    },
    felt: Felt::Counted(|tally| tally.dropped),
};
