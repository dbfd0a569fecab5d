//! Reads a value as the text that its author saw.

use crate::codes;
use crate::conditions::begins_with_switch;

use super::candidate::quoted;
use super::region::{Region, closing, is_known_field, is_text_field, key_end};
use super::{Edit, edit};

/// Indents the lines of a quoted value.
pub(super) fn continued(text: &str, region: &Region<'_>) -> Option<Edit> {
    let value = &text[region.value.clone()];
    let unindented = unindented(region, value)?;
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let is_whole = closing(value, quote)? + 1 == value.len();
    is_whole.then(|| Edit {
        value: region.value.clone(),
        quoted: indented(value, 1),
        is_plain: false,
        culprit: unindented..unindented + 1,
        code: codes::LINE_UNINDENTED,
    })
}

/// Returns the first line that goes on with the value, and is not indented or is so by tabs.
fn unindented(region: &Region<'_>, value: &str) -> Option<usize> {
    let mut at = region.value.start;
    let is_tabbed = |line: &str| {
        line.trim_start_matches(' ').starts_with('\t') && !line.trim_start().is_empty()
    };
    let mut tabbed = value.split_inclusive('\n').enumerate().filter_map(|(number, line)| {
        at += line.len();
        (number > 0 && is_tabbed(line)).then_some(at - line.len())
    });
    region.unindented.or_else(|| tabbed.next())
}

/// Returns the columns by which a line is indented, where a tab counts as two.
fn width(line: &str) -> usize {
    let blanks = line.bytes().map_while(|byte| match byte {
        b' ' => Some(1),
        b'\t' => Some(2),
        _ => None,
    });
    blanks.sum()
}

/// Indents the lines of a text behind its first that are not, or less than by a width, or by tabs.
fn indented(value: &str, least: usize) -> String {
    let mut lines = value.split_inclusive('\n');
    let mut copy = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let text = line.trim_start_matches([' ', '\t']);
        let is_empty = text.starts_with(['\r', '\n']);
        if is_empty || (blanks >= least && !line.trim_start_matches(' ').starts_with('\t')) {
            copy.push_str(if is_empty { text } else { line });
        } else {
            copy.push_str(&" ".repeat(width(line).max(least)));
            copy.push_str(text);
        }
    }
    copy
}

/// Reads a value as the text that its author saw.
pub(super) fn as_text(text: &str, region: &Region<'_>) -> Option<Edit> {
    let value = &text[region.value.clone()];
    let first = value.trim_start().chars().next()?;
    let at = region.value.end - value.trim_start().len();
    let is_list = (matches!(first, '[' | '{' | '&' | '!' | '#')
        && !(region.key == "description" && is_sign(value)))
        || (is_collection(value) && region.key != "description");
    let has_switch = value.lines().skip(1).any(begins_with_switch);
    if is_list || has_switch || !is_text_field(region.key) {
        return None;
    }
    let unindented = unindented(region, value);
    if value.trim_start().split_once('\n').is_some_and(|(header, _)| is_block(header)) {
        let (copy, less) = block(value)?;
        let culprit = unindented.unwrap_or(region.value.start + less);
        return Some(edit(region.value.clone(), copy, culprit, codes::LINE_UNINDENTED));
    }
    let first_line = value.lines().next().unwrap_or_default();
    let (culprit, code) = match (first, unindented, key_end(first_line)) {
        ('"' | '\'', None, _) => (at, codes::TEXT_UNQUOTED),
        (
            '*' | '@' | '`' | '%' | '-' | '?' | ':' | ',' | ']' | '}' | '|' | '>' | '\u{feff}'
            | '!' | '&',
            None,
            _,
        ) => (at, codes::TEXT_UNQUOTED),
        (_, _, Some(colon)) => (region.value.start + colon, codes::UNQUOTED_COLON),
        (_, Some(unindented), None) => (unindented, codes::LINE_UNINDENTED),
        _ => match (later_colon(value), comment(value)) {
            (Some(colon), _) => (region.value.start + colon, codes::UNQUOTED_COLON),
            (None, at) => (region.value.start + at?, codes::TEXT_UNQUOTED),
        },
    };
    let copy = quoted_lines(without_quotes(value).unwrap_or(value));
    Some(edit(region.value.clone(), copy, culprit, code))
}

