//! The nemesis: when faults begin, what it says when they do not, and that they end.

mod support;

use onsale_chaos::{Error, Nemesis, Outcome, Watch};
use onsale_history::FaultStage;
use onsale_plan::{Step, Trigger};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use support::{Stage, eventually, told};
use tokio::sync::watch;

#[tokio::test]
async fn the_target_answers() {
    if told(support::ROLE).is_some() {
        return support::serve().await;
    }
    let directory = tempfile::tempdir().unwrap();
    assert!(support::start(&directory).await.probe().await.is_well());
}

struct Sale {
    free: AtomicU32,
    holds: AtomicU32,
    sold_out: AtomicBool,
}

impl Sale {
    fn opens() -> Arc<Self> {
        Arc::new(Self { free: 100.into(), holds: 0.into(), sold_out: false.into() })
    }
}

impl Watch for Sale {
    fn free_stock(&self) -> u32 {
        self.free.load(Ordering::SeqCst)
    }
    fn holds_granted(&self) -> u32 {
        self.holds.load(Ordering::SeqCst)
    }
    fn sold_out_seen(&self) -> bool {
        self.sold_out.load(Ordering::SeqCst)
    }
}

fn step(fault: &str, trigger: Trigger, lasts: Duration) -> Step {
    Step { fault: fault.to_owned(), trigger, lasts }
}

#[tokio::test]
async fn each_trigger_waits_for_its_state_and_no_longer() {
    type Change = fn(&Sale);
    let almost: Change = |sale| {
        sale.free.store(5, Ordering::SeqCst);
        sale.holds.store(9, Ordering::SeqCst);
    };
    let table: [(Trigger, Change); 4] = [
        (Trigger::StockBelow(5), |sale| sale.free.store(4, Ordering::SeqCst)),
        (Trigger::Holds(10), |sale| sale.holds.store(10, Ordering::SeqCst)),
        (Trigger::BetweenAdmitAndCommit(10), |sale| sale.holds.store(10, Ordering::SeqCst)),
        (Trigger::FirstSoldOut, |sale| sale.sold_out.store(true, Ordering::SeqCst)),
    ];
    for (trigger, change) in table {
        let stage = Stage::set().await;
        let sale = Sale::opens();
        let (_stop, stopped) = watch::channel(false);
        let steps = vec![step("psp-down", trigger.clone(), Duration::from_millis(50))];
        let (backend, state, scribe) = (stage.backend.clone(), sale.clone(), stage.scribe.clone());
        let playing =
            tokio::spawn(
                async move { Nemesis::run(&steps, backend, state, scribe, stopped).await },
            );
        almost(&sale);
        // Long enough for many looks at the sale.
        tokio::time::sleep(Duration::from_millis(60)).await;
        assert_eq!(stage.marks.stages(), [], "{trigger:?} fired too early");
        change(&sale);
        let report = playing.await.unwrap().unwrap();
        assert!(report.is_sound(), "{trigger:?}: {report:?}");
    }
}

#[tokio::test]
async fn a_fault_that_nothing_felt_says_so() {
    let stage = Stage::set().await;
    let (_stop, stopped) = watch::channel(false);
    let steps = [step("webhook-drop", Trigger::At(Duration::ZERO), Duration::from_millis(40))];
    let report =
        Nemesis::run(&steps, stage.backend.clone(), Sale::opens(), stage.scribe.clone(), stopped)
            .await
            .unwrap();
    assert!(matches!(report.steps[0].outcome, Outcome::Unfelt), "{report:?}");
    assert_eq!(
        stage.marks.stages(),
        [FaultStage::Requested, FaultStage::Unfelt, FaultStage::Healed]
    );
    assert!(!report.is_sound());
}

