//! What was probably meant.

/// The candidate nearest to what was written, if one is near.
pub(crate) fn nearest<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (written.chars().count() / 3).max(2);
    candidates
        .into_iter()
        .map(|candidate| (distance(written, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// "did you mean …", or all that is allowed.
pub(crate) fn suggestion(written: &str, allowed: &[&str]) -> Option<String> {
    if let Some(near) = nearest(written, allowed.iter().copied()) {
        return Some(format!("did you mean `{near}`?"));
    }
    let all = allowed.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    (!allowed.is_empty()).then(|| format!("allowed: {all}"))
}

/// Edits (insert, remove, replace) between two words, upper and lower case alike, `_` like `-`.
fn distance(left: &str, right: &str) -> usize {
    let fold = |word: &str| word.to_lowercase().replace('_', "-").chars().collect::<Vec<_>>();
    let (left, right) = (fold(left), fold(right));
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, r) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(l != r);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_wins_and_far_words_are_not_suggested() {
        let words = ["shoppers", "arrival", "workers", "hold-ttl"];
        for (written, near) in [
            ("shopers", Some("shoppers")),
            ("worker", Some("workers")),
            ("hold_ttl", Some("hold-ttl")),
            ("zebra", None),
        ] {
            assert_eq!(nearest(written, words), near, "{written}");
        }
    }
}
