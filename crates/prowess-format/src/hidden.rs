//! Characters that a reader cannot see, or that turn the reading direction.

/// The first character of a text that a reader cannot see or that turns the reading direction.
///
/// Line breaks and tabs are none, and neither is a joiner between two pictures of an emoji.
pub fn find(text: &str) -> Option<char> {
    if is_printable_ascii(text) {
        return None;
    }
    let mut before = '\0';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let joins_pictures = character == '\u{200d}'
            && is_picture(before)
            && characters.peek().copied().is_some_and(is_picture);
        if is_hidden(character) && !joins_pictures {
            return Some(character);
        }
        before = character;
    }
    None
}

/// Whether a text holds printable ASCII and LF only, as most do.
pub(crate) fn is_printable_ascii(text: &str) -> bool {
    text.as_bytes().chunks(64).all(|chunk| {
        // No early end inside a chunk, so that the loop becomes vector instructions.
        chunk.iter().fold(true, |is_plain, byte| {
            is_plain & (matches!(byte, b' '..=b'~') | (*byte == b'\n'))
        })
    })
}

/// What a zero-width joiner joins in an emoji: a picture, a skin tone or a variation selector.
fn is_picture(character: char) -> bool {
    matches!(character, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

/// Whether a character cannot be seen, wherever it stands.
pub(crate) fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Soft hyphen, Arabic letter mark, Mongolian vowel separator.
        '\u{ad}' | '\u{61c}' | '\u{180e}' => true,
        // Zero-width characters and bidirectional marks, embeddings, overrides and isolates.
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        // Byte order mark, interlinear annotations.
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        // Tags and supplementary variation selectors, which can carry a whole hidden text.
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => character.is_control(),
    }
}
