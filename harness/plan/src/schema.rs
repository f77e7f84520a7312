//! JSON Schemas of the files that people write, for editors.

use crate::{ChaosPlan, Target, Workload};
use serde_json::Value;

/// The schemas, by the file that each is kept in.
pub fn schemas() -> [(&'static str, String); 3] {
    [
        ("workloads/schema.json", pretty(&schemars::schema_for!(Workload).to_value())),
        ("chaos/schema.json", pretty(&schemars::schema_for!(ChaosPlan).to_value())),
        ("workloads/targets/schema.json", pretty(&schemars::schema_for!(Target).to_value())),
    ]
}

fn pretty(schema: &Value) -> String {
    let text = serde_json::to_string_pretty(schema).expect("a schema is JSON");
    format!("{text}\n")
}
