//! Words that must not be in the tree.

use crate::tree::Tree;

/// A text, in which files it must not be, and why.
const WORDS: &[(&str, &str, &str)] = &[
    ("todo!(", ".rs", "what is not written yet is not in the tree"),
    ("unimplemented!(", ".rs", "what is not written yet is not in the tree"),
    ("dbg!(", ".rs", "debugging is over"),
    ("#[ignore", ".rs", "assert today's behaviour and say why it is wrong"),
    ("#[should_panic", ".rs", "assert what is returned"),
    ("thread::sleep(Duration::from_secs", ".rs", "wait for a condition, never for a time"),
    ("FIXME", "", "fix it, or say in a sentence why it is so"),
    ("XXX", ".rs", "fix it, or say in a sentence why it is so"),
    ("TODO", "", "fix it, or say in a sentence why it is so"),
    ("Co-Authored-By", "", "a commit's line, not a file's"),
];

/// File names that say nothing about what is inside.
const NAMES: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc", "manager", "imp"];

/// The lists themselves.
const EXEMPT: &[&str] = &["harness/xtask/src/tidy/words.rs", "STYLE.md"];

pub(super) fn check(tree: &Tree) -> Vec<String> {
    let files = || tree.all().filter(|(path, _)| !EXEMPT.contains(path));
    files()
        .flat_map(|(path, text)| words(path, text))
        .chain(files().filter_map(|(path, _)| name(path)))
        .collect()
}

fn words(path: &str, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (word, _, why) in WORDS.iter().filter(|(_, ending, _)| path.ends_with(ending)) {
        for (index, _) in text.lines().enumerate().filter(|(_, line)| line.contains(word)) {
            wrong.push(format!("`{path}` line {}: `{word}`: {why}", index + 1));
        }
    }
    wrong
}

fn name(path: &str) -> Option<String> {
    let path = path.strip_suffix(".rs")?;
    let said = path.split('/').find(|part| NAMES.contains(part))?;
    Some(format!("`{path}.rs`: `{said}` says nothing; name it after its idea"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_where_they_must_not_be() {
        let tree = Tree::from_files(&[
            ("a/src/lib.rs", "//! Fine.\nfn f() { todo!() }\n"),
            ("a/src/util.rs", ""),
            ("notes.md", "todo!() is what we never write\n"),
            ("b.lua", "-- FIXME later\n"),
        ]);
        let expected = [
            "`a/src/lib.rs` line 2: `todo!(`: what is not written yet is not in the tree",
            "`b.lua` line 1: `FIXME`: fix it, or say in a sentence why it is so",
            "`a/src/util.rs`: `util` says nothing; name it after its idea",
        ];
        assert_eq!(check(&tree), expected);
    }
}
