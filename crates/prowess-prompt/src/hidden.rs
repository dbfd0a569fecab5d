//! Characters that a reader does not see and a model does.
//!
//! They are removed, not shown as numbers: a thousand tag characters shown would cost thousands of
//! tokens, and nothing that a person wrote to be read is lost. What goes is Unicode's
//! `Default_Ignorable_Code_Point` (zero-width characters, bidi controls, variation selectors, the tag
//! block), the annotation characters, control characters and noncharacters. Inside an emoji, where a
//! joiner or a selector shows, it stays.

/// A text on one line: without hidden characters, each run of white space one blank.
pub(crate) fn fold(text: &str) -> String {
    let visible = visible(text);
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
    let is_kept = |character: &char| matches!(character, '\n' | '\t') || !character.is_control();
    visible(&text).chars().filter(is_kept).collect()
}

/// Whether a text loses hidden characters when it is shown.
pub(crate) fn has_hidden(text: &str) -> bool {
    visible(text).len() < text.len()
}

/// Whether a text can be shown as it is on one line, so that whoever copies it has the original.
pub(crate) fn is_exact(text: &str) -> bool {
    let breaks =
        |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
    !text.contains(breaks) && !has_hidden(text)
}

/// A text without hidden characters. White space of every kind stays.
fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = '\0';
    while let Some(character) = characters.next() {
        let after = characters.peek().copied().unwrap_or('\0');
        let is_kept = character.is_whitespace()
            || !is_hidden(character)
            || is_inside_emoji(before, character, after);
        if is_kept {
            visible.push(character);
            before = character;
        }
    }
    visible
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
