//! Result 1: certain spans may not add up to more than the limit at any instant.
//!
//! Granting as late and releasing as early as the answers allow is the pointwise least of all schedules, so an excess in
//! it is an excess in every schedule. Ties are concurrent: a span that ends when another begins does not meet it.

use crate::facts::{Facts, Interval, millis};
use crate::{Anomaly, Story};
use onsale_history::{Nanos, SkuId};

/// What a sweep over the spans of one thing found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweep {
    /// The most units that were certainly out at once.
    pub(crate) peak: u64,
    /// Indices of the spans whose beginning made it too many.
    pub(crate) over: Vec<usize>,
}

/// Sweeps spans that are sorted by their beginnings.
pub(crate) fn sweep(spans: &[Interval], limit: impl Fn(Nanos) -> u64) -> Sweep {
    let mut ends: Vec<(Nanos, u32)> = spans
        .iter()
        .filter(|span| span.to != Nanos::NEVER)
        .map(|span| (span.to, span.units))
        .collect();
    ends.sort_unstable();
    let mut ends = ends.into_iter().peekable();
    let mut found = Sweep::default();
    let mut out = 0_u64;
    for (index, span) in spans.iter().enumerate() {
        while let Some((_, units)) = ends.next_if(|(to, _)| *to <= span.from) {
            out -= u64::from(units);
        }
        out += u64::from(span.units);
        found.peak = found.peak.max(out);
        if out > limit(span.from) {
            found.over.push(index);
        }
    }
    found
}

/// The spans that are out when the span with this index begins, itself included, the latest first.
pub(crate) fn out_at(spans: &[Interval], index: usize) -> Vec<Interval> {
    let at = spans[index].from;
    spans[..=index].iter().rev().filter(|span| span.to > at).copied().collect()
}

/// The fewest of `out` that still exceed the limit together with the first of them, the biggest first; all that fit into
/// a witness when there are too many.
pub(crate) fn fewest(out: &[Interval], limit: u64) -> (Vec<Interval>, u64) {
    let Some((&newest, others)) = out.split_first() else { return (vec![], 0) };
    let mut others = others.to_vec();
    others.sort_by(|a, b| b.units.cmp(&a.units).then(b.from.cmp(&a.from)));
    let mut chosen = vec![newest];
    let mut units = u64::from(newest.units);
    for span in others {
        if units > limit {
            break;
        }
        units += u64::from(span.units);
        chosen.push(span);
    }
    (chosen, units)
}

/// By how much the chosen spans overlap: the first end less the last beginning.
pub(crate) fn overlap(chosen: &[Interval]) -> Option<Nanos> {
    let begun = chosen.iter().map(|span| span.from).max()?;
    let ended = chosen.iter().map(|span| span.to).min()?;
    (ended != Nanos::NEVER).then(|| ended.minus(begun))
}

/// Tells that more units of a SKU were out than there are.
pub(crate) fn tell_excess(
    facts: &Facts<'_>,
    rule: &str,
    sku: SkuId,
    spans: &[Interval],
    index: usize,
) -> Anomaly {
    let at = spans[index].from;
    let limit = u64::from(facts.sale.skus[sku.index()].released(at.plus(facts.sale.clock_error)));
    let out = out_at(spans, index);
    let total: u64 = out.iter().map(|span| u64::from(span.units)).sum();
    let name = facts.sku_name(sku);
    let sentence = format!("{name}: {total} held of {limit} by {}", millis(at));
    excess(
        facts,
        Story::new(facts, rule, at, sentence),
        &out,
        limit,
        &format!("{name} has {limit}"),
    )
}

/// The argument and the evidence of an excess.
pub(crate) fn excess(
    facts: &Facts<'_>,
    story: Story<'_, '_>,
    out: &[Interval],
    limit: u64,
    bound: &str,
) -> Anomaly {
    let (chosen, units) = fewest(out, limit);
    let shown = chosen.len().min(crate::story::WITNESS_SIZE);
    let mut told: Vec<Interval> = chosen[..shown].to_vec();
    told.sort_by_key(|span| (span.from, span.at));
    let mut story = story;
    for span in &told {
        story = story.step(tell_span(facts, span)).op(span.at);
        if let Some((_, _, (first, _))) =
            span.lease.and_then(|index| facts.leases[index as usize].confirmed)
        {
            story = if shown * 2 <= crate::story::WITNESS_SIZE { story.op(first) } else { story };
        }
    }
    if chosen.len() > shown {
        let rest: u64 = chosen[shown..].iter().map(|span| u64::from(span.units)).sum();
        story = story.step(format!(
            "{} more holds with {rest} units were out as certainly",
            chosen.len() - shown
        ));
    }
    if let [older, newer] = told[..] {
        let reason = "acknowledged before, and not lawfully back when the other was acknowledged";
        story = story.edge(older.at, newer.at, reason);
    }
    story = story.step(format!("that makes {units} at once; {bound}: a contradiction"));
    match overlap(&chosen) {
        Some(margin) => story.margin(margin).end(),
        None => story.end(),
    }
}

fn tell_span(facts: &Facts<'_>, span: &Interval) -> String {
    let buyer = facts.buyer_name(facts.op(span.at).call.buyer);
    let Some(lease) = span.lease.map(|index| &facts.leases[index as usize]) else {
        return facts.tell(span.at);
    };
    let hold = facts.hold_name(lease.hold);
    let until = match (lease.confirmed, span.to == Nanos::NEVER) {
        (Some((from, _, _)), _) => {
            format!("it was confirmed, as a read showed by {}", millis(from))
        }
        (None, true) => "nothing ended it".to_owned(),
        (None, false) if lease.ends_by_expiry() => {
            format!("it could not expire before {}", millis(span.to))
        }
        (None, false) => format!("it could not end before {}", millis(span.to)),
    };
    format!("{buyer} had {} in {hold} from {} on; {until}", units(span.units), millis(span.from))
}

fn units(count: u32) -> String {
    if count == 1 { "1 unit".to_owned() } else { format!("{count} units") }
}

#[cfg(test)]
mod tests {
    use super::{fewest, out_at, overlap, sweep};
    use crate::facts::Interval;
    use onsale_history::Nanos;

    fn span(from: u64, to: u64, units: u32) -> Interval {
        Interval {
            from: Nanos(from),
            to: Nanos(to),
            returns_from: Nanos(to),
            units,
            at: 0,
            lease: None,
        }
    }

    #[test]
    fn spans_that_only_touch_do_not_meet() {
        let touching = [span(1, 5, 1), span(5, 9, 1)];
        assert!(sweep(&touching, |_| 1).over.is_empty());
        let meeting = [span(1, 6, 1), span(5, 9, 1)];
        assert_eq!(sweep(&meeting, |_| 1).over, [1]);
        assert_eq!(sweep(&meeting, |_| 2).peak, 2);
    }

    #[test]
    fn the_biggest_spans_are_chosen_and_the_newest_is_always_there() {
        let spans = [span(1, 90, 1), span(2, 80, 5), span(3, 70, 1), span(4, 60, 1)];
        let out = out_at(&spans, 3);
        assert_eq!(out.len(), 4);
        let (chosen, units) = fewest(&out, 5);
        assert_eq!((chosen, units), (vec![spans[3], spans[1]], 6));
        assert_eq!(overlap(&[spans[3], spans[1]]), Some(Nanos(56)));
    }
}
