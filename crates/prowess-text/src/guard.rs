//! The tags that text of a skill must not contain, and how a tag is recognised in disguise.

use std::borrow::Cow;
use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

use crate::invisible::is_invisible;

/// The tags that delimit skills in a model's input: those of this runtime, and those of other
/// clients that models know.
///
/// A name with `_` is also recognised with anything behind a separator: `skill_content-5f3a`. The
/// plain words `skill` and `skills` are not, so that `<skill-dir>` in a usage line stays as it is.
#[rustfmt::skip]
pub const GUARDED_TAGS: [&str; 14] = [
    "skill", "skills", "active_skill", "active_skills", "available_skill", "available_skills",
    "end_active_skills", "end_available_skills", "end_skills_prompt", "loaded_skills",
    "skill_body", "skill_content", "skill_resources", "skills_prompt",
];

/// The maximum number of compared characters of a name; no guarded name is nearly as long.
const MAX_NAME_CHARACTERS: usize = 64;

/// Returns the byte offsets of the brackets in `text` that open one of the guarded tags, and their
/// lengths.
pub(crate) fn guarded_brackets(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    // Most texts are ASCII, where one search of bytes finds the brackets.
    let is_ascii = text.is_ascii();
    let ascii = is_ascii.then(|| text.match_indices('<').map(|(start, _)| (start, 1)));
    let others = (!is_ascii).then(|| {
        let brackets = text.char_indices().filter(|(_, character)| is_opening_bracket(*character));
        brackets.map(|(start, bracket)| (start, bracket.len_utf8()))
    });
    let brackets = ascii.into_iter().flatten().chain(others.into_iter().flatten());
    brackets.filter(|&(start, length)| opens_guarded_tag(&text[start + length..]))
}

/// Replaces each bracket that opens a guarded tag by `bracket`.
pub(crate) fn with_brackets<'t>(text: &'t str, bracket: &str) -> Cow<'t, str> {
    let mut safe = String::new();
    let mut from = 0;
    for (start, length) in guarded_brackets(text) {
        safe.push_str(&text[from..start]);
        safe.push_str(bracket);
        from = start + length;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    safe.push_str(&text[from..]);
    Cow::Owned(safe)
}

/// Returns whether a character is `<` or looks like it.
fn is_opening_bracket(character: char) -> bool {
    matches!(
        character,
        '<' | '\u{2C2}'
            | '\u{1438}'
            | '\u{2039}'
            | '\u{226A}'
            | '\u{2329}'
            | '\u{276C}'
            | '\u{276E}'
            | '\u{27E8}'
            | '\u{2A7D}'
            | '\u{3008}'
            | '\u{FE3F}'
            | '\u{FE64}'
            | '\u{FF1C}'
            | '\u{16CB2}'
            | '\u{1D236}'
    )
}

/// Returns whether a character is a slash or a backslash, or looks like one.
fn is_slash(character: char) -> bool {
    matches!(
        character,
        '/' | '\\'
            | '\u{337}'..='\u{338}'
            | '\u{1735}'
            | '\u{2041}'
            | '\u{2044}'
            | '\u{2215}'..='\u{2216}'
            | '\u{2571}'..='\u{2572}'
            | '\u{27CB}'
            | '\u{27CD}'
            | '\u{29F5}'..='\u{29F9}'
            | '\u{2CC6}'
            | '\u{2F03}'
            | '\u{3033}'
            | '\u{30CE}'
            | '\u{31D3}'
            | '\u{4E3F}'
            | '\u{FE68}'
            | '\u{FF0F}'
            | '\u{FF3C}'
    )
}

/// Returns whether the text behind a bracket begins with the name of a guarded tag, in any case,
/// with any white space, slashes and invisible characters, and in letters that look alike.
///
/// The text is read up to the next bracket at most, so that all calls together are linear.
fn opens_guarded_tag(after: &str) -> bool {
    let visible = after
        .trim_start_matches(|character: char| {
            character.is_whitespace() || is_slash(character) || is_ignored(character)
        })
        .chars()
        .filter(|c| !is_ignored(*c));
    let name = visible.take_while(|c| is_name_character(*c)).take(MAX_NAME_CHARACTERS);
    let name: String = name.collect();
    if name.is_ascii() {
        // Nearly every tag is ASCII, and nearly none is guarded.
        GUARDED_TAGS.iter().any(|tag| is_ascii_disguise(&name, tag))
    } else {
        is_disguise(&name)
    }
}

/// Returns whether an ASCII name looks like a guarded tag, or continues one behind a separator.
fn is_ascii_disguise(name: &str, tag: &str) -> bool {
    let Some((start, rest)) = name.split_at_checked(tag.len()) else {
        return false;
    };
    let mut letters = start.bytes().zip(tag.bytes());
    letters.all(|(byte, expected)| looks_like(byte, expected)) && ends_tag(rest, tag)
}

fn looks_like(byte: u8, letter: u8) -> bool {
    let disguises: &[u8] = match letter {
        b'l' => b"I1|",
        b'o' => b"0",
        b'_' => b"-",
        _ => b"",
    };
    byte.eq_ignore_ascii_case(&letter) || disguises.contains(&byte)
}

/// Returns whether a name with this rest behind a tag's name is that tag.
fn ends_tag(rest: &str, tag: &str) -> bool {
    match rest.chars().next() {
        None => true,
        Some('_' | '-' | '.' | ':') => tag.contains('_'),
        Some(next) => !next.is_alphanumeric() && next != '|',
    }
}

/// Returns whether a character does not change the look of a name.
fn is_ignored(character: char) -> bool {
    is_invisible(character) || is_combining_mark(character)
}

fn is_name_character(character: char) -> bool {
    // Letters in circles and squares are not alphanumeric; NFKD maps them to letters.
    let is_of_name = !character.is_ascii() && !character.is_whitespace()
        || character.is_ascii_alphanumeric()
        || "_-.:|".contains(character);
    is_of_name && !is_slash(character) && !is_opening_bracket(character)
}

/// Returns whether the skeleton of a name is that of a guarded tag, or continues one behind a
/// separator.
fn is_disguise(name: &str) -> bool {
    // No character stands for three letters of a guarded name.
    if name.chars().nth(2).is_none() {
        return false;
    }
    let is_guarded = |name: &str| {
        let mut guarded = guarded_skeletons().iter();
        guarded.any(|tag| name.strip_prefix(tag.as_str()).is_some_and(|rest| ends_tag(rest, tag)))
    };
    // A capital `I` is a letter of its own, and looks like an `l`.
    is_guarded(&tag_skeleton(name)) || is_guarded(&tag_skeleton(&name.replace('I', "l")))
}

/// Returns the visual skeleton of a name: names with equal skeletons look alike.
fn tag_skeleton(name: &str) -> String {
    let letters: String = name.nfkd().filter(|character| !is_ignored(*character)).collect();
    let shapes: String = skeleton(&letters.to_lowercase()).collect();
    shapes.chars().filter(|character| !is_ignored(*character)).collect::<String>().replace('-', "_")
}

fn guarded_skeletons() -> &'static [String] {
    static SKELETONS: OnceLock<Vec<String>> = OnceLock::new();
    SKELETONS.get_or_init(|| GUARDED_TAGS.iter().map(|tag| tag_skeleton(tag)).collect())
}
