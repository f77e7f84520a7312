//! `webhook-forge`.

use crate::knob::{Felt, KnobFault};
use std::time::Duration;

pub(super) const FAULT: KnobFault = KnobFault {
    name: "webhook-forge",
    help: "Payments that are not captured are followed by a webhook with a wrong signature, or with the right \
           one and a timestamp that is too old. Felt: some of them was sent.",
    lasts: Duration::from_millis(1500),
    turn: |knobs| {
        knobs.forged += 30;
        knobs.stale += 30;
    },
    back: |knobs, before| {
        knobs.forged = knobs.forged.min(before.forged);
        knobs.stale = knobs.stale.min(before.stale);
    },
    felt: Felt::Counted(|tally| tally.forged + tally.stale),
};
