//! Untrusted names and sentences inside messages.

use crate::guard::guarded_brackets;
use crate::invisible::{is_blank, is_printable_ascii, is_stacked, is_unassigned, marked};

/// The maximum length of a quoted name.
const MAX_QUOTED_CHARS: usize = 120;

/// Returns a text in backticks for a message: on one line, cut after 120 characters, with unclear
/// characters, backticks and brackets of guarded tags written as `\u{…}`.
pub fn quoted(text: &str) -> String {
    format!("`{}`", escaped(text, MAX_QUOTED_CHARS, true))
}

/// Returns an untrusted sentence for use in a message: on one line, cut after `max` characters,
/// with invisible characters and brackets of guarded tags written as `\u{…}`.
pub fn clipped(text: &str, max: usize) -> String {
    escaped(text, max, false)
}

/// Returns an untrusted text for the decision of a person, as [`clipped`] does, but with its head,
/// its tail and the number of characters between them, so that nothing hides behind a cut.
/// A run of blanks, and a blank that is no space, is written with its length and its code, as are
/// characters that fonts leave blank, and more than four marks on a letter.
pub fn head_and_tail(text: &str, max: usize) -> String {
    let text = &with_marks(text);
    let count = text.chars().count();
    if count <= max {
        return clipped(text, max);
    }
    let half = max / 2;
    let (head, rest) = text.split_at(end_of(text, half));
    let tail = &rest[end_of(rest, count - 2 * half)..];
    let left_out = format!(" […{} of {count} characters…] ", count - 2 * half);
    [clipped(head, half), left_out, clipped(tail, half)].concat()
}

/// Returns the lines of a text for the decision of a person, each as [`head_and_tail`] returns it,
/// but for an indentation that hides nothing: in a diff, behind the sign of the line.
pub fn marked_lines(text: &str) -> String {
    const TAB: usize = 8;
    const MOST_COLUMNS: usize = 40;
    let marked = |line: &str| {
        let (sign, rest) = line.split_at(usize::from(line.starts_with(['+', '-'])));
        let words = rest.trim_start_matches([' ', '\t']);
        let blanks = &rest[..rest.len() - words.len()];
        let tabs = blanks.matches('\t').count();
        let is_kept = !words.is_empty() && blanks.len() + tabs * (TAB - 1) <= MOST_COLUMNS;
        let (blanks, words) = if is_kept { (blanks, words) } else { ("", rest) };
        format!("{sign}{blanks}{}\n", head_and_tail(words, usize::MAX))
    };
    text.split_terminator('\n').map(marked).collect()
}

/// Returns a text in which one space alone looks like a space.
fn with_marks(text: &str) -> String {
    let mut stacked = 0;
    let mut marked = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let mut count = 1;
        stacked = if is_stacked(character) { stacked + 1 } else { 0 };
        let is_blank = |it| it == ' ' || is_blank(it) || is_unassigned(it) || stacked > 4;
        while is_blank(character) && rest.next_if_eq(&character).is_some() {
            count += 1;
        }
        match (is_blank(character), count, character) {
            // No other text has a mark.
            (_, _, '×') => marked.push_str("\\u{d7}"),
            (_, _, '…') if marked.ends_with('[') => marked.push_str("\\u{2026}"),
            (false, ..) | (_, 1, ' ') => marked.push(character),
            _ => marked.push_str(&format!("[{count} × U+{:04X}]", u32::from(character))),
        }
    }
    marked
}

/// Joins texts, each as [`quoted`]: `a`, `b` and `c`.
pub fn enumerated<'t>(texts: impl IntoIterator<Item = &'t str>, and: &str) -> String {
    let texts: Vec<_> = texts.into_iter().map(quoted).collect();
    match texts.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {and} {last}", first.join(", ")),
    }
}

fn escaped(text: &str, max: usize, is_quoted: bool) -> String {
    let end = end_of(text, max);
    let kept = &text[..end];
    let mut escaped = String::with_capacity(kept.len());
    let has_special = |byte: u8| matches!(byte, b'\n' | b'<') || (is_quoted && byte == b'`');
    if is_printable_ascii(kept) && !kept.bytes().any(has_special) {
        escaped.push_str(kept);
    } else {
        push_escaped(&mut escaped, kept, is_quoted);
    }
    if end < text.len() {
        escaped.push('…');
    }
    escaped
}

/// Returns the end of the first `max` characters in bytes.
fn end_of(text: &str, max: usize) -> usize {
    // A text has at most as many characters as bytes.
    if text.len() <= max {
        return text.len();
    }
    text.char_indices().nth(max).map_or(text.len(), |(end, _)| end)
}

fn push_escaped(target: &mut String, text: &str, is_quoted: bool) {
    let mut brackets = guarded_brackets(text).map(|(start, _)| start).peekable();
    let mut offset = 0;
    for marked in marked(text) {
        let character = marked.character;
        let is_bracket = brackets.next_if_eq(&offset).is_some();
        let is_broken_out = matches!(character, '\n' | '\t') || (is_quoted && character == '`');
        push_visible(target, character, marked.is_unclear() || is_bracket || is_broken_out);
        offset += character.len_utf8();
    }
}

/// Appends a character, as `\u{…}` if it is to be escaped.
pub(crate) fn push_visible(target: &mut String, character: char, is_escaped: bool) {
    if is_escaped {
        target.extend(character.escape_unicode());
    } else {
        target.push(character);
    }
}
