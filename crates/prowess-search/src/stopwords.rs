//! Words that say nothing of a skill.

/// Sorted. Besides the usual ones of English: what "Use this when you want to" is made of.
const STOPWORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "been", "before", "but", "by", "can", "could", "did", "do", "does", "etc", "for", "from",
    "get", "had", "has", "have", "help", "helps", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "like", "may", "me", "more", "my", "need", "needs", "no", "not", "of", "on",
    "one", "or", "other", "our", "out", "please", "s", "should", "so", "some", "such", "t", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "up",
    "us", "use", "used", "uses", "using", "via", "want", "wants", "was", "we", "were", "what",
    "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// Whether a word is left out of descriptions and, beside others, of queries.
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
