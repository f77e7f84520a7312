//! Result 2: a refusal for lack of stock must be explained by units that possibly were out.
//!
//! Shards are probed one after the other, so they are seen at different instants: the units of every possible span that
//! meets the window count, and each of K shards may have had up to q − 1 units left.

use crate::facts::{At, Envelope, Facts, millis};
use crate::{Anomaly, Story};
use onsale_history::{
    CallKind, Class, Label, Nanos, Operation, Outcome, SkuFacts, SkuId, SoldOutPolicy,
};

/// A refusal that nothing explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deficit {
    pub(crate) at: At,
    pub(crate) sku: SkuId,
    /// Units asked for.
    pub(crate) asked: u32,
    /// Units that must have been out.
    pub(crate) needed: u64,
    /// Units that possibly were.
    pub(crate) possible: u64,
    /// Since when units count as out.
    pub(crate) from: Nanos,
}

/// What a refusal says, if it is one that can be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    /// It is not a refusal for lack of stock, or it says nothing.
    No,
    /// Units that possibly were out explain it.
    Explained,
    /// Nothing explains it.
    Deficit(Deficit),
}

/// Is it a definite refusal for lack of stock?
pub(crate) fn is_refusal(op: &Operation) -> bool {
    op.kind() == CallKind::Hold
        && op.outcome() == Outcome::Failed(Class::SoldOut)
        && op.call.quantity > 0
}

/// Was it made by one of the drains?
pub(crate) fn is_drain(op: &Operation) -> bool {
    matches!(op.call.label, Label::DrainFirst | Label::DrainSecond)
}

/// Since when units that were out explain a refusal.
pub(crate) fn window_start(facts: &Facts<'_>, op: &Operation) -> Nanos {
    let stale = match facts.sale.sold_out {
        SoldOutPolicy::Stale(age) => age,
        SoldOutPolicy::Exact | SoldOutPolicy::ShardLocal => Nanos::ZERO,
    };
    op.start.minus(facts.sale.release_lag).minus(stale).minus(facts.sale.clock_error)
}

/// Judges one operation. A cart's refusal is explained when any of its lines' is.
pub(crate) fn judge(facts: &Facts<'_>, at: At) -> Judged {
    let op = facts.op(at);
    let from = window_start(facts, op);
    if !is_refusal(op) || from < facts.sale.opens {
        return Judged::No;
    }
    let mut worst = Judged::No;
    for (sku, asked) in facts.items(at) {
        let (Some(sold), Some(envelope)) =
            (facts.sale.skus.get(sku.index()), facts.envelopes.get(sku.index()))
        else {
            return Judged::No;
        };
        match explain(facts, op, sold, envelope, (sku, asked, from, at)) {
            Some(deficit) => worst = Judged::Deficit(deficit),
            None => return Judged::Explained,
        }
    }
    worst
}

fn explain(
    facts: &Facts<'_>,
    op: &Operation,
    sold: &SkuFacts,
    envelope: &Envelope,
    (sku, asked, from, at): (SkuId, u32, Nanos, At),
) -> Option<Deficit> {
    // A wave may take the grace to arrive at every shard.
    let released = u64::from(sold.released(from.minus(facts.sale.grace)));
    let left = u64::from(sold.shards.max(1)) * u64::from(asked.saturating_sub(1));
    let needed = released.saturating_sub(left);
    let possible = envelope.possible_units(from, op.end.plus(facts.sale.clock_error));
    (possible < needed).then_some(Deficit { at, sku, asked, needed, possible, from })
}

/// Tells an unexplained refusal. `culprit` says what became of the missing units, where that is known.
pub(crate) fn tell<'f, 'a>(facts: &'f Facts<'a>, rule: &str, deficit: &Deficit) -> Story<'f, 'a> {
    let op = facts.op(deficit.at);
    let name = facts.sku_name(deficit.sku);
    let sold = &facts.sale.skus[deficit.sku.index()];
    let missing = deficit.needed - deficit.possible;
    let sentence = format!(
        "{name}: refused as sold out by {}, although {missing} of {} units had to be free",
        millis(op.end),
        sold.released(deficit.from)
    );
    let shards =
        if sold.shards > 1 { format!(" over {} shards", sold.shards) } else { String::new() };
    Story::new(facts, rule, op.end, sentence)
        .op(deficit.at)
        .step(facts.tell(deficit.at))
        .step(format!(
            "a refusal of {}{shards} needs at least {} units out between {} and {}",
            deficit.asked,
            deficit.needed,
            millis(deficit.from),
            millis(op.end)
        ))
        .step(format!("at most {} possibly were: a contradiction", deficit.possible))
}

/// The leases of a SKU whose time ended last before an instant: the likely owners of what is missing.
pub(crate) fn ended_before(
    facts: &Facts<'_>,
    sku: SkuId,
    before: Nanos,
    count: usize,
) -> Vec<(At, Nanos)> {
    let spans = facts.envelopes[sku.index()].possible.iter();
    let mut ended: Vec<(At, Nanos)> = spans
        .filter(|span| span.lease.is_some() && span.to < before)
        .map(|span| (span.at, span.to))
        .collect();
    ended.sort_unstable_by_key(|&(_, to)| std::cmp::Reverse(to));
    ended.truncate(count);
    ended
}

/// Adds the likely owners of the missing units, and how long ago their time was over.
pub(crate) fn with_owners(facts: &Facts<'_>, story: Story<'_, '_>, deficit: &Deficit) -> Anomaly {
    let owners = ended_before(facts, deficit.sku, deficit.from, 3);
    let margin = owners.first().map(|&(_, to)| deficit.from.minus(to));
    let story = owners.iter().fold(story, |story, &(at, to)| {
        story.step(format!("{} had to be back by {}", facts.tell(at), millis(to))).op(at)
    });
    match margin {
        Some(margin) => story.margin(margin).end(),
        None => story.end(),
    }
}
