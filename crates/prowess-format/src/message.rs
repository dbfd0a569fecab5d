//! Text of others inside our own sentences.

/// The number of characters of such a text that a message shows.
const MAX_CHARS: usize = 80;

/// Returns a text for a message: on one line, with invisible characters escaped, cut after 80
/// characters.
pub fn for_message(text: &str) -> String {
    prowess_text::clipped(text, MAX_CHARS)
}
