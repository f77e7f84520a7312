//! Markdown, for step summaries and pull requests; far below GitHub's limit of 1 MiB.

use crate::{AnomalyCard, Summary, Tone, words};
use std::fmt::Write as _;

/// Anomalies that are told.
const ANOMALIES_MAX: usize = 5;

/// `summary.md`.
pub fn markdown(summary: &Summary) -> String {
    let mut out = String::new();
    write(&mut out, summary).expect("a string takes all");
    out
}

fn write(out: &mut String, summary: &Summary) -> std::fmt::Result {
    let run = &summary.run;
    writeln!(out, "# {} {}\n", icon(summary.banner.tone), summary.banner.word)?;
    writeln!(out, "{}\n", escape(&summary.banner.sentence))?;
    writeln!(
        out,
        "`{}` on {} · seed {} · {} operations · {} · exit {}\n",
        run.workload,
        escape(&run.target),
        run.seed,
        words::count(run.operations),
        words::duration(run.wall_seconds * 1e3),
        summary.exit_code
    )?;
    for problem in &summary.problems {
        writeln!(out, "> **The run is not valid:** {}\n", escape(problem))?;
    }
    tiles(out, summary)?;
    for card in summary.anomalies.iter().take(ANOMALIES_MAX) {
        anomaly(out, card)?;
    }
    rules(out, summary)?;
    faults(out, summary)?;
    thresholds(out, summary)?;
    writeln!(out, "## Play it again\n\n```sh\n{}\n```", run.replay.replace("```", ""))
}

fn tiles(out: &mut String, summary: &Summary) -> std::fmt::Result {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let names = summary.tiles.iter().map(|tile| escape(&tile.name)).collect();
    writeln!(out, "{}", row(names))?;
    writeln!(out, "{}", row(summary.tiles.iter().map(|_| "---".to_owned()).collect()))?;
    let values = summary.tiles.iter().map(|tile| format!("**{}**", escape(&tile.value))).collect();
    writeln!(out, "{}\n", row(values))
}

fn anomaly(out: &mut String, card: &AnomalyCard) -> std::fmt::Result {
    writeln!(out, "## {} at {:.3} s\n", card.rule, card.at_s)?;
    writeln!(out, "{}\n", escape(&card.sentence))?;
    for step in &card.argument {
        writeln!(out, "1. {}", escape(step))?;
    }
    if let Some(margin) = card.margin_ms {
        let half = words::duration(margin / 2.0);
        writeln!(
            out,
            "\nMargin: {} (true for any clock error below {half}).",
            words::duration(margin)
        )?;
    }
    if !card.implies.is_empty() {
        writeln!(out, "\nFrom it follow: {}.", card.implies.join(", "))?;
    }
    writeln!(out, "\n```text")?;
    for op in &card.operations {
        writeln!(out, "{}  {}", op.id, op.record.replace("```", ""))?;
    }
    for mark in &card.marks {
        writeln!(out, "{}  {}", mark.id, mark.told.replace("```", ""))?;
    }
    writeln!(out, "```\n")
}

fn rules(out: &mut String, summary: &Summary) -> std::fmt::Result {
    writeln!(out, "## Rules\n\n| rule | state | occasions | violations | note |")?;
    writeln!(out, "| --- | --- | ---: | ---: | --- |")?;
    for row in &summary.rules {
        let bounds = row.bounds.as_ref().map(|bounds| format!("{bounds}. ")).unwrap_or_default();
        writeln!(
            out,
            "| `{}` | {} {} | {} | {} | {}{} |",
            row.rule,
            icon(row.state),
            row.state.word(),
            words::count(row.occasions),
            words::count(row.violations),
            escape(&bounds),
            escape(&row.note)
        )?;
    }
    writeln!(out)
}

fn faults(out: &mut String, summary: &Summary) -> std::fmt::Result {
    if summary.faults.is_empty() {
        return Ok(());
    }
    writeln!(out, "## Faults\n\n| fault | outcome | took effect | healed | first success after |")?;
    writeln!(out, "| --- | --- | ---: | ---: | ---: |")?;
    let second = |at: Option<f64>| at.map_or("—".to_owned(), |at| format!("{at:.3} s"));
    for fault in &summary.faults {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            escape(&fault.name),
            escape(&fault.outcome),
            second(fault.effective_s),
            second(fault.healed_s),
            second(fault.recovery_s)
        )?;
    }
    writeln!(out)
}

fn thresholds(out: &mut String, summary: &Summary) -> std::fmt::Result {
    if summary.thresholds.is_empty() {
        return Ok(());
    }
    writeln!(out, "## Thresholds\n\n| threshold | limit | value | |\n| --- | --- | --- | --- |")?;
    for threshold in &summary.thresholds {
        writeln!(
            out,
            "| {} | {} | {} | {} |",
            escape(&threshold.name),
            escape(&threshold.limit),
            escape(&threshold.value),
            if threshold.met { "met" } else { "**missed**" }
        )?;
    }
    writeln!(out)
}

/// The icon of a state; a word always stands beside it.
pub(crate) const fn icon(tone: Tone) -> &'static str {
    match tone {
        Tone::Proved => "✔",
        Tone::Held => "✓",
        Tone::Violated => "✗",
        Tone::Undecided => "?",
        Tone::NotExercised => "·",
        Tone::Neutral => "",
    }
}

/// What a table cell or a sentence may not contain unescaped.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\n' | '\r' => out.push(' '),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' => out.extend(['\\', letter]),
            _ => out.push(letter),
        }
    }
    out
}