#[tokio::test]
async fn the_stop_heals_what_is_on_and_lets_nothing_more_begin() {
    let stage = Stage::set().await;
    let (stop, stopped) = watch::channel(false);
    let steps = vec![
        step("psp-down", Trigger::At(Duration::ZERO), support::PATIENCE),
        step("psp-slow", Trigger::FirstSoldOut, Duration::ZERO),
    ];
    let (backend, scribe) = (stage.backend.clone(), stage.scribe.clone());
    let playing =
        tokio::spawn(
            async move { Nemesis::run(&steps, backend, Sale::opens(), scribe, stopped).await },
        );
    eventually("the fault is felt", async || stage.marks.stages().contains(&FaultStage::Effective))
        .await;
    stop.send_replace(true);
    let report = playing.await.unwrap().unwrap();
    assert!(matches!(report.steps[0].outcome, Outcome::Felt), "{report:?}");
    assert!(matches!(report.steps[1].outcome, Outcome::NeverFired), "{report:?}");
    assert_eq!(stage.provider.knobs(), support::knobs());
}

#[tokio::test]
async fn an_aborted_nemesis_heals() {
    let stage = Stage::set().await;
    let (_stop, stopped) = watch::channel(false);
    let steps = vec![step("psp-down", Trigger::At(Duration::ZERO), support::PATIENCE)];
    let (backend, scribe) = (stage.backend.clone(), stage.scribe.clone());
    let playing =
        tokio::spawn(
            async move { Nemesis::run(&steps, backend, Sale::opens(), scribe, stopped).await },
        );
    eventually("the provider is down", async || stage.provider.knobs().down).await;
    playing.abort();
    eventually("the provider is up", async || !stage.provider.knobs().down).await;
}

#[tokio::test]
async fn one_fault_does_not_overlap_itself() {
    let stage = Stage::set().await;
    let (_stop, stopped) = watch::channel(false);
    let lasts = Duration::from_millis(50);
    let steps = [
        step("psp-down", Trigger::At(Duration::ZERO), lasts),
        step("psp-down", Trigger::At(Duration::from_millis(10)), lasts),
    ];
    let report =
        Nemesis::run(&steps, stage.backend.clone(), Sale::opens(), stage.scribe.clone(), stopped)
            .await
            .unwrap();
    assert!(report.is_sound(), "{report:?}");
    let life = [FaultStage::Requested, FaultStage::Effective, FaultStage::Healed];
    assert_eq!(stage.marks.stages(), life.repeat(2));
    assert_eq!(stage.provider.knobs(), support::knobs());
}

#[tokio::test]
async fn an_unknown_fault_is_refused_before_anything_is_done() {
    let stage = Stage::set().await;
    let (_stop, stopped) = watch::channel(false);
    let steps = [
        step("psp-down", Trigger::At(Duration::ZERO), Duration::ZERO),
        step("redis-on-fire", Trigger::At(Duration::ZERO), Duration::ZERO),
    ];
    let error =
        Nemesis::run(&steps, stage.backend.clone(), Sale::opens(), stage.scribe.clone(), stopped)
            .await
            .unwrap_err();
    assert!(matches!(error, Error::UnknownFault { .. }), "{error}");
    assert_eq!(error.to_string(), "there is no fault `redis-on-fire`");
    assert_eq!(stage.marks.stages(), []);
}

#[tokio::test]
async fn a_fault_without_its_target_fails_and_counts_as_unfelt() {
    let mut stage = Stage::set().await;
    stage.backend.process = None;
    let (_stop, stopped) = watch::channel(false);
    let steps = [step("target-kill", Trigger::At(Duration::ZERO), Duration::ZERO)];
    let report =
        Nemesis::run(&steps, stage.backend.clone(), Sale::opens(), stage.scribe.clone(), stopped)
            .await
            .unwrap();
    let Outcome::Failed(error) = &report.steps[0].outcome else { panic!("{report:?}") };
    assert_eq!(
        error.to_string(),
        "fault `target-kill` needs a target that it started itself, which this run does not have"
    );
    assert_eq!(stage.marks.stages(), [FaultStage::Requested, FaultStage::Unfelt]);
}
