//! Characters that a reader does not see and a model does.
//!
//! They are removed, not shown as numbers: a thousand tag characters shown would cost thousands of
//! tokens, and nothing that a person wrote to be read is lost. What goes is Unicode's
//! `Default_Ignorable_Code_Point` (zero-width characters, bidi controls, variation selectors, the tag
//! block), the annotation characters, control characters and noncharacters. Inside an emoji, where a
//! joiner or a selector shows, it stays.
//!
//! A catalog of a thousand skills is looked at in every turn, and nearly all of it is printable ASCII:
//! that is found out first, without looking at one character after the other.

use std::borrow::Cow;

/// A text on one line: without hidden characters, each run of white space one blank.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let visible = visible(text);
    let mut folded = String::with_capacity(visible.len());
    for word in visible.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    Cow::Owned(folded)
}

/// Whether a text is words of visible ASCII with one blank between them. Others may be folded too.
pub(crate) fn is_plain(text: &str) -> bool {
    is_printable(text) && is_folded(text)
}

/// Whether each character is a visible one of ASCII, or a blank. No branch in the loop, so that many
/// bytes are looked at in one step.
fn is_printable(text: &str) -> bool {
    text.bytes().fold(true, |so_far, byte| so_far & matches!(byte, b' '..=b'~'))
}

/// Whether each blank of printable text stands alone between words.
fn is_folded(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_inside = !bytes.starts_with(b" ") && !bytes.ends_with(b" ");
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    is_inside & pairs.fold(true, |so_far, (&one, &next)| so_far & (one != b' ' || next != b' '))
}

/// Lines of text without hidden characters; line breaks of every system become `\n`.
pub(crate) fn visible_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let is_kept = |character: &char| matches!(character, '\n' | '\t') || !character.is_control();
    visible(&text).chars().filter(is_kept).collect()
}

/// Whether a text loses hidden characters when it is shown.
pub(crate) fn has_hidden(text: &str) -> bool {
    !is_printable(text) && visible(text).len() < text.len()
}

/// Whether a text can be shown as it is on one line, so that whoever copies it has the original.
pub(crate) fn is_exact(text: &str) -> bool {
    if is_printable(text) {
        return true;
    }
    let breaks =
        |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
    !text.contains(breaks) && !has_hidden(text)
}

/// A text without hidden characters. White space of every kind stays.
fn visible(text: &str) -> Cow<'_, str> {
    // Most texts have none that may go, and need no copy.
    if !text.chars().any(is_suspect) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = '\0';
    while let Some(character) = characters.next() {
        let after = characters.peek().copied().unwrap_or('\0');
        if !is_suspect(character) || is_inside_emoji(before, character, after) {
            visible.push(character);
            before = character;
        }
    }
    Cow::Owned(visible)
}

/// Whether a character goes unless it stands inside an emoji.
fn is_suspect(character: char) -> bool {
    is_hidden(character) && !character.is_whitespace()
}

fn is_hidden(character: char) -> bool {
    character.is_control() || is_ignorable(character) || is_noncharacter(character)
}

/// Whether a joiner or the emoji selector changes what is seen here.
fn is_inside_emoji(before: char, character: char, after: char) -> bool {
    match character {
        '\u{200D}' => (is_picture(before) || before == '\u{FE0F}') && is_picture(after),
        '\u{FE0F}' => is_picture(before) || after == '\u{20E3}',
        _ => false,
    }
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
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

fn is_noncharacter(character: char) -> bool {
    let code = u32::from(character);
    code & 0xFFFE == 0xFFFE || matches!(character, '\u{FDD0}'..='\u{FDEF}')
}
