//! `webhook-wrong-amount`.

use crate::knob::{Felt, KnobFault};
use std::time::Duration;

pub(super) const FAULT: KnobFault = KnobFault {
    name: "webhook-wrong-amount",
    help: "Some payments are captured with another amount than was asked for, and their rightly signed webhooks \
           say so. Felt: some capture was wrong.",
    lasts: Duration::from_millis(1500),
    turn: |knobs| {
        knobs.wrong_amount += 10;
    },
    back: |knobs, before| {
        knobs.wrong_amount = knobs.wrong_amount.min(before.wrong_amount);
    },
    felt: Felt::Counted(|tally| tally.wrong_amounts),
};
