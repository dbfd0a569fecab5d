//! What somebody meant who wrote a name nearly right.

/// The first of the names that a word is nearly: an end, a letter or a hyphen is wrong.
pub(crate) fn nearest_of<'n>(
    word: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let first = word.as_bytes().first()?.to_ascii_lowercase();
    let word = plain(word);
    names.into_iter().find(|name| {
        name.as_bytes().first().is_some_and(|known| known.to_ascii_lowercase() == first)
            && name.len().abs_diff(word.len()) <= 3
            && strsim::osa_distance(&word, &plain(name)) <= (name.len() / 4).max(1)
    })
}

/// Capitals and underscores are no difference.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', "-")
}
