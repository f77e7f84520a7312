//! The terminal: at most 14 lines, the last one stable.

use crate::{ExitCode, RuleRow, Summary, Tone, words};

/// Lines between the sentence and the last line.
const BODY_MAX: usize = 11;
/// Steps of the first anomaly's argument that are shown.
const STEPS_MAX: usize = 5;
/// Columns of a line that tells why a rule is not decided.
const WIDTH_MAX: usize = 160;

/// What the command prints at the end of a run.
pub fn text(summary: &Summary) -> String {
    let run = &summary.run;
    let mut lines = vec![format!("{} on {}", run.workload, run.target)];
    lines.push(summary.banner.sentence.clone());
    let mut body = anomaly(summary);
    body.extend(problems(summary));
    body.extend(open(summary));
    body.extend(thresholds(summary));
    let room = BODY_MAX - usize::from(!summary.load.over_time.is_empty());
    if body.len() > room {
        let more = body.len() - room + 1;
        body.truncate(room - 1);
        body.push(format!("  … and {more} more lines in the report"));
    }
    lines.extend(body.into_iter().map(|line| words::clip(&line, WIDTH_MAX)));
    lines.extend(load(summary));
    lines.push(last_line(summary));
    // What the target or the system said may hold line breaks and escape codes; a terminal would obey them.
    let lines: Vec<String> = lines.iter().map(|line| words::printable(line)).collect();
    lines.join("\n") + "\n"
}

/// The stable last line: `onsale: PROVED 21 and HELD 13 of 34 rules, 123456 operations, 0 unknown, seed 7, exit 0`.
fn last_line(summary: &Summary) -> String {
    let run = &summary.run;
    let of = |tone| summary.rules.iter().filter(|row| row.state == tone).count();
    let all = summary.rules.len();
    let (proved, held) = (of(Tone::Proved), of(Tone::Held));
    let said = match summary.exit() {
        ExitCode::Violated => {
            let violated = summary.rules.iter().filter(|row| row.state == Tone::Violated);
            let names: Vec<&str> = violated.clone().map(|row| row.rule.as_str()).collect();
            let anomalies: u64 = violated.map(|row| row.violations).sum();
            let word = if anomalies == 1 { "anomaly" } else { "anomalies" };
            format!(" {} of {all} rules ({}), {anomalies} {word}", names.len(), names.join(", "))
        }
        ExitCode::Pass if summary.banner.tone == Tone::Held => {
            format!(" {held} and PROVED {proved} of {all} rules")
        }
        ExitCode::Pass => format!(" {proved} and HELD {held} of {all} rules"),
        ExitCode::Threshold => {
            let missed = summary.thresholds.iter().filter(|threshold| !threshold.met).count();
            let thresholds = if missed == 1 { "threshold" } else { "thresholds" };
            format!(" {proved} and HELD {held} of {all} rules, {missed} {thresholds} missed")
        }
        _ => {
            let open: Vec<&str> = decisive(summary).map(|row| row.rule.as_str()).collect();
            let names = match open.as_slice() {
                [] => ",".to_owned(),
                names => format!(" {} ({}),", names.len(), some(names)),
            };
            format!("{names} PROVED {proved} and HELD {held} of {all} rules")
        }
    };
    format!(
        "onsale: {}{said}, {} operations, {} unknown, seed {}, exit {}",
        summary.banner.word,
        run.operations,
        run.unresolved + run.unknown,
        run.seed,
        summary.exit_code
    )
}

fn some(names: &[&str]) -> String {
    match names {
        [a, b, c, d, rest @ ..] if !rest.is_empty() => {
            format!("{a}, {b}, {c}, {d} and {} more", rest.len())
        }
        all => all.join(", "),
    }
}

/// The first anomaly: what happened, and why that is a contradiction.
fn anomaly(summary: &Summary) -> Vec<String> {
    let Some(card) = summary.anomalies.first() else { return vec![] };
    let violations = summary.rules.iter().find(|row| row.rule == card.rule);
    let times = violations.map_or(1, |row| row.violations);
    let times =
        if times == 1 { "once".to_owned() } else { format!("{} times", words::count(times)) };
    let mut lines = vec![format!("✗ {}, {times}; the least evidence of the first:", card.rule)];
    lines.extend(card.argument.iter().take(STEPS_MAX).map(|step| format!("    {step}")));
    if card.argument.len() > STEPS_MAX {
        lines.push(format!(
            "    … and {} more steps in the report",
            card.argument.len() - STEPS_MAX
        ));
    }
    lines.extend(card.margin_ms.map(|margin| {
        format!(
            "    by {}: true for any clock error below {}",
            words::duration(margin),
            words::duration(margin / 2.0)
        )
    }));
    let others = summary.anomalies.iter().map(|other| other.rule.as_str());
    let mut others: Vec<&str> = others.filter(|rule| *rule != card.rule).collect();
    others.dedup();
    for rule in others {
        let first = summary.anomalies.iter().find(|other| other.rule == rule);
        lines.extend(first.map(|first| format!("✗ {rule}: {}", first.sentence)));
    }
    lines
}

fn problems(summary: &Summary) -> impl Iterator<Item = String> {
    // The sentence above has told the first one already.
    let more = summary.problems.iter().filter(|why| !summary.banner.sentence.contains(*why));
    more.map(|why| format!("! the run is not valid: {why}"))
}

/// The rules that keep the run from passing without being violated.
pub(crate) fn decisive(summary: &Summary) -> impl Iterator<Item = &RuleRow> {
    summary.rules.iter().filter(|row| match row.state {
        Tone::Undecided => true,
        Tone::NotExercised => row.required,
        _ => false,
    })
}

fn open(summary: &Summary) -> Vec<String> {
    let mut lines: Vec<String> = decisive(summary)
        .map(|row| format!("? {} is {}: {}", row.rule, row.state.word(), row.note))
        .collect();
    let idle: Vec<&str> = summary
        .rules
        .iter()
        .filter(|row| row.state == Tone::NotExercised && !row.required)
        .map(|row| row.rule.as_str())
        .collect();
    if !idle.is_empty() {
        lines.push(format!("· not exercised, and not required: {}", some(&idle)));
    }
    lines
}

fn thresholds(summary: &Summary) -> impl Iterator<Item = String> {
    let missed = summary.thresholds.iter().filter(|threshold| !threshold.met);
    missed.map(|threshold| {
        format!("! {} is {}, and should be {}", threshold.name, threshold.value, threshold.limit)
    })
}

/// One line of numbers: the tiles.
fn load(summary: &Summary) -> Option<String> {
    let shown = ["sold", "oversold units", "unknown outcomes", "achieved load", "p99 response"];
    let told: Vec<String> = summary
        .tiles
        .iter()
        .filter(|tile| shown.contains(&tile.name.as_str()))
        .map(|tile| match tile.name.as_str() {
            "sold" => format!("{} {} {}", tile.name, tile.value, tile.detail),
            _ => format!("{} {}", tile.name, tile.value),
        })
        .collect();
    let wall = words::duration(summary.run.wall_seconds * 1e3);
    (!summary.load.over_time.is_empty()).then(|| format!("{}, in {wall}", told.join(", ")))
}
