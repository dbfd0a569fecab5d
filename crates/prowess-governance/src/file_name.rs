//! The name of a proposal's file: the skill, then the time.

use prowess_core::Timestamp;

/// The maximum length of the skill's part, in bytes: a file name has at most 255.
const MOST_BYTES: usize = 180;

/// Returns the name without its ending. Characters of an id that are unsafe in a file name become
/// `-`.
pub(crate) fn stem(skill: &str, time: Timestamp) -> String {
    let mut stem = String::new();
    for character in skill.chars() {
        if stem.len() + character.len_utf8() > MOST_BYTES {
            break;
        }
        // A first dot would hide the file.
        let is_kept = character.is_alphanumeric()
            || character == '_'
            || (character == '.' && !stem.is_empty());
        stem.push(if is_kept { character } else { '-' });
    }
    format!("{stem}-{}", jiff::Timestamp::from(time).strftime("%Y%m%dT%H%M%SZ"))
}
