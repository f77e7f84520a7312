//! A plan with all its defaults filled in.

use serde::Serialize;

/// The YAML of a plan, every default written out; reading it again gives the same plan.
pub fn inspect<T: Serialize>(plan: &T) -> String {
    serde_yaml::to_string(plan).expect("a plan is made of maps, lists, numbers and text")
}
