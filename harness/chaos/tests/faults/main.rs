//! Every fault: it is felt, healing restores, healing twice is harmless, and dropping the guard heals.
#![expect(clippy::unwrap_used, reason = "a failed test")]

#[path = "../support/mod.rs"]
mod support;

mod psp_answer_lost;
mod psp_down;
mod psp_slow;
mod refund_fails;
mod target_kill;
mod target_pause;
mod webhook_delay;
mod webhook_drop;
mod webhook_duplicate;
mod webhook_forge;
mod webhook_reorder;
mod webhook_wrong_amount;

use onsale_chaos::{FAULTS, FaultGuard, Nemesis, Outcome, Watch, by_name, heal};
use onsale_history::FaultStage;
use onsale_plan::{Step, Trigger};
use std::sync::Arc;
use std::time::Duration;
use support::{PATIENCE, Stage, eventually, told};

/// The target that [`support::launch`] starts is this test.
#[tokio::test]
async fn the_target_answers() {
    if told(support::ROLE).is_some() {
        return support::serve().await;
    }
    let directory = tempfile::tempdir().unwrap();
    assert!(support::start(&directory).await.probe().await.is_well());
}

struct Quiet;

impl Watch for Quiet {
    fn free_stock(&self) -> u32 {
        u32::MAX
    }
    fn holds_granted(&self) -> u32 {
        0
    }
    fn sold_out_seen(&self) -> bool {
        false
    }
}

/// Nothing is wrong: the target answers, the provider has the knobs it began with and answers.
async fn all_is_well(stage: &Stage) -> bool {
    let provider =
        onsale_chaos::probe(stage.provider.address(), "/v1/payment_intents/pi_none", PATIENCE)
            .await;
    stage.process.probe().await.is_well()
        && stage.provider.knobs() == support::knobs()
        && provider == onsale_chaos::Probe::Answered(404)
}

/// The promises of every fault.
async fn check(name: &str) {
    let fault = by_name(name).unwrap();
    let stage = Stage::set().await;
    let _traffic = stage.traffic();
    assert!(all_is_well(&stage).await);

    let mut guard = FaultGuard::inject(fault, &stage.backend).await.unwrap();
    eventually(&format!("{name} is felt"), async || guard.is_felt().await).await;
    for time in ["healed", "healed twice"] {
        guard.heal().unwrap();
        eventually(&format!("{name} is {time}"), async || guard.is_restored().await).await;
        assert!(all_is_well(&stage).await, "{name} is {time}");
    }
    drop(guard);

    let mut guard = FaultGuard::inject(fault, &stage.backend).await.unwrap();
    eventually(&format!("{name} is felt again"), async || guard.is_felt().await).await;
    drop(guard);
    eventually(&format!("{name} is healed by its dropped guard"), async || {
        all_is_well(&stage).await
    })
    .await;
    assert_eq!(
        heal(&stage.directory.path().join("journal")).unwrap(),
        [],
        "the journal has nothing to undo"
    );

    let step = Step {
        fault: name.to_owned(),
        trigger: Trigger::At(Duration::ZERO),
        lasts: Duration::from_millis(100),
    };
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    let steps = [step];
    let report =
        Nemesis::run(&steps, stage.backend.clone(), Arc::new(Quiet), stage.scribe.clone(), stopped)
            .await
            .unwrap();
    assert!(report.is_sound(), "{report:?}");
    let [step] = &report.steps[..] else { panic!("one step: {report:?}") };
    assert!(
        matches!(step.outcome, Outcome::Felt)
            && step.requested < step.effective
            && step.effective < step.healed
    );
    assert_eq!(
        stage.marks.stages(),
        [FaultStage::Requested, FaultStage::Effective, FaultStage::Healed]
    );
    assert!(all_is_well(&stage).await, "after the nemesis");
}

#[test]
fn names_are_unique_and_explained() {
    let mut names: Vec<_> = FAULTS.iter().map(|fault| fault.name()).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
    for fault in FAULTS {
        assert!(fault.help().contains("Felt: "), "{} says how it is felt", fault.name());
        assert!(!fault.lasts().is_zero(), "{} lasts", fault.name());
        assert!(by_name(fault.name()).is_some());
    }
    assert!(by_name("redis-on-fire").is_none());
}
