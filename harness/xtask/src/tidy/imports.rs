//! Who may import whom. The lists are the law: `ARCHITECTURE.md` explains it.

use crate::tree::{Package, Tree};

/// A crate and the crates of ours that it may name.
const OURS: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("history", &[]),
    ("plan", &[]),
    ("pow", &[]),
    ("client", &["contract", "history", "plan", "pow"]),
    ("psp", &["history"]),
    ("load", &["client", "history", "plan", "pow"]),
    ("chaos", &["history", "plan", "psp"]),
    ("checker", &["history"]),
    ("report", &["checker", "history"]),
    ("shop", &["contract", "pow"]),
    (
        "cli",
        &[
            "contract", "history", "plan", "pow", "client", "psp", "load", "chaos", "checker",
            "report", "shop",
        ],
    ),
    ("testkit", &["history"]),
    ("e2e", &[]),
    ("xtask", &[]),
];

/// What tests alone may name besides.
const OURS_IN_TESTS: &[(&str, &[&str])] = &[
    ("checker", &["testkit"]),
    ("report", &["testkit"]),
    ("history", &["testkit"]),
    ("cli", &["testkit"]),
    ("e2e", &["testkit", "history", "checker"]),
];

/// A crate of others, and the only ones of ours that may name it.
const OTHERS: &[(&str, &[&str])] = &[
    ("goose", &["load"]),
    ("petgraph", &["checker"]),
    ("clap", &["cli"]),
    ("anyhow", &["cli", "xtask"]),
    ("serde_yaml", &["plan", "e2e"]),
    ("mlua", &["shop"]),
    ("rusqlite", &["shop"]),
];

/// What a crate must never name: the checker judges, and does nothing else.
const NEVER: &[(&str, &[&str])] = &[
    ("checker", &["reqwest", "axum", "hyper", "tokio", "serde_yaml", "goose", "tempfile"]),
    ("contract", &["tokio", "axum", "reqwest"]),
    ("history", &["tokio", "axum", "reqwest"]),
];

/// What a manifest names, and where.
struct Named<'a> {
    name: &'a str,
    in_tests: bool,
}

pub(super) fn check(tree: &Tree) -> Vec<String> {
    let packages = tree.packages();
    packages.iter().flat_map(|package| wrongs(package, &packages, tree)).collect()
}

fn wrongs(package: &Package, packages: &[Package], tree: &Tree) -> Vec<String> {
    let room = package.room();
    let manifest = format!("{}/Cargo.toml", package.folder);
    let Some(own) = of(OURS, room) else {
        return vec![format!("`{manifest}` is a crate that the list of imports does not know")];
    };
    let in_tests = of(OURS_IN_TESTS, room).unwrap_or_default();
    let never = of(NEVER, room).unwrap_or_default();
    let mut wrong = Vec::new();
    for named in dependencies(tree.text(&manifest).unwrap_or_default()) {
        let ours = packages.iter().find(|package| package.name == named.name).map(Package::room);
        let why = match ours {
            Some(other)
                if own.contains(&other) || (named.in_tests && in_tests.contains(&other)) =>
            {
                continue;
            }
            Some(_) => "which it may not import".to_owned(),
            None if never.contains(&named.name) && !named.in_tests => {
                "which has no business there".to_owned()
            }
            None => match of(OTHERS, named.name) {
                Some(only) if !only.contains(&room) => {
                    format!("which only `{}` may", only.join("`, `"))
                }
                _ => continue,
            },
        };
        wrong.push(format!("`{manifest}` names `{}`, {why}", named.name));
    }
    wrong
}

fn of<'a>(list: &[(&str, &'a [&'a str])], name: &str) -> Option<&'a [&'a str]> {
    list.iter().find(|(own, _)| *own == name).map(|(_, names)| *names)
}

fn dependencies(manifest: &str) -> Vec<Named<'_>> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
        } else if section.ends_with("dependencies") && !section.starts_with("workspace") {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            if !name.is_empty() && !name.starts_with('#') {
                found.push(Named { name, in_tests: section == "dev-dependencies" });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(manifests: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = manifests
            .iter()
            .map(|(room, rest)| {
                (
                    format!("harness/{room}/Cargo.toml"),
                    format!("[package]\nname = \"onsale-{room}\"\n\n{rest}\n"),
                )
            })
            .collect();
        let files: Vec<_> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        check(&Tree::from_files(&files))
    }

    #[test]
    fn imports_that_the_list_allows_pass() {
        let manifests = [
            ("history", "[dependencies]\nserde.workspace = true"),
            ("testkit", "[dependencies]\nonsale-history.workspace = true"),
            (
                "checker",
                "[dependencies]\nonsale-history.workspace = true\npetgraph = \"0.8\"\n[dev-dependencies]\nonsale-testkit.workspace = true",
            ),
            (
                "cli",
                "[dependencies]\nclap.workspace = true\nonsale-checker = { path = \"../checker\" }",
            ),
        ];
        assert_eq!(wrong(&manifests), [] as [&str; 0]);
    }

    #[test]
    fn imports_that_it_forbids_are_named() {
        let table = [
            (
                "history",
                "[dependencies]\nonsale-cli.workspace = true",
                "names `onsale-cli`, which it may not import",
            ),
            (
                "checker",
                "[dependencies]\nreqwest.workspace = true",
                "names `reqwest`, which has no business there",
            ),
            (
                "checker",
                "[dependencies]\nonsale-testkit = \"1\"",
                "names `onsale-testkit`, which it may not import",
            ),
            ("load", "[dependencies]\nclap = \"4\"", "names `clap`, which only `cli` may"),
            (
                "psp",
                "[dev-dependencies]\ngoose.workspace = true",
                "names `goose`, which only `load` may",
            ),
            ("attic", "", "is a crate that the list of imports does not know"),
        ];
        for (room, rest, expected) in table {
            let wrong = wrong(
                &[(room, rest), ("cli", ""), ("testkit", "")].into_iter().collect::<Vec<_>>(),
            );
            assert!(wrong.len() == 1 && wrong[0].contains(expected), "{room}: {wrong:?}");
        }
    }
}
