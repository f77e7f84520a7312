//! The schema of `report.json` is committed, and what is written keeps to it.

mod support;

use serde_json::Value;
use std::path::Path;

#[test]
fn the_committed_schema_is_the_one_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("report.schema.json");
    let schema = onsale_report::schema();
    #[expect(clippy::disallowed_methods, reason = "blessing is asked for by the environment")]
    if std::env::var("BLESS").is_ok() {
        std::fs::write(&path, &schema).expect("the schema can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == schema, "report.schema.json is old: run this test with BLESS=1");
}

#[test]
fn every_field_that_is_written_is_in_the_schema() {
    let schema: Value = serde_json::from_str(&onsale_report::schema()).unwrap();
    let summary = support::summary("violated", &support::run_facts());
    let report: Value = serde_json::from_str(&onsale_report::json(&summary)).unwrap();
    let declared = schema["properties"].as_object().unwrap();
    let written = report.as_object().unwrap();
    assert!(written.keys().all(|key| declared.contains_key(key)));
    let required: Vec<&str> =
        schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(required.iter().all(|key| written.contains_key(*key)), "{required:?}");
}

#[test]
fn the_same_verdict_gives_the_same_bytes() {
    let (history, names) = support::history("violated");
    let bytes = || onsale_report::verdict_json(&onsale_checker::check(&history, &names));
    assert_eq!(bytes(), bytes());
    assert!(bytes().ends_with("}\n"));
}
