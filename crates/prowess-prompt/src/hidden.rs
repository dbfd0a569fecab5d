//! Characters that a reader does not see and a model does.
//!
//! They are removed, not shown as numbers: a thousand tag characters shown would cost thousands of
//! tokens, and nothing that a person wrote to be read is lost. What goes is Unicode's
//! `Default_Ignorable_Code_Point` (zero-width characters, bidi controls, variation selectors, the tag
//! block), the annotation characters, control characters and noncharacters. Joiners go as well:
//! an emoji may fall into its parts, and two words that look alike are alike.

/// Whether a character has no visible form. Line breaks and tabs count as control characters.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control() || is_ignorable(character) || is_noncharacter(character)
}

/// A text on one line: without hidden characters, each run of white space one blank.
pub(crate) fn fold(text: &str) -> String {
    let seen = |character: &char| character.is_whitespace() || !is_hidden(*character);
    let visible: String = text.chars().filter(seen).collect();
    let mut folded = String::with_capacity(visible.len());
    for word in visible.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// Lines of text without hidden characters; line breaks of every system become `\n`.
pub(crate) fn visible_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let is_kept = |character: &char| matches!(character, '\n' | '\t') || !is_hidden(*character);
    text.chars().filter(is_kept).collect()
}

/// Whether a text loses hidden characters when it is shown.
pub(crate) fn has_hidden(text: &str) -> bool {
    let goes = |character: char| !character.is_whitespace() && is_hidden(character);
    text.chars().any(goes)
}

/// Whether a text can be shown as it is on one line, so that whoever copies it has the original.
pub(crate) fn is_exact(text: &str) -> bool {
    let is_line_break = |character| matches!(character, '\u{2028}' | '\u{2029}');
    !text.contains(|character| is_hidden(character) || is_line_break(character))
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
