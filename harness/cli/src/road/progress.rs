//! Progress, drawn on a terminal and nowhere else.

use indicatif::{ProgressBar, ProgressStyle};
use onsale_history::PhaseName;
use onsale_load::Live;
use onsale_plan::Workload;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Between two drawings.
const DRAW_EVERY: Duration = Duration::from_millis(100);

/// The bar of a run.
pub(crate) struct Bars {
    bar: ProgressBar,
    over: Arc<AtomicBool>,
}

impl Bars {
    /// A bar that counts the shoppers who are done.
    pub(crate) fn new(workload: &Workload, live: Arc<Live>) -> Self {
        let shoppers = u64::from(workload.load.shoppers);
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::new(shoppers)
        } else {
            ProgressBar::hidden()
        };
        let style =
            ProgressStyle::with_template("{prefix:>12} {bar:30} {pos}/{len} shoppers  {msg}");
        bar.set_style(style.expect("the template is sound"));
        let over = Arc::new(AtomicBool::new(false));
        if !bar.is_hidden() {
            let (bar, over) = (bar.clone(), over.clone());
            tokio::spawn(async move {
                while !over.load(Ordering::Relaxed) {
                    bar.set_position(u64::from(live.done()));
                    bar.set_message(format!(
                        "{} in · {} holds · {} requests · {} unknown",
                        live.admitted(),
                        live.holds(),
                        live.sent(),
                        live.unknown()
                    ));
                    tokio::time::sleep(DRAW_EVERY).await;
                }
            });
        }
        Self { bar, over }
    }
    /// Shows the phase.
    pub(crate) fn enter(&self, phase: PhaseName) {
        self.bar.set_prefix(phase.word());
    }
    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.bar.finish_and_clear();
    }
}
