//! Finds the intended name of a misspelled one.

/// Returns the first name that differs from a word by an ending, a letter or a hyphen.
pub fn nearest_of<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let first = word.as_bytes().first()?.to_ascii_lowercase();
    let word = plain(word);
    names.into_iter().find(|name| {
        name.as_bytes().first().is_some_and(|known| known.to_ascii_lowercase() == first)
            && name.len().abs_diff(word.len()) <= 3
            && strsim::osa_distance(&word, &plain(name)) <= (name.len() / 4).max(1)
    })
}

/// Ignores capitals and underscores.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', "-")
}
