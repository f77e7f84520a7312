//! Two runs side by side, from their summaries alone.

use crate::{Percentiles, Summary, Tone, words};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A change of a latency below both is noise: a tenth of it, and a millisecond.
const NOISE_SHARE: f64 = 0.10;
const NOISE_MS: f64 = 1.0;

/// What changed from `before` to `after`, for a terminal.
pub fn compare(before: &Summary, after: &Summary) -> String {
    let mut out = String::new();
    write(&mut out, before, after).expect("a string takes all");
    out
}

fn write(out: &mut String, before: &Summary, after: &Summary) -> std::fmt::Result {
    for (word, summary) in [("before", before), ("after", after)] {
        let run = &summary.run;
        writeln!(
            out,
            "{word:<7} {}  {} on {}, seed {}: {}, exit {}",
            run.id, run.workload, run.target, run.seed, summary.banner.word, summary.exit_code
        )?;
    }
    if before.run.workload != after.run.workload {
        writeln!(out, "\nnote: the workloads differ, so numbers may differ for that reason alone")?;
    }
    rules(out, before, after)?;
    tiles(out, before, after)?;
    latency(out, before, after)?;
    errors(out, before, after)
}

fn rules(out: &mut String, before: &Summary, after: &Summary) -> std::fmt::Result {
    let states = |summary: &Summary| -> BTreeMap<String, Tone> {
        summary.rules.iter().map(|row| (row.rule.clone(), row.state)).collect()
    };
    let (old, new) = (states(before), states(after));
    let rules = after.rules.iter().map(|row| &row.rule);
    let gone = before.rules.iter().map(|row| &row.rule).filter(|rule| !new.contains_key(*rule));
    writeln!(out, "\nrules")?;
    let mut said = false;
    for rule in rules.chain(gone) {
        let (was, is) = (old.get(rule).copied(), new.get(rule).copied());
        let word = match (was, is) {
            (Some(Tone::Violated), Some(Tone::Violated)) => "ongoing",
            (_, Some(Tone::Violated)) => "new",
            (Some(Tone::Violated), Some(Tone::Proved | Tone::Held)) => "resolved",
            (Some(Tone::Violated), _) => "not seen",
            (was, is) if was == is => continue,
            _ => "changed",
        };
        said = true;
        let tell = |tone: Option<Tone>| tone.map_or("absent", Tone::word);
        writeln!(out, "  {word:<9} {rule:<22} {} → {}", tell(was), tell(is))?;
    }
    if !said {
        writeln!(out, "  as before")?;
    }
    Ok(())
}

fn tiles(out: &mut String, before: &Summary, after: &Summary) -> std::fmt::Result {
    writeln!(out, "\nnumbers")?;
    for tile in &after.tiles {
        let was = before.tiles.iter().find(|other| other.name == tile.name);
        let was = was.map_or("—", |other| other.value.as_str());
        let mark = if was == tile.value { "" } else { "  *" };
        writeln!(out, "  {:<20} {was:>16} → {}{mark}", tile.name, tile.value)?;
    }
    Ok(())
}

fn latency(out: &mut String, before: &Summary, after: &Summary) -> std::fmt::Result {
    writeln!(
        out,
        "\nlatency from the due time (* outside the noise of {:.0} %)",
        NOISE_SHARE * 100.0
    )?;
    let rows = |summary: &Summary| -> BTreeMap<String, Percentiles> {
        let steps = summary.latency.steps.iter().map(|row| (row.step.clone(), row.response));
        steps.chain([("all".to_owned(), summary.latency.response)]).collect()
    };
    let (old, new) = (rows(before), rows(after));
    for (step, is) in &new {
        let Some(was) = old.get(step) else { continue };
        let pairs = [("p50", was.p50, is.p50), ("p99", was.p99, is.p99), ("max", was.max, is.max)];
        let told = pairs.map(|(name, was, is)| {
            let change = (is - was).abs();
            let mark = if change > NOISE_MS && change > was * NOISE_SHARE { "*" } else { "" };
            format!("{name} {} → {}{mark}", words::duration(was), words::duration(is))
        });
        writeln!(out, "  {step:<12} {}", told.join("   "))?;
    }
    Ok(())
}

fn errors(out: &mut String, before: &Summary, after: &Summary) -> std::fmt::Result {
    let rows = |summary: &Summary| -> BTreeMap<(String, String), u64> {
        let rows = summary.errors.iter();
        rows.map(|row| ((row.step.clone(), row.class.clone()), row.count)).collect()
    };
    let (old, new) = (rows(before), rows(after));
    let mut keys: Vec<&(String, String)> = old.keys().chain(new.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let count = |of: &BTreeMap<_, u64>, key| of.get(key).copied().unwrap_or(0);
    let changed = keys.into_iter().filter(|key| count(&old, *key) != count(&new, *key));
    let mut changed = changed.peekable();
    if changed.peek().is_some() {
        writeln!(out, "\nanswers that were not ok")?;
    }
    for key in changed {
        let (was, is) = (words::count(count(&old, key)), words::count(count(&new, key)));
        writeln!(out, "  {:<12} {:<14} {was:>9} → {is}", key.0, key.1)?;
    }
    Ok(())
}
