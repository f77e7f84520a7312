//! `webhook-reorder`.

use crate::knob::{Felt, KnobFault};
use std::time::Duration;

pub(super) const FAULT: KnobFault = KnobFault {
    name: "webhook-reorder",
    help: "Every webhook waits until a later one has left. Felt: some webhook was let overtake.",
    lasts: Duration::from_millis(1500),
    turn: |knobs| {
        knobs.reorder = 1.0;
    },
    back: |knobs, before| {
        knobs.reorder = before.reorder;
    },
    felt: Felt::Counted(|tally| tally.reordered),
};
