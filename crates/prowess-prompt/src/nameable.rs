//! The ids that a model can copy.

use prowess_text::{is_exact, is_one_line};

/// Returns whether the shown form of an id equals the id, so that a model can copy it.
pub(crate) fn is_nameable(id: &str) -> bool {
    if is_one_line(id) {
        return !id.is_empty();
    }
    let has_words = !id.is_empty() && id.split(' ').all(|word| !word.is_empty());
    has_words && is_exact(id) && !id.contains(|c: char| c.is_whitespace() && c != ' ')
}
