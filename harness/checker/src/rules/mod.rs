//! The catalogue: one rule a file, one line here.

mod broken_conservation;
mod double_charge;
mod double_reclaim;
mod double_refund;
mod duplicate_order;
mod early_expire;
mod early_leak;
mod early_reclaim;
mod forged_webhook;
mod free_ticket;
mod idempotency_payload;
mod idempotency_split;
mod late_confirm;
mod late_reclaim;
mod leaked_hold;
mod limit_breach;
mod lost_hold;
mod lost_order;
mod orphan_charge;
mod overcommit;
mod oversell;
mod overtake;
mod phantom_order;
mod puzzle_bypass;
mod queue_bypass;
mod rate_breach;
mod refund_and_ticket;
mod resurrected_stock;
mod spurious_sold_out;
mod token_expired;
mod token_forged;
mod token_replayed;
mod webhook_duplicate;
mod zombie_confirm;

use crate::{Facts, Finding, Strength};

/// One thing that must hold.
pub trait Rule: Sync {
    /// Its name: kebab-case, the file's name with `-` for `_`.
    fn name(&self) -> &'static str;
    /// What it can say.
    fn strength(&self) -> Strength;
    /// Its file, whose doc comment is the help page: `include_str!("this_file.rs")`.
    fn source(&self) -> &'static str;
    /// Decisive occasions without which it only says `NotExercised`. Ten where an occasion is a whole attack or restart.
    fn occasions_needed(&self) -> u64 {
        30
    }
    /// Rules whose violations follow from this one's and are folded under them.
    fn implies(&self) -> &'static [&'static str] {
        &[]
    }
    /// Looks at a history.
    fn judge(&self, facts: &Facts<'_>) -> Finding;
}

/// Every rule, in the catalogue's order.
pub static RULES: &[&dyn Rule] = &[
    &oversell::Oversell,
    &overcommit::Overcommit,
    &early_leak::EarlyLeak,
    &early_reclaim::EarlyReclaim,
    &double_reclaim::DoubleReclaim,
    &leaked_hold::LeakedHold,
    &late_reclaim::LateReclaim,
    &spurious_sold_out::SpuriousSoldOut,
    &resurrected_stock::ResurrectedStock,
    &broken_conservation::BrokenConservation,
    &zombie_confirm::ZombieConfirm,
    &late_confirm::LateConfirm,
    &early_expire::EarlyExpire,
    &lost_hold::LostHold,
    &limit_breach::LimitBreach,
    &idempotency_split::IdempotencySplit,
    &idempotency_payload::IdempotencyPayload,
    &lost_order::LostOrder,
    &duplicate_order::DuplicateOrder,
    &phantom_order::PhantomOrder,
    &double_charge::DoubleCharge,
    &orphan_charge::OrphanCharge,
    &free_ticket::FreeTicket,
    &double_refund::DoubleRefund,
    &refund_and_ticket::RefundAndTicket,
    &forged_webhook::ForgedWebhook,
    &webhook_duplicate::WebhookDuplicate,
    &overtake::Overtake,
    &rate_breach::RateBreach,
    &token_forged::TokenForged,
    &token_expired::TokenExpired,
    &token_replayed::TokenReplayed,
    &queue_bypass::QueueBypass,
    &puzzle_bypass::PuzzleBypass,
];

/// The rule of a name.
pub fn rule(name: &str) -> Option<&'static dyn Rule> {
    RULES.iter().copied().find(|rule| rule.name() == name)
}
