//! Words that do not distinguish skills.

use std::sync::LazyLock;

/// The usual ones of English, and the words of "Use this when you want to". Sorted.
static STOPWORDS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("stopwords.txt").split_whitespace().collect());

/// Returns whether a word is left out of descriptions and, next to others, of queries.
pub(crate) fn is_stopword(word: &str) -> bool {
    STOPWORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::STOPWORDS;

    #[test]
    fn the_list_can_be_searched() {
        assert!(STOPWORDS.is_sorted(), "a binary search needs a sorted list");
    }
}
