//! The names of the files and directories of proposals.

use prowess_core::Timestamp;

/// The directory of proposals that were decided, each with a file that says how.
pub(crate) const DECIDED: &str = "decided";

/// The maximum length of the skill's part, in bytes: a file name has at most 255.
const MOST_BYTES: usize = 180;

/// Returns the name of a proposal's file without its ending: the skill, then the time. Characters
/// of an id that are unsafe in a file name become `-`.
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

/// Returns whether a name is that of a proposal's file, as [`stem`] makes it. A directory may have
/// other documents, such as a `README.md`.
pub(crate) fn is_proposal(name: &str) -> bool {
    skill_of(name).is_some()
}

/// Returns the part of a proposal's name that stands for its skill.
pub(crate) fn skill_of(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".md").filter(|stem| !stem.contains('/'))?;
    let (front, last) = stem.rsplit_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let (skill, time) = if is_number(last) { front.rsplit_once('-')? } else { (front, last) };
    let (day, clock) = time.strip_suffix('Z')?.split_once('T')?;
    (is_number(day) && is_number(clock)).then_some(skill)
}
