//! Every fault, one file each.

use crate::Fault;

mod psp_answer_lost;
mod psp_down;
mod psp_slow;
mod refund_fails;
mod target_kill;
mod target_pause;
mod webhook_delay;
mod webhook_drop;
mod webhook_duplicate;
mod webhook_forge;
mod webhook_reorder;
mod webhook_wrong_amount;

/// The registry.
pub static FAULTS: &[&dyn Fault] = &[
    &target_kill::TargetKill,
    &target_pause::TargetPause,
    &psp_down::FAULT,
    &psp_slow::FAULT,
    &psp_answer_lost::FAULT,
    &refund_fails::FAULT,
    &webhook_drop::FAULT,
    &webhook_duplicate::FAULT,
    &webhook_delay::FAULT,
    &webhook_reorder::FAULT,
    &webhook_forge::FAULT,
    &webhook_wrong_amount::FAULT,
];

/// A fault by its name.
pub fn by_name(name: &str) -> Option<&'static dyn Fault> {
    FAULTS.iter().copied().find(|fault| fault.name() == name)
}
