//! A file has one idea, and room for it.

use crate::tree::Tree;

const LINES_MAX: usize = 800;
const CODE: &[&str] = &[".rs", ".lua", ".py", ".sql"];

pub(super) fn check(tree: &Tree) -> Vec<String> {
    let code = tree.all().filter(|(path, _)| CODE.iter().any(|ending| path.ends_with(ending)));
    code.filter_map(|(path, text)| {
        let lines = text.lines().count();
        (lines > LINES_MAX)
            .then(|| format!("`{path}` has {lines} lines: split it (at most {LINES_MAX})"))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_may_have_800_lines_and_words_as_many_as_they_need() {
        let (fits, long) = ("\n".repeat(800), "\n".repeat(801));
        let tree = Tree::from_files(&[
            ("a.rs", &fits),
            ("b.rs", &long),
            ("c.lua", &long),
            ("d.md", &long),
        ]);
        let wrong = check(&tree);
        assert_eq!(
            wrong,
            [
                "`b.rs` has 801 lines: split it (at most 800)",
                "`c.lua` has 801 lines: split it (at most 800)"
            ]
        );
    }
}
