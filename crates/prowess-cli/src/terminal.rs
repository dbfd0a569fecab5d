//! Encodes text of skills for a terminal, and fits it to the terminal's width.

use std::borrow::Cow;
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::{io, mem};

use anstream::adapter::strip_str;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use prowess_text::{head_and_tail, is_one_line, is_printable_ascii};
use terminal_size::{Width, terminal_size_of};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub(crate) use prowess_text::{terminal_line as plain, terminal_lines as plain_lines};

/// Encodes a text that a person decides on for one line, of which it shows each character.
pub(crate) fn marked(text: &str) -> String {
    plain(&head_and_tail(text, usize::MAX)).into_owned()
}

/// The minimum number of columns of a text, on however narrow a terminal.
const LEAST_WIDTH: usize = 20;

/// The columns that a name may always take, and those that are kept for a description.
const LEAST_NAME: usize = 32;
const LEAST_DESCRIPTION: usize = 40;

/// Returns the number of columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    // Most texts are so, and a list has thousands of them.
    if is_printable_ascii(text) && !text.contains('\n') { text.len() } else { text.width() }
}

/// Returns the number of columns behind the first ones of a line on standard output. Lines of a
/// pipe or a file have no end.
pub(crate) fn columns_behind(used: usize) -> usize {
    // Requested once, because a list calls this for each line.
    static COLUMNS: OnceLock<Option<usize>> = OnceLock::new();
    behind(*COLUMNS.get_or_init(|| columns(io::stdout())), used)
}

/// Like [`columns_behind`], on another stream.
pub(crate) fn columns_of(stream: impl AsFd, used: usize) -> usize {
    behind(columns(stream), used)
}

fn columns(stream: impl AsFd) -> Option<usize> {
    terminal_size_of(stream).map(|(Width(columns), _)| columns.into())
}

fn behind(columns: Option<usize>, used: usize) -> usize {
    columns.map_or(usize::MAX, |columns| columns.saturating_sub(used).max(LEAST_WIDTH))
}

/// Returns a text in lines of at most this number of columns, each further one behind a margin. A
/// longer word, and a command in backticks, stay whole, so that they can be copied.
pub(crate) fn wrapped(text: &str, columns: usize, margin: usize) -> String {
    // After a space and after each wide letter, such as a Chinese one.
    let is_break = |letter: char| letter == ' ' || letter.width() == Some(2);
    let mut lines = String::new();
    let mut used = 0;
    let is_marked = text.matches('`').count().is_multiple_of(2);
    let mut is_inside = false;
    let pieces = text.split_inclusive(|letter| {
        is_inside ^= is_marked && letter == '`';
        !is_inside && is_break(letter)
    });
    for piece in pieces {
        let width = shown_width(piece.trim_end());
        if used > 0 && used + width > columns {
            lines.truncate(lines.trim_end().len());
            lines.push('\n');
            // A command that nearly needs the whole line gets it.
            let room = columns.saturating_add(margin).checked_sub(width);
            lines.extend(std::iter::repeat_n(' ', room.map_or(margin, |room| room.min(margin))));
            used = 0;
        }
        lines.push_str(piece);
        used += shown_width(piece);
    }
    lines
}

/// Returns the lines of a cell of a table, of at most this number of columns; a longer word is cut.
pub(crate) fn cell_lines(text: &str, columns: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            let is_full = width(&line) + 1 + width(word) > columns;
            if is_full { lines.push(mem::take(&mut line)) } else { line.push(' ') }
        }
        for letter in word.chars() {
            if width(&line) + letter.width().unwrap_or_default() > columns {
                lines.push(mem::take(&mut line));
            }
            line.push(letter);
        }
    }
    lines.push(line);
    lines
}

/// Returns the number of columns of a text that may have styles.
fn shown_width(text: &str) -> usize {
    if text.contains('\u{1b}') { width(&strip_str(text).to_string()) } else { width(text) }
}

/// Returns a text on one line that ends in the last column of the terminal, behind those that are
/// used.
pub(crate) fn fitted(text: &str, used: usize) -> Cow<'_, str> {
    one_line(text, columns_behind(used))
}

/// Returns the maximum number of columns of the names of a table, so that one long name leaves
/// room for the descriptions of all, behind these further columns.
pub(crate) fn most_of_name(others: usize) -> usize {
    columns_behind(others + LEAST_DESCRIPTION).max(LEAST_NAME)
}

/// Returns a text with spaces behind it, so that it takes this number of columns.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Returns a text on one line that takes at most this number of columns, with an ellipsis if it was
/// cut.
pub(crate) fn one_line(text: &str, columns: usize) -> Cow<'_, str> {
    if is_one_line(text) {
        let cut = text.get(..columns.saturating_sub(1)).filter(|_| columns < text.len());
        return cut.map_or(Cow::Borrowed(text), |cut| Cow::Owned(format!("{cut}…")));
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = plain(&text);
    if width(&text) <= columns {
        return Cow::Owned(text.into_owned());
    }
    let mut left = columns.saturating_sub(1);
    let fits = |letter: &char| {
        let rest = left.checked_sub(letter.width().unwrap_or_default());
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    let mut line: String = text.chars().take_while(fits).collect();
    line.push('…');
    Cow::Owned(line)
}

/// Returns a time in the form of the internet on the clock of this machine, to the minute; one that
/// is no time as it is.
pub(crate) fn local_time(time: &str) -> String {
    let Ok(time) = time.parse::<Timestamp>() else { return time.to_owned() };
    time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// Returns a path on at most this number of columns: without its start, since its end says more.
pub(crate) fn end_of_path(path: &str, columns: usize) -> String {
    let excess = width(path).saturating_sub(columns);
    if excess == 0 {
        return path.to_owned();
    }
    std::iter::once('…').chain(path.chars().skip(excess + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let check = |text: &str, columns: usize, expected: &str| {
            assert_eq!(wrapped(text, columns, 2), expected, "{text:?} in {columns} columns");
        };
        check("one two three", 7, "one two\n  three");
        check("one two three", 13, "one two three");
        check("one two three", usize::MAX, "one two three");
        check("a /path/that/is/long b", 8, "a\n  /path/that/is/long\n  b");
        check("a `one two` b", 8, "a\n `one two`\n  b");
        check("把文档翻译", 6, "把文档\n  翻译");
        check("\u{1b}[2mone:\u{1b}[0m two three", 8, "\u{1b}[2mone:\u{1b}[0m two\n  three");
        check("", 8, "");
    }

    #[test]
    fn line_is_cut_at_its_column() {
        let check = |text: &str, columns: usize, expected: &str| {
            assert_eq!(one_line(text, columns), expected, "{text:?} in {columns} columns");
        };
        check("one two", 7, "one two");
        check("one two", usize::MAX, "one two");
        check("one two", 6, "one t…");
        check(" one  two\n", 7, "one two");
        check("one  two", 6, "one t…");
        check("把文档翻译", 6, "把文…");
        check("one", 1, "…");
        check("", 0, "");
    }

    #[test]
    fn end_of_a_path_is_kept() {
        assert_eq!(end_of_path("/home/ann/shop", 6), "…/shop");
        assert_eq!(end_of_path("/home/ann/shop", 14), "/home/ann/shop");
        assert_eq!(end_of_path("/a", 0), "…");
    }
}
