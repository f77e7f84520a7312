//! `cargo xtask tidy`: checks on the tree. Also a test, so that nobody has to remember it.

mod holes;
mod imports;
mod readme;
mod sizes;
mod words;

use crate::tree::Tree;
use anyhow::bail;

/// One check: what is wrong, in words.
type Check = fn(&Tree) -> Vec<String>;

/// Every check, by its name.
const CHECKS: &[(&str, Check)] = &[
    ("holes", holes::check),
    ("imports", imports::check),
    ("sizes", sizes::check),
    ("words", words::check),
    ("readme", readme::check),
];

pub(crate) fn run() -> anyhow::Result<()> {
    let wrong = wrongs(&Tree::of_the_repository()?);
    if !wrong.is_empty() {
        bail!("the tree is not tidy:\n  {}", wrong.join("\n  "));
    }
    println!("xtask tidy: {} checks passed", CHECKS.len());
    Ok(())
}

fn wrongs(tree: &Tree) -> Vec<String> {
    CHECKS
        .iter()
        .flat_map(|(name, check)| {
            check(tree).into_iter().map(move |wrong| format!("{name}: {wrong}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let wrong = wrongs(&Tree::of_the_repository().unwrap());
        assert_eq!(wrong, [] as [&str; 0], "\n{}", wrong.join("\n"));
    }
}
