//! The catalogue: one rule a file, one line here.

use crate::{Facts, Finding, Strength};

/// One thing that must hold.
pub trait Rule: Sync {
    /// Its name: kebab-case, the file's name with `-` for `_`.
    fn name(&self) -> &'static str;
    /// What it can say.
    fn strength(&self) -> Strength;
    /// Its file, whose doc comment is the help page: `include_str!("this_file.rs")`.
    fn source(&self) -> &'static str;
    /// Decisive occasions without which it only says `NotExercised`. Ten where an occasion is a whole attack or restart.
    fn occasions_needed(&self) -> u64 {
        30
    }
    /// Rules whose violations follow from this one's and are folded under them.
    fn implies(&self) -> &'static [&'static str] {
        &[]
    }
    /// Looks at a history.
    fn judge(&self, facts: &Facts<'_>) -> Finding;
}

/// Every rule, in the catalogue's order.
pub static RULES: &[&dyn Rule] = &[];

/// The rule of a name.
pub fn rule(name: &str) -> Option<&'static dyn Rule> {
    RULES.iter().copied().find(|rule| rule.name() == name)
}
