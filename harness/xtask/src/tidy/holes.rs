//! One thing, one name, everything in its place: a row of `ARCHITECTURE.md`'s first table with a hole in it.

use crate::tree::Tree;
use std::collections::BTreeSet;

const RULES: &str = "harness/checker/src/rules";
const CASES: &str = "harness/checker/tests/rules";
const FAULTS: &str = "harness/chaos/src/faults";
const FAULT_TESTS: &str = "harness/chaos/tests/faults";
const PLANS: &str = "chaos";
const SCRIPTS: &str = "lua";
const SCRIPT_TESTS: &str = "target-impl/shop/tests/lua";
const DEFECTS: &str = "target-impl/shop/src/defect.rs";
const EXPECTATIONS: &str = "harness/e2e/tests/defects";
/// One it catches, one it lets pass, one with an answer that never came.
const CASES_MIN: usize = 3;

pub(super) fn check(tree: &Tree) -> Vec<String> {
    [rules(tree), faults(tree), scripts(tree), defects(tree)].concat()
}

/// `early_leak` and `early-leak` are one name.
fn kebab(stem: &str) -> String {
    stem.replace('_', "-")
}

fn rules(tree: &Tree) -> Vec<String> {
    let is_rule = |stem: &&str| {
        let text = tree.text(&format!("{RULES}/{stem}.rs")).unwrap_or_default();
        *stem != "mod" && text.contains("impl Rule for ")
    };
    let rules: BTreeSet<String> =
        tree.stems(RULES, "rs").into_iter().filter(is_rule).map(kebab).collect();
    let mut cases: Vec<String> = Vec::new();
    let mut wrong = Vec::new();
    for (path, _) in tree.ending(CASES, "case") {
        match path[CASES.len() + 1..].split_once('/') {
            Some((folder, _)) => cases.push(kebab(folder)),
            None => wrong.push(format!("`{path}` lies in no rule's folder")),
        }
    }
    for rule in &rules {
        let count = cases.iter().filter(|folder| *folder == rule).count();
        if count < CASES_MIN {
            wrong.push(format!(
                "rule `{rule}` has {count} cases in `{CASES}`: it needs {CASES_MIN}"
            ));
        }
    }
    let orphans: BTreeSet<_> = cases.iter().filter(|folder| !rules.contains(*folder)).collect();
    wrong.extend(
        orphans
            .into_iter()
            .map(|folder| format!("the cases of `{folder}` belong to no rule in `{RULES}`")),
    );
    wrong
}

fn faults(tree: &Tree) -> Vec<String> {
    let mut wrong = Vec::new();
    for stem in tree.stems(FAULTS, "rs").into_iter().filter(|stem| *stem != "mod") {
        for needed in [format!("{PLANS}/{}.yaml", kebab(stem)), format!("{FAULT_TESTS}/{stem}.rs")]
        {
            if !tree.has(&needed) {
                wrong.push(format!("fault `{}` lacks `{needed}`", kebab(stem)));
            }
        }
    }
    wrong
}

fn scripts(tree: &Tree) -> Vec<String> {
    let untested = |stem: &&str| !tree.has(&format!("{SCRIPT_TESTS}/{stem}.rs"));
    let scripts = tree.stems(SCRIPTS, "lua").into_iter().filter(untested);
    scripts.map(|stem| format!("script `{stem}` lacks `{SCRIPT_TESTS}/{stem}.rs`")).collect()
}

/// Defects are the table in their file: lines such as `LostDecrement "lost-decrement";`.
fn defects(tree: &Tree) -> Vec<String> {
    let text = tree.text(DEFECTS).unwrap_or_default();
    let word = |line: &str| Some(line.trim().strip_suffix("\";")?.split_once(" \"")?.1.to_owned());
    let defects: BTreeSet<String> = text.lines().filter_map(word).collect();
    let expected: BTreeSet<String> =
        tree.stems(EXPECTATIONS, "yaml").into_iter().map(str::to_owned).collect();
    let bare = defects
        .difference(&expected)
        .map(|word| format!("defect `{word}` lacks `{EXPECTATIONS}/{word}.yaml`"));
    let orphans = expected
        .difference(&defects)
        .map(|word| format!("`{EXPECTATIONS}/{word}.yaml` expects no defect of `{DEFECTS}`"));
    bare.chain(orphans).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &[(&str, &str)] = &[
        ("harness/checker/src/rules/mod.rs", ""),
        ("harness/checker/src/rules/shared_words.rs", "fn words() {}"),
        ("harness/checker/src/rules/early_leak.rs", "impl Rule for EarlyLeak {}"),
        ("harness/checker/tests/rules/early-leak/caught.case", ""),
        ("harness/checker/tests/rules/early-leak/near.case", ""),
        ("harness/checker/tests/rules/early-leak/unknown.case", ""),
        ("harness/chaos/src/faults/mod.rs", ""),
        ("harness/chaos/src/faults/target_kill.rs", ""),
        ("harness/chaos/tests/faults/target_kill.rs", ""),
        ("chaos/target-kill.yaml", ""),
        ("chaos/everything.yaml", ""),
        ("lua/hold.lua", ""),
        ("lua/defects/hold_twice.lua", ""),
        ("target-impl/shop/tests/lua/hold.rs", ""),
        (
            "target-impl/shop/src/defect.rs",
            "defects! {\n    /// Stops.\n    ReaperStops \"reaper-stops\";\n}",
        ),
        ("harness/e2e/tests/defects/reaper-stops.yaml", ""),
    ];

    #[test]
    fn a_whole_tree_has_no_holes() {
        assert_eq!(check(&Tree::from_files(WHOLE)), [] as [&str; 0]);
    }

    #[test]
    fn each_missing_file_is_a_hole() {
        let table = [
            (
                "harness/checker/src/rules/early_leak.rs",
                "the cases of `early-leak` belong to no rule",
            ),
            ("harness/checker/tests/rules/early-leak/near.case", "rule `early-leak` has 2 cases"),
            (
                "harness/chaos/tests/faults/target_kill.rs",
                "fault `target-kill` lacks `harness/chaos/tests",
            ),
            ("chaos/target-kill.yaml", "fault `target-kill` lacks `chaos/target-kill.yaml`"),
            ("target-impl/shop/tests/lua/hold.rs", "script `hold` lacks"),
            ("target-impl/shop/src/defect.rs", "expects no defect"),
            ("harness/e2e/tests/defects/reaper-stops.yaml", "defect `reaper-stops` lacks"),
        ];
        for (missing, expected) in table {
            let files: Vec<_> =
                WHOLE.iter().copied().filter(|(path, _)| *path != missing).collect();
            let wrong = check(&Tree::from_files(&files));
            assert!(
                wrong.len() == 1 && wrong[0].contains(expected),
                "without {missing}: {wrong:?}"
            );
        }
    }

    #[test]
    fn a_case_outside_every_folder_is_wrong() {
        let files = [WHOLE, &[("harness/checker/tests/rules/stray.case", "")]].concat();
        let wrong = check(&Tree::from_files(&files));
        assert_eq!(wrong, ["`harness/checker/tests/rules/stray.case` lies in no rule's folder"]);
    }
}
