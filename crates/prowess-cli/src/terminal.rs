//! Encodes text of skills for a terminal, and fits it to the terminal's width.

use std::io;

use terminal_size::{Width, terminal_size_of};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub(crate) use prowess_text::{terminal_line as plain, terminal_lines as plain_lines};

/// The minimum number of columns of a text, on however narrow a terminal.
const LEAST_WIDTH: usize = 20;

/// Returns the number of columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Returns the number of columns behind the first ones of a line. Lines of a pipe or a file have no
/// end.
pub(crate) fn columns_behind(used: usize) -> usize {
    match terminal_size_of(io::stdout()) {
        Some((Width(columns), _)) => usize::from(columns).saturating_sub(used).max(LEAST_WIDTH),
        None => usize::MAX,
    }
}

/// Returns a text on one line that ends in the last column of the terminal, behind those that are
/// used.
pub(crate) fn fitted(text: &str, used: usize) -> String {
    one_line(text, columns_behind(used))
}

/// Returns a text with spaces behind it, so that it takes this number of columns.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Returns a text on one line that takes at most this number of columns, with an ellipsis if it was
/// cut.
pub(crate) fn one_line(text: &str, columns: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = plain(&text);
    if width(&text) <= columns {
        return text.into_owned();
    }
    let mut left = columns.saturating_sub(1);
    let fits = |letter: &char| {
        let rest = left.checked_sub(letter.width().unwrap_or_default());
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    let mut line: String = text.chars().take_while(fits).collect();
    line.push('…');
    line
}
