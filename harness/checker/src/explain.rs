//! The help pages: what a rule's file says at its top.

use crate::rules;

/// The help page of a rule, as Markdown: the doc comment of its file.
pub fn docs(name: &str) -> Option<String> {
    rules::rule(name).map(|rule| page(rule.source()))
}

fn page(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let mut page: String =
        lines.flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect();
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

#[cfg(test)]
mod tests {
    use super::docs;
    use crate::rules::RULES;

    #[test]
    fn every_rule_has_a_page_with_all_sections() {
        for rule in RULES {
            let page = docs(rule.name()).expect("a registered rule has a page");
            for section in [
                "What it finds",
                "Why it matters",
                "Evidence",
                "Example",
                "How it can be wrong",
                "Cost",
            ] {
                assert!(page.contains(section), "`{}` does not say *{section}*", rule.name());
            }
        }
        assert!(docs("no-such-rule").is_none());
    }

    #[test]
    fn names_are_unique_and_kebab_case() {
        let mut names: Vec<_> = RULES.iter().map(|rule| rule.name()).collect();
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn implications_name_rules() {
        for rule in RULES {
            for implied in rule.implies() {
                assert!(
                    crate::rules::rule(implied).is_some(),
                    "`{}` implies the unknown `{implied}`",
                    rule.name()
                );
            }
        }
    }
}
