//! Short forms that people type, and the words that descriptions use.

/// A short form and a long one. Each finds the other.
const PAIRS: &str = include_str!("abbreviations/pairs.txt");

/// Returns the other forms of a word of a query.
pub(crate) fn other_forms(word: &str) -> impl Iterator<Item = &'static str> {
    PAIRS.split_ascii_whitespace().filter_map(move |pair| {
        let (short, long) = pair.split_once('=')?;
        if word == short { Some(long) } else { (word == long).then_some(short) }
    })
}
