//! How one text is written: plain where it can be, quoted where it must be, as a block where it has
//! lines.

use prowess_text::find_invisible;
use std::fmt::Write as _;

use crate::check::plain_kind;

/// Writes a key: plain or in quotes, always on one line.
pub(super) fn key(out: &mut String, text: &str) {
    // A key that begins with a sign reads like a mark of YAML, even where it is none; three dots
    // and a blank at the start of a line are one.
    let is_plain = text.starts_with(|first: char| first.is_alphanumeric() || "_./".contains(first))
        && !text.starts_with("...")
        && is_plain(text);
    if is_plain { out.push_str(text) } else { quoted(out, text) }
}

/// Writes a value. Lines of a block stand `indent` blanks deep, and the last one is not ended
/// unless its line end belongs to the text.
pub(super) fn value(out: &mut String, text: &str, indent: usize) {
    if is_plain(text) {
        out.push_str(text);
    } else if is_block(text) {
        block(out, text, indent);
    } else {
        quoted(out, text);
    }
}

/// Whether every reader takes the bare characters for this very text.
fn is_plain(text: &str) -> bool {
    let is_whole = !text.is_empty() && text.trim().len() == text.len();
    let has_marks = text.contains(": ") || text.contains(" #") || text.ends_with(':');
    is_whole
        && !has_marks
        && !text.contains(['\t', '\n'])
        && is_printable(text)
        && !begins_like_a_mark(text)
        && !is_taken_for_other(text)
}

/// Whether the first characters mean something to YAML.
fn begins_like_a_mark(text: &str) -> bool {
    let mut characters = text.chars();
    match characters.next() {
        Some('-' | '?' | ':') => characters.next().is_none_or(|second| !second.is_alphanumeric()),
        Some(first) => ",[]{}#&*!|>'\"%@`=<".contains(first),
        None => true,
    }
}

/// Whether a reader that knows numbers, dates, truth values and nothing may take a plain text for
/// one of them. By the oldest and widest rules, those of YAML 1.1, and then some.
pub(super) fn is_taken_for_other(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan", "infinity",
    ];
    // Our own reader's word first: what it would remark on must not be written bare.
    if plain_kind(text).is_some() {
        return true;
    }
    let bare = text.trim_start_matches(['+', '-', '.']);
    if WORDS.iter().any(|word| bare.eq_ignore_ascii_case(word)) {
        return true;
    }
    bare.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_hexdigit() || b"+-._:, xXoOtTzZ".contains(&byte))
}

/// Whether readers take each character as it stands, and people see it.
fn is_printable(text: &str) -> bool {
    find_invisible(text).is_none() && !text.contains(is_line_end_or_no_character)
}

/// The line ends that only some readers know, and the two codes that are no characters. NEL, which
/// is a control character, counts as hidden.
fn is_line_end_or_no_character(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns whether a text of several lines survives as a block behind `|`. Lines of blanks alone
/// and a first line that starts with one would be read as indentation.
fn is_block(text: &str) -> bool {
    let first = text.trim_start_matches('\n');
    text.contains('\n')
        && !first.is_empty()
        && !first.starts_with([' ', '\t'])
        && is_printable(text)
        && text.split('\n').all(|line| line.is_empty() || !line.trim().is_empty())
}

fn block(out: &mut String, text: &str, indent: usize) {
    let content = text.trim_end_matches('\n');
    out.push_str(match text.len() - content.len() {
        0 => "|-",
        1 => "|",
        _ => "|+",
    });
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(line);
        }
    }
    out.push('\n');
}

/// Writes a text in the quotes that need the fewest escapes.
fn quoted(out: &mut String, text: &str) {
    let has_escapes = text.contains(['"', '\\']);
    if has_escapes && is_printable(text) && !text.contains(['\t', '\n']) {
        out.push('\'');
        out.push_str(&text.replace('\'', "''"));
        out.push('\'');
    } else {
        double_quoted(out, text);
    }
}

fn double_quoted(out: &mut String, text: &str) {
    let is_all_visible = is_printable(text);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if is_all_visible || is_printable(character.encode_utf8(&mut [0; 4])) => {
                out.push(character);
            }
            _ => escape(out, character),
        }
    }
    out.push('"');
}

fn escape(out: &mut String, character: char) {
    let code = u32::from(character);
    // Writing to a string cannot fail.
    let _ = match code {
        0..=0xff => write!(out, "\\x{code:02X}"),
        0x100..=0xffff => write!(out, "\\u{code:04X}"),
        _ => write!(out, "\\U{code:08X}"),
    };
}
