//! `cargo xtask generate`: writes anew what tests compare: snapshots, case expectations, JSON Schemas, the OpenAPI
//! document. A test that can bless names `BLESS`; its crate is found by that.

use crate::shell;
use crate::tree::Tree;

pub(crate) fn run() -> anyhow::Result<()> {
    let packages = blessing(&Tree::of_the_repository()?);
    let mut words = vec!["cargo", "test", "--profile", "ci", "--no-fail-fast"];
    words.extend(packages.iter().flat_map(|package| ["--package", package.as_str()]));
    // A rewritten file fails its test once more in some harnesses: what counts is the run after it.
    let first = shell::run(&words, &[("BLESS", "1"), ("INSTA_UPDATE", "always")]);
    if let Err(error) = first {
        eprintln!("{error:#}; once more, to see whether it is settled");
    }
    shell::run(&words, &[])
}

/// Packages with a test that can bless.
fn blessing(tree: &Tree) -> Vec<String> {
    let blesses = |crate_: &&crate::tree::Package| {
        tree.ending(&crate_.folder, "rs").any(|(_, text)| text.contains("\"BLESS\""))
    };
    let packages = tree.packages();
    packages
        .iter()
        .filter(|package| package.name != "xtask")
        .filter(blesses)
        .map(|package| package.name.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_bless_are_found_by_the_word() {
        let tree = Tree::from_files(&[
            ("harness/a/Cargo.toml", "[package]\nname = \"onsale-a\"\n"),
            ("harness/a/tests/schema.rs", "if env(\"BLESS\") {}"),
            ("harness/b/Cargo.toml", "[package]\nname = \"onsale-b\"\n"),
            ("harness/b/src/lib.rs", "// bless you\n"),
        ]);
        assert_eq!(blessing(&tree), ["onsale-a"]);
    }
}
