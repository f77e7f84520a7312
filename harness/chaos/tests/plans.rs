//! The committed plans in `chaos/`: each can be read, names faults that exist, and each fault has its own.

use onsale_chaos::FAULTS;
use onsale_plan::{ChaosPlan, Known};
use std::path::Path;

fn plan(name: &str) -> ChaosPlan {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../chaos").join(format!("{name}.yaml"));
    let text = std::fs::read_to_string(&path).expect("the plan is committed");
    let faults: Vec<_> = FAULTS.iter().map(|fault| fault.name()).collect();
    let known = Known { personas: &[], faults: &faults, rules: &[] };
    ChaosPlan::parse(&path, &text, &known).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn the_plan_of_a_fault_is_about_that_fault() {
    for fault in FAULTS {
        let steps = plan(fault.name()).steps;
        assert!(!steps.is_empty(), "{} has no steps", fault.name());
        for step in steps {
            assert_eq!(step.fault, fault.name());
            assert!(!step.lasts.is_zero(), "{} says how long it lasts", fault.name());
        }
    }
}

#[test]
fn everything_at_once_overlaps_faults_of_target_and_provider() {
    let steps = plan("everything").steps;
    for part in ["target-", "psp-", "webhook-"] {
        assert!(steps.iter().any(|step| step.fault.starts_with(part)), "no step is a {part}fault");
    }
}