/// Returns a text in single quotes that has apostrophes within, `'Don't'`, or one in double quotes
/// with a backslash that is no escape, `"C:\Users"`. A comma behind the quote is that of JSON.
fn without_quotes(value: &str) -> Option<&str> {
    let value = value.trim().strip_suffix(',').unwrap_or(value.trim());
    if let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return (!inner.contains('"')).then_some(inner);
    }
    let inner = value.strip_prefix('\'')?.strip_suffix('\'')?;
    let is_word = |part: Option<char>| part.is_some_and(char::is_alphanumeric);
    let is_apostrophe = |(at, _): (usize, &str)| {
        is_word(inner[..at].chars().next_back()) && is_word(inner[at + 1..].chars().next())
    };
    inner.match_indices('\'').all(is_apostrophe).then_some(inner)
}

/// Returns whether a value begins in a later line as a list or a mapping.
fn is_collection(value: &str) -> bool {
    let first = value.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    value.starts_with(['\r', '\n']) && value_of(first) != first
}

/// Returns a block scalar with all of its lines indented as the first one, and the first that was
/// less. A known field in such a line may rather be one.
fn block(value: &str) -> Option<(String, usize)> {
    let written = value.trim_start();
    let (header, lines) = written.split_once('\n')?;
    let first = lines.lines().find(|line| !line.trim().is_empty())?;
    let said = header.bytes().find(u8::is_ascii_digit).map(|digit| usize::from(digit - b'0'));
    let least = match width(first) {
        0 => 2,
        width => said.unwrap_or(width),
    };
    let mut at = value.len() - lines.len();
    let mut less = None;
    for line in lines.split_inclusive('\n') {
        if (1..least).contains(&width(line)) && !line.trim().is_empty() {
            less = less.or(Some(at));
            if is_known_field(line.trim_start()) {
                return None;
            }
        }
        at += line.len();
    }
    let blank = if written.len() < value.len() { " " } else { "" };
    Some((format!("{blank}{}", indented(written, least)), less.unwrap_or_default()))
}

/// Returns whether a value begins a block scalar, whose lines follow.
pub(super) fn is_block(header: &str) -> bool {
    let rest = header.trim_end().strip_prefix(['|', '>']);
    rest.is_some_and(|rest| {
        rest.len() <= 2 && rest.bytes().all(|byte| b"+-123456789".contains(&byte))
    })
}

/// Returns the colon of a later line that YAML reads as the end of a key, unless the line is rather
/// a field with wrong indentation.
fn later_colon(value: &str) -> Option<usize> {
    let mut start = value.find('\n')? + 1;
    let mut found = None;
    for line in value[start..].split_inclusive('\n') {
        if is_known_field(line.trim_start()) {
            return None;
        }
        found = found.or_else(|| Some(start + key_end(line)?));
        start += line.len();
    }
    found
}

/// Returns a `#` at which YAML ends the text before its last line.
fn comment(value: &str) -> Option<usize> {
    let mut signs = value.match_indices('#').map(|(at, _)| at);
    let mut lines = value.lines().skip(1).filter(|line| !line.trim().is_empty());
    let is_field = lines.any(|line| is_known_field(line.trim_start()));
    signs.find(|at| !is_field && value[..*at].ends_with(char::is_whitespace))
}

/// Returns an empty value, and as a remark what its author wrote.
pub(super) fn remarked(empty: &str, value: &str) -> String {
    let blank = if value.starts_with(['\r', '\n']) || value.is_empty() { " " } else { "" };
    let plain = value.replace(is_refused, " ");
    let lines: Vec<_> = plain.trim().lines().map(str::trim_end).collect();
    let sign = if lines.is_empty() { "" } else { " # " };
    format!("{blank}{empty}{sign}{}", lines.join("\n# "))
}

/// Returns whether YAML refuses a character anywhere.
pub(super) fn is_refused(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\r')
}

/// Returns a text of several lines in quotes. Reading joins them as it joins the lines of a plain
/// value.
pub(super) fn quoted_lines(value: &str) -> String {
    let lines: Vec<_> = value.lines().map(str::trim).collect();
    let blank = if value.starts_with(['\r', '\n']) || value.is_empty() { " " } else { "" };
    let lines = lines.join("\n ");
    format!("{blank}{}", quoted(lines.trim()))
}

/// Returns whether a text begins with a sign that marks a tag or an anchor, and is none that a
/// reader knows: `!important`, `& more`.
pub(super) fn is_sign(value: &str) -> bool {
    (value.starts_with('!') && !value.starts_with("!!")) || value.starts_with("& ")
}

/// Returns the value of a line, behind the signs of list items and a key.
pub(super) fn value_of(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item.trim_start();
    }
    let is_key =
        |key: &str| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    match rest.split_once(':') {
        Some((key, "")) if is_key(key) => "",
        Some((key, value)) if is_key(key) && value.starts_with(' ') => value.trim_start(),
        _ => rest,
    }
}
