//! What the pages tell people to type exists: verbs, tasks, files.

use crate::tasks;
use crate::tree::Tree;

const PAGES: &[&str] = &["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"];
const COMMANDS: &str = "harness/cli/src/commands";
/// How the command is started.
const STARTS: &[&str] =
    &["onsale ", "cargo run --release -- ", "cargo run -- ", "target/release/onsale ", "./onsale "];
/// Folders whose files are named in commands.
const FOLDERS: &[&str] = &["workloads/", "chaos/", "target-impl/", "harness/", "lua/"];

pub(super) fn check(tree: &Tree) -> Vec<String> {
    let missing = PAGES
        .iter()
        .filter(|page| tree.text(page).is_none())
        .map(|page| format!("`{page}` is missing"));
    let typed = PAGES.iter().flat_map(|page| {
        commands(tree.text(page).unwrap_or_default()).into_iter().filter_map(move |line| {
            wrong(tree, line).map(|why| format!("`{page}` tells to type `{line}`: {why}"))
        })
    });
    missing.chain(typed).collect()
}

/// The lines of shell blocks, without prompts and comments.
fn commands(page: &str) -> Vec<&str> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in page.lines().map(str::trim) {
        if let Some(kind) = line.strip_prefix("```") {
            inside = !inside && matches!(kind, "sh" | "shell" | "bash" | "console");
        } else if inside {
            let line = line.strip_prefix("$ ").unwrap_or(line);
            lines.push(line.split(" #").next().unwrap_or(line).trim());
        }
    }
    lines.retain(|line| !line.is_empty() && !line.starts_with('#'));
    lines
}

fn wrong(tree: &Tree, line: &str) -> Option<String> {
    if let Some(task) = line.strip_prefix("cargo xtask ").and_then(first) {
        return tasks::by_name(task).is_none().then(|| format!("there is no task `{task}`"));
    }
    let verb = STARTS.iter().find_map(|start| line.strip_prefix(start)).and_then(first)?;
    let is_verb = verb.starts_with('-')
        || tree.has(&format!("{COMMANDS}/{}.rs", verb.replace('-', "_")))
        || tree.has(&format!("{COMMANDS}/{}", verb.replace('-', "_")));
    if !is_verb {
        return Some(format!("there is no verb `{verb}`"));
    }
    let file = line.split_whitespace().find(|word| {
        let named = FOLDERS.iter().any(|folder| word.starts_with(folder)) && word.contains('.');
        named && !tree.has(word)
    })?;
    Some(format!("there is no `{file}`"))
}

fn first(text: &str) -> Option<&str> {
    text.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Vec<String> {
        let readme =
            format!("# Onsale\n\n```console\n$ {line}\n```\n\n```text\nonsale dance\n```\n");
        let files = [
            ("README.md", readme.as_str()),
            ("CONTRIBUTING.md", ""),
            ("ARCHITECTURE.md", ""),
            ("harness/cli/src/commands/run.rs", ""),
            ("workloads/quickstart.yaml", ""),
        ];
        check(&Tree::from_files(&files))
    }

    #[test]
    fn commands_that_exist_pass() {
        for line in [
            "cargo run --release -- run workloads/quickstart.yaml",
            "onsale run workloads/quickstart.yaml --defect reaper-stops  # convicted",
            "onsale --help",
            "cargo xtask ci",
            "cat results/latest/summary.md",
        ] {
            assert_eq!(of(line), [] as [&str; 0], "{line}");
        }
    }

    #[test]
    fn commands_that_do_not_are_named() {
        for (line, expected) in [
            ("onsale fly", "there is no verb `fly`"),
            ("cargo xtask fly", "there is no task `fly`"),
            ("onsale run workloads/nothing.yaml", "there is no `workloads/nothing.yaml`"),
        ] {
            let wrong = of(line);
            assert!(wrong.len() == 1 && wrong[0].ends_with(expected), "{line}: {wrong:?}");
        }
        assert_eq!(
            check(&Tree::from_files(&[("README.md", ""), ("CONTRIBUTING.md", "")])),
            ["`ARCHITECTURE.md` is missing"]
        );
    }
}
