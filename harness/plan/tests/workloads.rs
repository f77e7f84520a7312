//! The files that people run are valid, and say what the documentation says of them.

use onsale_plan::{Known, Workload, inspect};
use std::path::{Path, PathBuf};
use std::time::Duration;

const KNOWN: Known<'static> = Known {
    personas: &[
        "human",
        "refresher",
        "sniper",
        "scalper",
        "hoarder",
        "double-clicker",
        "retrier",
        "late-payer",
        "forger",
        "replayer",
    ],
    faults: &["target-kill", "webhook-drop"],
    rules: &["oversell", "overcommit", "double-charge"],
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn parse(text: &str) -> Workload {
    Workload::parse(Path::new("w.yaml"), text, &KNOWN)
        .unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn the_quickstart_is_the_sale_of_the_readme() {
    let file = root().join("workloads/quickstart.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let workload =
        Workload::parse(&file, &text, &KNOWN).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(workload.name, "quickstart");
    assert_eq!(workload.sale.skus.iter().map(|sku| sku.stock).sum::<u32>(), 500);
    assert_eq!(workload.load.shoppers, 5000);
    assert_eq!(workload.sale.hold.ttl, Duration::from_secs(4));
    assert_eq!(
        workload.load.personas.keys().map(String::as_str).collect::<Vec<_>>(),
        KNOWN.personas
    );
}

#[test]
fn five_lines_are_a_workload() {
    let workload =
        parse("sale:\n  skus:\n    - { name: floor, stock: 10 }\nload:\n  shoppers: 50\n");
    assert_eq!((workload.load.shoppers, workload.sale.skus[0].shards), (50, 1));
    assert_eq!(workload.target, "targets/reference.yaml");
}

#[test]
fn an_inspected_plan_reads_as_the_same_plan() {
    let text = std::fs::read_to_string(root().join("workloads/quickstart.yaml")).unwrap();
    let workload = parse(&text);
    assert_eq!(parse(&inspect(&workload)), workload);
}

#[test]
fn the_reference_target_is_driven_by_a_valid_mapping() {
    let file = root().join("workloads/targets/reference.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let target =
        onsale_plan::Target::parse(&file, &text).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(target.name, "reference");
    let again = onsale_plan::Target::parse(&file, &inspect(&target))
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(again, target);
}

#[test]
fn every_chaos_plan_that_is_shipped_is_valid() {
    let mut count = 0;
    for entry in std::fs::read_dir(root().join("chaos")).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|extension| extension == "yaml") {
            let text = std::fs::read_to_string(&file).unwrap();
            // Names are checked where the registry of faults is; here the form is.
            let names: Vec<&str> = text
                .split("fault: ")
                .skip(1)
                .filter_map(|rest| rest.split([',', '\n', ' ']).next())
                .collect();
            let known = Known { faults: &names, ..KNOWN };
            let plan = onsale_plan::ChaosPlan::parse(&file, &text, &known)
                .unwrap_or_else(|mistakes| panic!("{mistakes}"));
            assert_eq!(
                onsale_plan::ChaosPlan::parse(&file, &inspect(&plan), &known).unwrap(),
                plan
            );
            count += 1;
        }
    }
    assert!(count > 0, "no chaos plan was found");
}
