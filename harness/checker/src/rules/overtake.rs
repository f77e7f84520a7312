//! # overtake
//!
//! **What it finds.** A shopper who was admitted while another, who had joined the queue earlier, was still waiting.
//!
//! **Why it matters.** First come, first served is the promise of a waiting room; who waits and sees others pass does not come back.
//!
//! **Evidence.** E0: joins and polls. A position was given within its join; an admission happened after the start of the last poll
//! that said "queued" and by the end of the first that said "admitted".
//!
//! **Example.** i joins by 5 ms, j from 9 ms on; j is admitted by 20 ms, and i polls from 30 ms on and still waits.
//!
//! **How it can be wrong.** Two interval orders conflict exactly when they conflict in a pair, so no overtake that the intervals show is
//! missed; one that happened within an interval is not seen. A position may be lost by not asking: a later join then counts
//! as the place, and a shopper with a join that nobody answered is never a victim. After an admission a shopper is
//! not followed further. With a lottery there is nothing to find.
//!
//! **Cost.** O(n log n).

use crate::evidence::{Spell, spells};
use crate::facts::millis;
use crate::{Facts, Finding, Rule, Story, Strength};
use onsale_history::{Nanos, QueueMethod};

/// The rule of this file.
pub(crate) struct Overtake;

impl Rule for Overtake {
    fn name(&self) -> &'static str {
        "overtake"
    }
    fn strength(&self) -> Strength {
        Strength::Exact
    }
    fn source(&self) -> &'static str {
        include_str!("overtake.rs")
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        match facts.sale.queue.map(|queue| queue.method) {
            None => finding.note.push_str("the sale has no waiting room"),
            Some(QueueMethod::Lottery) => finding.note.push_str("a lottery promises no order"),
            Some(QueueMethod::Fifo) => self.sweep(facts, &mut finding),
        }
        finding
    }
}

impl Overtake {
    /// Goes through the admitted in the order of their joins, with the earlier joined who waited longest at hand.
    fn sweep(&self, facts: &Facts<'_>, finding: &mut Finding) {
        let error = facts.sale.clock_error;
        let all = spells(facts.history);
        let mut admitted = all.iter().filter(|spell| spell.admitted.is_some()).collect::<Vec<_>>();
        let mut victims = all.iter().filter(|spell| spell.queued.is_some()).collect::<Vec<_>>();
        admitted.sort_by_key(|spell| (spell.join_start, spell.join));
        victims.sort_by_key(|spell| (spell.join_end, spell.join));
        let unsure = victims.iter().filter(|spell| spell.join_end == Nanos::NEVER).count();
        let mut next = victims.into_iter().peekable();
        let mut longest: Option<&Spell> = None;
        for spell in admitted {
            while let Some(victim) =
                next.next_if(|victim| victim.join_end.plus(error) < spell.join_start)
            {
                longest = longest
                    .filter(|before| before.admit_after >= victim.admit_after)
                    .or(Some(victim));
            }
            let Some(victim) = longest else { continue };
            // Only where somebody ahead was still waiting could anybody be overtaken.
            finding.occasions += u64::from(victim.admit_after >= spell.join_start);
            if victim.admit_after > spell.admit_by.plus(error) {
                finding.violate(|| self.tell(facts, victim, spell));
            }
        }
        finding.only_held = unsure > 0;
        finding.note = format!(
            "{} shoppers admitted who had joined while an earlier one waited; {unsure} with an unanswered join left out",
            finding.occasions
        );
    }

    fn tell(&self, facts: &Facts<'_>, victim: &Spell, spell: &Spell) -> crate::Anomaly {
        let name = |spell: &Spell| facts.buyer_name(facts.op(spell.join).call.buyer);
        let (first, second) = (name(victim), name(spell));
        let sentence = format!(
            "{second} was admitted before {first}, who had joined earlier and was still waiting"
        );
        let story = Story::new(facts, self.name(), victim.admit_after, sentence)
            .step(format!("let {first} join by {}", millis(victim.join_end)))
            .step(format!("then {second} joined, not before {}", millis(spell.join_start)))
            .step(format!("{second} was admitted by {}", millis(spell.admit_by)))
            .step(format!(
                "however {first} was still queued at {} or later",
                millis(victim.admit_after)
            ))
            .margin(victim.admit_after.minus(spell.admit_by));
        let polls = spell.admitted.zip(victim.queued);
        let story = story.edge(victim.join, spell.join, "joined before the other began to join");
        match polls {
            Some((ok, queued)) => {
                story.edge(ok, queued, "was admitted before the other was told to wait").end()
            }
            None => story.end(),
        }
    }
}
