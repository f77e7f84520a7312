//! The registry of tasks.

use std::fmt::Write as _;

/// One task.
pub(crate) struct Task {
    /// What is typed.
    pub(crate) name: &'static str,
    /// What it does, in a line.
    pub(crate) help: &'static str,
    /// Does it.
    pub(crate) run: fn() -> anyhow::Result<()>,
}

/// Every task.
pub(crate) const TASKS: &[Task] = &[
    Task { name: "test", help: "every test of the workspace", run: crate::test::run },
    Task {
        name: "tidy",
        help: "checks on the tree: holes, imports, sizes, words",
        run: crate::tidy::run,
    },
    Task {
        name: "generate",
        help: "writes snapshots, schemas and the OpenAPI document anew",
        run: crate::generate::run,
    },
    Task { name: "ci", help: "everything that CI runs", run: crate::ci::run },
];

/// A task by its name.
pub(crate) fn by_name(name: &str) -> Option<&'static Task> {
    TASKS.iter().find(|task| task.name == name)
}

/// What can be typed.
pub(crate) fn usage() -> String {
    TASKS.iter().fold("usage: cargo xtask <task>\n\n".to_owned(), |mut text, task| {
        writeln!(text, "  {:<10}{}", task.name, task.help).expect("strings take everything");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_found_by_their_unique_names() {
        for task in TASKS {
            assert_eq!(
                by_name(task.name).map(|found| found.help),
                Some(task.help),
                "{}",
                task.name
            );
            assert!(usage().contains(task.help));
        }
        assert!(by_name("deploy").is_none());
    }
}
