//! The page: what the template asks for.

use super::{charts, lanes, plots};
use crate::{AnomalyCard, Percentiles, StockSeries, Summary, Tone, markdown, words};
use askama::Template;
use std::collections::BTreeMap;

/// Anomalies of one rule that are shown, and of all rules.
const ANOMALIES_PER_RULE_MAX: usize = 3;
const ANOMALIES_MAX: usize = 30;

/// Letters of a record that are shown: a read of the stock has a line for every SKU, and report.json has them all.
const RECORD_MAX: usize = 2_000;

/// `report.html`.
pub fn html(summary: &Summary) -> String {
    Page { s: summary }.render().expect("a page in memory is always written")
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    s: &'a Summary,
}

/// Words of the template.
#[expect(
    clippy::unused_self,
    clippy::trivially_copy_pass_by_ref,
    clippy::ref_option,
    reason = "a template calls methods, with references to fields"
)]
impl Page<'_> {
    fn icon(&self, tone: &Tone) -> &'static str {
        markdown::icon(*tone)
    }
    fn class(&self, tone: &Tone) -> &'static str {
        match tone {
            Tone::NotExercised => "not-exercised",
            Tone::Neutral => "neutral",
            tone => tone.word(),
        }
    }
    fn is_wrong(&self, tone: &Tone) -> bool {
        matches!(tone, Tone::Undecided | Tone::Violated)
    }
    fn count(&self, number: &u64) -> String {
        words::count(*number)
    }
    fn duration(&self, ms: &f64) -> String {
        words::duration(*ms)
    }
    fn clipped(&self, record: &str) -> String {
        words::clip(record, RECORD_MAX)
    }
    fn half(&self, ms: &f64) -> String {
        words::duration(*ms / 2.0)
    }
    fn second(&self, at: &Option<f64>) -> String {
        at.map_or("—".to_owned(), |at| format!("{at:.3} s"))
    }
}

/// What the page shows.
impl Page<'_> {
    fn wall(&self) -> String {
        words::duration(self.s.run.wall_seconds * 1e3)
    }
    fn tau(&self) -> String {
        let tau = self.s.queue.as_ref().and_then(|queue| queue.tau);
        tau.map_or("—".to_owned(), |tau| format!("{tau:.4}"))
    }

    fn sections(&self) -> Vec<(&'static str, &'static str)> {
        let all = [
            ("validity", "Run validity", true),
            ("rules", "Rules", true),
            ("anomalies", "Anomalies", !self.s.anomalies.is_empty()),
            ("stock", "Stock", !self.s.stock.is_empty()),
            ("leases", "Leases", true),
            ("money", "Money", true),
            ("queue", "Queue", self.s.queue.is_some()),
            ("load", "Load", true),
            ("latency", "Latency", true),
            ("errors", "Answers", true),
            ("faults", "Faults", true),
            ("environment", "Environment", true),
        ];
        all.into_iter().filter(|(_, _, shown)| *shown).map(|(id, name, _)| (id, name)).collect()
    }

    /// A few anomalies of each rule, so that a rule broken a thousand times does not hide the others.
    fn anomalies(&self) -> Vec<&AnomalyCard> {
        let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
        let few = self.s.anomalies.iter().filter(|card| {
            let count = shown.entry(card.rule.as_str()).or_default();
            *count += 1;
            *count <= ANOMALIES_PER_RULE_MAX
        });
        few.take(ANOMALIES_MAX).collect()
    }

    fn shown_anomalies(&self) -> String {
        let all: u64 = self.s.rules.iter().map(|row| row.violations).sum();
        format!(
            "{} of {} violations, causes first, with the least evidence for each; verdict.json has more.",
            self.anomalies().len(),
            words::count(all)
        )
    }

    fn lanes(&self, card: &AnomalyCard) -> String {
        lanes::lanes(card, self.s)
    }
    fn stock(&self, series: &StockSeries) -> String {
        charts::stock(series, self.s)
    }
    fn lateness(&self) -> String {
        plots::lateness(&self.s.lateness)
    }
    fn queue_plot(&self) -> String {
        self.s.queue.as_ref().map(plots::queue).unwrap_or_default()
    }
    fn load(&self) -> String {
        charts::load(self.s)
    }
    fn latency(&self) -> String {
        charts::latency(self.s)
    }

    fn money(&self) -> Vec<(&'static str, String, String)> {
        let money = &self.s.money;
        let row = |name, attempts, minor: Option<u64>| {
            let minor = minor.map_or(String::new(), |minor| words::money(minor, &money.currency));
            (name, words::count(attempts), minor)
        };
        vec![
            row("payment attempts", money.attempts, None),
            row("ended without money", money.dead, None),
            row("captured", money.captured, Some(money.captured_minor)),
            row("… for a confirmed order", money.bought, Some(money.bought_minor)),
            row("… given back", money.refunded, Some(money.refunded_minor)),
            row(
                "… neither, as far as anybody saw",
                money.unaccounted,
                Some(money.unaccounted_minor),
            ),
        ]
    }

    fn latencies(&self) -> Vec<(&str, Percentiles, Percentiles)> {
        let all = &self.s.latency;
        let steps = all.steps.iter().map(|row| (row.step.as_str(), row.response, row.service));
        [("all", all.response, all.service)].into_iter().chain(steps).collect()
    }

    fn error_keys(&self) -> Vec<(&str, bool)> {
        let rows = self.s.errors.iter();
        let mut keys: Vec<(&str, bool)> =
            rows.map(|row| (row.class.as_str(), row.meaning == "unknown")).collect();
        keys.sort_unstable_by_key(|(class, unknown)| (*unknown, *class));
        keys.dedup();
        keys
    }
    fn error_classes(&self) -> Vec<String> {
        let name =
            |(class, unknown)| if unknown { format!("{class} ?") } else { String::from(class) };
        self.error_keys().into_iter().map(name).collect()
    }
    fn error_rows(&self) -> Vec<(&str, Vec<String>)> {
        let mut steps: Vec<&str> = self.s.errors.iter().map(|row| row.step.as_str()).collect();
        steps.dedup();
        let keys = self.error_keys();
        let cell = |step: &str, (class, unknown): (&str, bool)| {
            let row = self.s.errors.iter().find(|row| {
                row.step == step && row.class == class && (row.meaning == "unknown") == unknown
            });
            row.map_or(String::new(), |row| match row.labelled {
                0 => words::count(row.count),
                labelled => format!("{} ({})", words::count(row.count), words::count(labelled)),
            })
        };
        let cells = |step| keys.iter().map(|&key| cell(step, key)).collect();
        steps.into_iter().map(|step| (step, cells(step))).collect()
    }
}
