//! Plays the steps of a chaos plan.

use crate::trigger::fires;
use crate::{Backend, Error, Fault, FaultGuard, Watch, by_name};
use onsale_history::{FaultStage, MarkKind, Nanos, Scribe};
use onsale_plan::Step;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;

/// Between two probes.
const PROBE_EVERY: Duration = Duration::from_millis(2);
/// A fault that does not wait for traffic is felt within this time, or not at all.
const FELT_WAIT_MAX: Duration = Duration::from_secs(2);
/// What is healed works again within this time, or the fault counts as unhealed.
const RESTORED_WAIT_MAX: Duration = Duration::from_secs(30);

/// What became of a step.
#[derive(Debug)]
pub enum Outcome {
    /// It was felt and is healed.
    Felt,
    /// It was injected, and nobody felt it: the run is undecided.
    Unfelt,
    /// It was injected and could not be undone.
    Unhealed,
    /// The load ended before its trigger fired.
    NeverFired,
    /// It could not be injected.
    Failed(Error),
}

/// One step, as it went.
#[derive(Debug)]
pub struct StepReport {
    /// Name of the fault.
    pub fault: String,
    /// What became of it.
    pub outcome: Outcome,
    /// When it was asked for.
    pub requested: Option<Nanos>,
    /// When it was first felt.
    pub effective: Option<Nanos>,
    /// When everything worked again.
    pub healed: Option<Nanos>,
}

/// All steps, in the order of the plan.
#[derive(Debug, Default)]
pub struct Report {
    /// One a step.
    pub steps: Vec<StepReport>,
}

impl Report {
    /// Whether every step was felt and is healed.
    pub fn is_sound(&self) -> bool {
        self.steps.iter().all(|step| matches!(step.outcome, Outcome::Felt))
    }
}

/// What injects.
pub struct Nemesis {
    backend: Backend,
    state: Arc<dyn Watch>,
    scribe: Scribe,
    /// Held while a fault of that name is on: it does not overlap itself.
    turns: BTreeMap<&'static str, Mutex<()>>,
}

impl Nemesis {
    /// Plays all steps, each when its trigger fires; they may overlap. Times count from the call. When `stop` becomes
    /// true, faults heal and steps that have not begun do not begin.
    pub async fn run(
        steps: &[Step],
        backend: Backend,
        state: Arc<dyn Watch>,
        scribe: Scribe,
        stop: watch::Receiver<bool>,
    ) -> Result<Report, Error> {
        let turns = steps
            .iter()
            .map(|step| find(&step.fault).map(|fault| (fault.name(), Mutex::new(()))))
            .collect::<Result<_, _>>()?;
        let nemesis = Arc::new(Self { backend, state, scribe, turns });
        let mut playing = JoinSet::new();
        for (index, step) in steps.iter().cloned().enumerate() {
            let (nemesis, stop) = (nemesis.clone(), stop.clone());
            playing.spawn(async move { (index, nemesis.play(&step, stop).await) });
        }
        let mut reports = BTreeMap::new();
        while let Some(played) = playing.join_next().await {
            let (index, report) = played.expect("no step panics");
            reports.insert(index, report?);
        }
        Ok(Report { steps: reports.into_values().collect() })
    }

    async fn play(
        &self,
        step: &Step,
        mut stop: watch::Receiver<bool>,
    ) -> Result<StepReport, Error> {
        let fault = find(&step.fault)?;
        let mut report = StepReport {
            fault: step.fault.clone(),
            outcome: Outcome::NeverFired,
            requested: None,
            effective: None,
            healed: None,
        };
        tokio::select! {
            biased;
            () = stopped(&mut stop) => return Ok(report),
            () = fires(&step.trigger, &*self.state) => {}
        }
        let _turn = self.turns[fault.name()].lock().await;
        if *stop.borrow() {
            return Ok(report);
        }
        report.requested = Some(self.mark(fault, FaultStage::Requested)?);
        let mut guard = match FaultGuard::inject(fault, &self.backend).await {
            Ok(guard) => guard,
            Err(error) => {
                self.mark(fault, FaultStage::Unfelt)?;
                report.outcome = Outcome::Failed(error);
                return Ok(report);
            }
        };
        let lasts = if step.lasts.is_zero() { fault.lasts() } else { step.lasts };
        report.effective = self.feel(fault, &mut guard, lasts, &mut stop).await?;
        self.end(fault, &mut guard, &mut report).await?;
        Ok(report)
    }

    /// Keeps the fault up for its time and says when it was first felt.
    async fn feel(
        &self,
        fault: &dyn Fault,
        guard: &mut FaultGuard,
        lasts: Duration,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<Option<Nanos>, Error> {
        let time = tokio::time::sleep(lasts);
        let over = async {
            tokio::select! {
                () = time => {}
                () = stopped(stop) => {}
            }
        };
        tokio::pin!(over);
        // A fault that is there at once gets the time to be seen, however short it is; one that waits for traffic may be
        // felt by the very last of it, so it is looked at once more when its time is over.
        let seen = if fault.waits_for_traffic() {
            tokio::select! {
                () = felt(guard) => true,
                () = &mut over => return self.felt_after_all(fault, guard).await,
            }
        } else {
            tokio::time::timeout(FELT_WAIT_MAX, felt(guard)).await.is_ok()
        };
        let effective = if seen { Some(self.mark(fault, FaultStage::Effective)?) } else { None };
        over.await;
        Ok(effective)
    }

    async fn felt_after_all(
        &self,
        fault: &dyn Fault,
        guard: &mut FaultGuard,
    ) -> Result<Option<Nanos>, Error> {
        if guard.is_felt().await {
            self.mark(fault, FaultStage::Effective).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Heals, waits until everything works again, and marks how it ended.
    async fn end(
        &self,
        fault: &dyn Fault,
        guard: &mut FaultGuard,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        if report.effective.is_none() {
            self.mark(fault, FaultStage::Unfelt)?;
        }
        let restored = match guard.heal() {
            Ok(()) => tokio::time::timeout(RESTORED_WAIT_MAX, restored(guard)).await.is_ok(),
            Err(error) => {
                tracing::error!(fault = fault.name(), %error, "a fault could not be healed");
                false
            }
        };
        if restored {
            report.healed = Some(self.mark(fault, FaultStage::Healed)?);
        } else {
            self.mark(fault, FaultStage::Unhealed)?;
        }
        report.outcome = match (restored, report.effective) {
            (false, _) => Outcome::Unhealed,
            (true, None) => Outcome::Unfelt,
            (true, Some(_)) => Outcome::Felt,
        };
        Ok(())
    }

    fn mark(&self, fault: &dyn Fault, stage: FaultStage) -> Result<Nanos, Error> {
        let at = self.scribe.clock.now();
        let names = &self.scribe.names;
        let kind = MarkKind::Fault {
            name: names.id(fault.name()),
            target: Some(names.id(fault.target())),
            stage,
        };
        self.scribe.marks.mark(at, kind).map_err(Error::Mark)?;
        Ok(at)
    }
}

fn find(name: &str) -> Result<&'static dyn Fault, Error> {
    by_name(name).ok_or_else(|| Error::UnknownFault { name: name.to_owned() })
}

async fn felt(guard: &mut FaultGuard) {
    while !guard.is_felt().await {
        tokio::time::sleep(PROBE_EVERY).await;
    }
}

async fn restored(guard: &mut FaultGuard) {
    while !guard.is_restored().await {
        tokio::time::sleep(PROBE_EVERY).await;
    }
}

/// Returns when stopped; also when whoever could stop us is gone.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
