//! Words that do not distinguish skills.

/// The usual ones of English, and the words of "Use this when you want to". Sorted.
#[rustfmt::skip]
const STOPWORDS: &[&str] = &[
    "a", "about", "after", "again", "ago", "all", "almost", "along", "already", "also", "although",
    "always", "am", "among", "an", "and", "another", "any", "anyone", "anything", "are", "around",
    "as", "at", "away", "be", "became", "because", "become", "been", "before", "behind", "being",
    "below", "beside", "best", "better", "between", "both", "bring", "brings", "but", "by", "came",
    "can", "cannot", "certain", "come", "comes", "could", "did", "do", "does", "done", "during",
    "each", "either", "else", "enough", "etc", "even", "ever", "every", "everything", "few", "for",
    "from", "further", "gave", "get", "gets", "getting", "give", "given", "gives", "goes", "going",
    "gone", "got", "great", "had", "has", "have", "he", "help", "helps", "her", "here", "him",
    "his", "how", "however", "i", "if", "in", "instead", "into", "is", "it", "its", "just", "kept",
    "least", "less", "like", "ll", "lot", "lots", "made", "make", "makes", "making", "many", "may",
    "me", "might", "more", "most", "much", "must", "my", "myself", "need", "needs", "never", "no",
    "not", "nothing", "now", "of", "off", "often", "okay", "old", "on", "once", "one", "only",
    "onto", "or", "other", "our", "ours", "ourselves", "out", "own", "per", "perhaps", "please",
    "put", "puts", "quite", "rather", "re", "really", "right", "s", "said", "same", "say", "says",
    "see", "seem", "seems", "seen", "several", "shall", "she", "should", "since", "so", "some",
    "somebody", "someone", "something", "soon", "still", "such", "t", "take", "taken", "takes",
    "tell", "tells", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "think", "this", "those", "though", "through", "to", "together", "too", "toward", "towards",
    "under", "until", "up", "upon", "us", "use", "used", "uses", "using", "ve", "very", "via",
    "want", "wants", "was", "way", "ways", "we", "well", "went", "were", "what", "whatever",
    "when", "where", "whether", "which", "while", "who", "whole", "whose", "why", "will", "with",
    "within", "without", "won", "would", "yes", "yet", "you", "your", "yourself",
];

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
