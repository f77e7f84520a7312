//! The simulated sale itself: it ends, repeats itself from its seed, and exercises what it is for.

use fastrand::Rng;
use onsale_history::{CallKind, Class, History, Label, Outcome};
use onsale_testkit::{Defect, Plan, simulate};

const SEEDS: u64 = 2_000;

fn sale(seed: u64) -> History {
    simulate(seed, Plan::small(&mut Rng::with_seed(seed)), None)
}

#[test]
fn the_same_seed_gives_the_same_history() {
    for seed in 0..50 {
        let (one, two) = (sale(seed), sale(seed));
        assert_eq!(one.operations, two.operations, "seed {seed}");
        assert_eq!(one.marks, two.marks, "seed {seed}");
        assert_eq!(one.lines, two.lines, "seed {seed}");
    }
}

#[test]
fn every_kind_of_call_and_every_answer_of_a_sale_occurs() {
    let histories = (0..SEEDS).map(sale).collect::<Vec<_>>();
    let count = |what: &dyn Fn(CallKind, Outcome, Label) -> bool| {
        let operations = histories.iter().flat_map(|history| &history.operations);
        operations.filter(|op| what(op.kind(), op.outcome(), op.call.label)).count()
    };
    for class in
        [Class::SoldOut, Class::Limit, Class::Queued, Class::Denied, Class::Expired, Class::NotOpen]
    {
        assert!(count(&|_, outcome, _| outcome == Outcome::Failed(class)) > 50, "{class}");
    }
    for class in [Class::Conflict, Class::Declined, Class::Invalid, Class::Busy] {
        assert!(count(&|_, outcome, _| outcome == Outcome::Failed(class)) > 10, "{class}");
    }
    for kind in
        CallKind::ALL.iter().filter(|kind| !matches!(kind, CallKind::Landing | CallKind::Challenge))
    {
        assert!(count(&|at, outcome, _| at == *kind && outcome.is_ok()) > 50, "{kind}");
        assert!(count(&|at, outcome, _| at == *kind && outcome.is_indeterminate()) > 5, "{kind}");
    }
    for label in Label::ALL {
        assert!(count(&|_, _, at| at == *label) > 5, "{label}");
    }
}

#[test]
fn every_defect_yields_another_history_than_the_safe_shop() {
    for &defect in Defect::ALL {
        let differs = (0..400).any(|seed| {
            let plan = Plan::provoking(&mut Rng::with_seed(seed), defect);
            let safe = simulate(seed, plan.clone(), None);
            let broken = simulate(seed, plan, Some(defect));
            safe.operations != broken.operations
                || safe.marks != broken.marks
                || safe.lines != broken.lines
        });
        assert!(differs, "{defect}");
    }
}
