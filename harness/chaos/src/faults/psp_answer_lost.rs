//! `psp-answer-lost`.

use crate::knob::{Felt, KnobFault};
use std::time::Duration;

pub(super) const FAULT: KnobFault = KnobFault {
    name: "psp-answer-lost",
    help: "The answers to half of the calls that create, confirm or refund a payment are lost after they took \
           effect. Felt: some answer was lost.",
    lasts: Duration::from_millis(1500),
    turn: |knobs| {
        knobs.answer_lost = 0.5;
    },
    back: |knobs, before| {
        knobs.answer_lost = before.answer_lost;
    },
    felt: Felt::Counted(|tally| tally.answers_lost),
};
