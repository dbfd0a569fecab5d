//! Foreign text inside our own sentences.

/// The most characters of a foreign text that a message shows.
const MOST: usize = 80;

/// A text as a message may show it: on one line, without characters that steer a terminal, and cut
/// where it is long.
pub fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (number, character) in text.chars().enumerate() {
        if number == MOST {
            shown.push('…');
            break;
        }
        if character.is_control()
            || crate::hidden::find(character.encode_utf8(&mut [0; 4])).is_some()
        {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}
