//! The phases of a run, from the first arrival to the seal.

use super::progress::Bars;
use super::stage::Stage;
use super::{clock, facts};
use crate::output::Failure;
use anyhow::Context;
use onsale_chaos::{Nemesis, Watch};
use onsale_history::{Label, MarkKind, Nanos, PhaseName, RecordError};
use onsale_load::{Live, LoadError, LoadStats, Swarm, SwarmConfig};
use onsale_report::exit::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Webhooks and captures that are under way end within this time, or the run says so.
const SETTLE_MAX: Duration = Duration::from_secs(20);
/// Beside ttl and grace: the time in which the target's own workers look again.
const QUIESCE_EXTRA: Duration = Duration::from_millis(300);

/// How it went.
#[derive(Default)]
pub(crate) struct Played {
    pub(crate) stats: LoadStats,
    pub(crate) faults: onsale_chaos::Report,
    pub(crate) phases: Vec<(String, f64)>,
    pub(crate) problems: Vec<String>,
    pub(crate) record_failure: Option<String>,
    pub(crate) unresolved: usize,
}

/// What chaos asks of the load.
struct Seen(Arc<Live>);

impl Watch for Seen {
    fn free_stock(&self) -> u32 {
        self.0.free()
    }
    fn holds_granted(&self) -> u32 {
        self.0.holds()
    }
    fn sold_out_seen(&self) -> bool {
        self.0.sold_out()
    }
}

/// Where a run is.
pub(crate) struct Player<'a> {
    stage: &'a Stage,
    swarm: Swarm,
    bars: Bars,
    told: watch::Receiver<Option<ExitCode>>,
    stop: watch::Sender<bool>,
    played: Played,
    since: Nanos,
    phase: Option<PhaseName>,
}

impl<'a> Player<'a> {
    /// Gets ready to play.
    pub(crate) fn new(stage: &'a Stage, told: watch::Receiver<Option<ExitCode>>) -> Self {
        let (stop, stopped) = watch::channel(false);
        let recording = stage.recording.clone();
        let swarm = Swarm::new(SwarmConfig {
            workload: stage.plans.workload.clone(),
            seed: stage.plans.seed,
            client: stage.client.clone(),
            scribe: stage.scribe.clone(),
            recorders: Arc::new(move || recording.recorder()),
            begins: stage.begins,
            opens: stage.opens,
            stop: stopped,
        });
        let bars = Bars::new(&stage.plans.workload, swarm.live());
        Self {
            stage,
            swarm,
            bars,
            told,
            stop,
            played: Played::default(),
            since: Nanos::ZERO,
            phase: None,
        }
    }

    /// Plays all phases. A record that cannot be written, or a signal, ends it early; what was seen until then stays.
    pub(crate) async fn play(mut self) -> Result<Played, Failure> {
        let ended = self.phases().await;
        self.leave_phase();
        self.bars.finish();
        match ended {
            Ok(()) => {}
            Err(LoadError::Record(error)) => self.played.record_failure = Some(chain(&error)),
            Err(error) => return Err(anyhow::Error::from(error).into()),
        }
        if let Some(process) = self.stage.process() {
            // A target that a fault left paused or away is ended all the same.
            let _exit_status =
                process.stop(Duration::from_secs(10)).await.context("failed to stop the target")?;
        }
        Ok(self.played)
    }

    async fn phases(&mut self) -> Result<(), LoadError> {
        self.enter(PhaseName::Load)?;
        self.load().await?;
        self.enter(PhaseName::Heal)?;
        self.settle().await;
        if self.interrupted() {
            return Ok(());
        }
        self.enter(PhaseName::Resolve)?;
        self.played.unresolved = self.swarm.resolve().await?;
        self.settle().await;
        self.enter(PhaseName::Quiesce)?;
        self.rest().await;
        self.enter(PhaseName::DrainFirst)?;
        self.swarm.drain(Label::DrainFirst).await?;
        self.enter(PhaseName::QuiesceAgain)?;
        self.rest().await;
        self.enter(PhaseName::DrainSecond)?;
        self.swarm.drain(Label::DrainSecond).await?;
        self.settle().await;
        if self.interrupted() {
            return Ok(());
        }
        self.enter(PhaseName::FinalReads)?;
        self.swarm.final_reads().await?;
        self.enter(PhaseName::End)?;
        Ok(())
    }

    /// The load and what breaks meanwhile.
    async fn load(&mut self) -> Result<(), LoadError> {
        let watch: Arc<dyn Watch> = Arc::new(Seen(self.swarm.live()));
        let (steps, backend) = (self.stage.plans.steps.clone(), self.stage.backend.clone());
        let (scribe, begins) =
            (self.stage.scribe.clone(), self.stage.clock.instant(self.stage.begins));
        let (over, stopped) = watch::channel(false);
        let breaking = tokio::spawn(async move {
            tokio::time::sleep_until(begins.into()).await;
            Nemesis::run(&steps, backend, watch, scribe, stopped).await
        });
        let mut told = self.told.clone();
        let loaded = {
            let load = self.swarm.load();
            tokio::pin!(load);
            tokio::select! {
                loaded = &mut load => loaded,
                _ = told.changed() => {
                    self.stop.send_replace(true);
                    load.await
                }
            }
        };
        over.send_replace(true);
        match breaking.await.expect("chaos does not panic") {
            Ok(report) => self.played.faults = report,
            Err(error) => {
                self.played.problems.push(format!("chaos ended early: {}", chain(&error)));
            }
        }
        self.played.stats = loaded?;
        Ok(())
    }

    /// Faults of the provider end, and everything that it has under way arrives.
    async fn settle(&mut self) {
        let Some(provider) = &self.stage.backend.provider else { return };
        if let Err(error) = provider.quiesce(SETTLE_MAX).await {
            self.played
                .problems
                .push(format!("the payment provider did not come to rest: {}", chain(&error)));
        }
    }

    /// The longest life of a hold, and the grace after it.
    async fn rest(&mut self) {
        let hold = &self.stage.plans.workload.sale.hold;
        let mut told = self.told.clone();
        let pause = hold.ttl + hold.grace + QUIESCE_EXTRA;
        // Running out of time is the point; being told to stop ends it early.
        drop(tokio::time::timeout(pause, told.wait_for(Option::is_some)).await);
    }

    fn interrupted(&self) -> bool {
        self.told.borrow().is_some()
    }

    fn enter(&mut self, phase: PhaseName) -> Result<(), RecordError> {
        self.leave_phase();
        self.since =
            facts::nanos(clock::now().instant.saturating_duration_since(self.stage.epoch.instant));
        self.phase = Some(phase);
        self.bars.enter(phase);
        self.stage.scribe.mark(MarkKind::Phase(phase))
    }

    fn leave_phase(&mut self) {
        if let Some(phase) = self.phase.take() {
            let lasted = self.stage.clock.now().minus(self.since);
            self.played.phases.push((phase.word().to_owned(), lasted.as_millis_f64() / 1e3));
        }
    }
}

/// An error and its causes, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
