//! Encodes text of skills for a terminal.

pub(crate) use prowess_text::{terminal_line as plain, terminal_lines as plain_lines};

/// Returns a text on one line, at most `width` characters long, with an ellipsis if it was cut.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = plain(&text);
    if text.chars().count() <= width {
        return text.into_owned();
    }
    let mut line: String = text.chars().take(width.saturating_sub(1)).collect();
    line.push('…');
    line
}
