//! # spurious-sold-out
//!
//! **What it finds.** A shopper was told *sold out* although units had to be free, whatever happened unseen.
//!
//! **Why it matters.** It is a lost sale, and to the shopper it is a lie.
//!
//! **Evidence.** A definite refusal of q units and every span that possibly was out in its window, the release lag (and
//! the promised staleness) before its start included: acknowledged holds from their first try to their latest end, tries
//! without an answer, refusals at the limit that may have had a unit in hand. With K shards each may have had q − 1 left,
//! and they are seen one after the other, so the spans of the whole window add up: below C − K(q − 1) is a violation.
//!
//! **Example.** `A` has 2 units on 2 shards and one hold is out; `A` is refused.
//!
//! **How it can be wrong.** What it finds is a violation of the promised refusals. It misses what unseen but possible
//! holds could explain, the more the busier the SKU is.
//!
//! **Cost.** log n a refusal.

use super::Rule;
use crate::facts::Facts;
use crate::refusal::{Judged, is_drain, judge, tell, with_owners};
use crate::{Finding, Strength};

/// Refused although there was stock.
#[derive(Debug)]
pub(crate) struct SpuriousSoldOut;

impl Rule for SpuriousSoldOut {
    fn name(&self) -> &'static str {
        "spurious-sold-out"
    }
    fn strength(&self) -> Strength {
        Strength::Sound
    }
    fn source(&self) -> &'static str {
        include_str!("spurious_sold_out.rs")
    }
    fn judge(&self, facts: &Facts<'_>) -> Finding {
        let mut finding = Finding::default();
        // What a drain was refused is for `leaked-hold` to say.
        for (at, _) in facts.ops().filter(|(_, op)| !is_drain(op)) {
            match judge(facts, at) {
                Judged::No => continue,
                Judged::Explained => {}
                Judged::Deficit(deficit) => {
                    finding.violate(|| {
                        with_owners(facts, tell(facts, "spurious-sold-out", &deficit), &deficit)
                    });
                }
            }
            finding.occasions += 1;
        }
        finding.note = format!(
            "{} refusals were explained by what possibly was out",
            finding.occasions - finding.violations
        );
        finding
    }
}
