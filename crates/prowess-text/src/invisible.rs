//! The definition of an invisible character.
//!
//! A reader does not see these characters and a model does. Invisible are: Unicode's
//! `Default_Ignorable_Code_Point` (zero-width characters, bidi controls, variation selectors, the
//! tag block), annotation characters, format controls of hieroglyphs, control characters except
//!
//! A catalog of a thousand skills is encoded in every turn, and nearly all of it is printable
//! ASCII. That case is decided first, without decoding characters.

use std::borrow::Cow;
use std::str::Chars;

use crate::bytes;
use crate::spelling::{BLACK_FLAG, FLAG_TAGS, is_flag, is_shaping};

/// Returns whether a reader cannot see this character, wherever it is. `\n` and `\t` are visible.
pub fn is_invisible(character: char) -> bool {
    match character {
        '\n' | '\t' | ' '..='~' => false,
        _ => character.is_control() || is_ignorable(character) || is_noncharacter(character),
    }
}

/// Returns the first character of a text that a reader cannot see, or that changes the reading
/// direction.
///
/// ```
/// use prowess_text::find_invisible;
///
/// assert_eq!(find_invisible("Fills\u{200b} forms"), Some('\u{200b}'));
/// assert_eq!(find_invisible("👩\u{200d}🔬"), None, "the joiner is a part of the emoji");
/// ```
pub fn find_invisible(text: &str) -> Option<char> {
    if is_printable_ascii(text) {
        return None;
    }
    marked(text).find(|marked| marked.is_invisible).map(|marked| marked.character)
}

/// Returns whether a text holds a character that a reader cannot see.
pub fn has_invisible(text: &str) -> bool {
    find_invisible(text).is_some()
}

/// Returns whether a text holds printable ASCII and `\n` only, as most texts do.
pub fn is_printable_ascii(text: &str) -> bool {
    !bytes::any(text.as_bytes(), |byte| !is_printable(byte) & (byte != b'\n'))
}

pub(crate) fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Removes invisible characters. White space of every kind stays, also where it is a control
/// character.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let is_removed = |marked: &Marked| marked.is_invisible && !marked.character.is_whitespace();
    if is_printable_ascii(text) || !marked(text).any(|marked| is_removed(&marked)) {
        return Cow::Borrowed(text);
    }
    let kept = marked(text).filter(|marked| !is_removed(marked));
    Cow::Owned(kept.map(|marked| marked.character).collect())
}

/// Returns whether the encoders remove characters of a text that are no white space.
pub fn loses_characters(text: &str) -> bool {
    visible(text).len() < text.len()
}

/// A character of a text, and whether a reader cannot see it there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marked {
    pub(crate) character: char,
    pub(crate) is_invisible: bool,
}

impl Marked {
    /// Returns whether the character looks like another one on a terminal or in a log: it is
    /// invisible, a blank other than the space, or a format character.
    pub(crate) fn is_unclear(&self) -> bool {
        self.is_invisible || is_blank(self.character) || is_format(self.character)
    }
}

/// Returns whether a text holds a character that is unclear on a terminal.
pub(crate) fn has_unclear(text: &str) -> bool {
    !is_printable_ascii(text) && marked(text).any(|marked| marked.is_unclear())
}

pub(crate) fn marked(text: &str) -> impl Iterator<Item = Marked> + '_ {
    Marks { characters: text.chars(), before: ['\0'; 2], tags: 0 }
}

struct Marks<'t> {
    characters: Chars<'t>,
    /// The last two visible characters.
    before: [char; 2],
    /// The number of tags that are left of a flag.
    tags: usize,
}

impl Iterator for Marks<'_> {
    type Item = Marked;

    fn next(&mut self) -> Option<Marked> {
        let character = self.characters.next()?;
        let is_invisible = is_invisible(character) && !self.is_part(character);
        if character == BLACK_FLAG && is_flag(self.characters.as_str()) {
            self.tags = FLAG_TAGS;
        }
        if !is_invisible {
            self.before = [self.before[1], character];
        }
        Some(Marked { character, is_invisible })
    }
}

impl Marks<'_> {
    /// Returns whether a character that is invisible elsewhere is a part of the text here.
    fn is_part(&mut self, character: char) -> bool {
        if self.tags > 0 {
            self.tags -= 1;
            return true;
        }
        let after = self.characters.clone().next().unwrap_or('\0');
        is_inside_emoji(self.before[1], character, after)
            || is_shaping(self.before, character, after)
    }
}

/// Returns whether a joiner or an emoji selector changes the picture here.
fn is_inside_emoji(before: char, character: char, after: char) -> bool {
    let is_key = matches!(before, '0'..='9' | '#' | '*') && after == '\u{20E3}';
    match character {
        '\u{200D}' => (is_picture(before) || is_selector(before)) && is_picture(after),
        '\u{FE0E}' | '\u{FE0F}' => is_picture(before) || is_key,
        _ => false,
    }
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{FE0E}' | '\u{FE0F}')
}

fn is_picture(character: char) -> bool {
    matches!(
        character,
        '©' | '®' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{2BFF}'
            | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}'
    )
}

fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            // The separators of lines and paragraphs break a line in some programs and not in
            // others.
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{13430}'..='\u{1345F}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Returns whether a character other than the space and control characters leaves a blank: those of
/// the general category Zs, and symbols and marks without ink.
pub(crate) fn is_blank(character: char) -> bool {
    let is_space = character.is_whitespace() && !matches!(character, ' ' | '\n' | '\t');
    (is_space && !character.is_control())
        || matches!(
            character,
            '\u{2800}'
                | '\u{2D7F}'
                | '\u{3164}'
                | '\u{FFFC}'
                | '\u{1107F}'
                | '\u{16FE4}'
                | '\u{1D159}'
        )
}

/// Returns whether fonts may have no picture of a character: it is unassigned, or of private use.
pub(crate) fn is_unassigned(character: char) -> bool {
    // Behind a letter, marks are printed as they are.
    let is_escaped = || format!("a{character}").escape_debug().count() > 2;
    !character.is_ascii() && !is_invisible(character) && !is_format(character) && is_escaped()
}

/// Returns whether a character is drawn onto the one in front of it.
pub(crate) fn is_stacked(character: char) -> bool {
    let is_escaped = !character.is_ascii() && character.escape_debug().count() > 1;
    is_escaped && !is_invisible(character) && !is_blank(character) && !is_unassigned(character)
}

/// Returns whether a format character (general category Cf) has a look, such as the number signs of
/// Arabic: the others are ignorable.
fn is_format(character: char) -> bool {
    matches!(
        character,
        '\u{600}'..='\u{605}' | '\u{6DD}' | '\u{70F}' | '\u{890}'..='\u{891}' | '\u{8E2}'
            | '\u{110BD}' | '\u{110CD}'
    )
}

fn is_noncharacter(character: char) -> bool {
    let code = u32::from(character);
    code & 0xFFFE == 0xFFFE || matches!(character, '\u{FDD0}'..='\u{FDEF}')
}
