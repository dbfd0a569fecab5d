//! Text inside a Markdown document.

use crate::lines::{one_line, visible_lines};

/// Encodes a text as a code span of Markdown: on one line, without invisible characters, between
/// more backticks than the text has in a row.
pub fn markdown_code(text: &str) -> String {
    let line = one_line(text);
    let fence = "`".repeat(longest_run(&line) + 1);
    let pad =
        if line.starts_with('`') || line.ends_with('`') || line.is_empty() { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

/// Encodes a text as a block of code of Markdown in this language: its lines without invisible
/// characters, between more backticks than the text has in a row.
pub fn markdown_block(language: &str, text: &str) -> String {
    let lines = visible_lines(text);
    let fence = "`".repeat((longest_run(&lines) + 1).max(3));
    let end = if lines.ends_with('\n') || lines.is_empty() { "" } else { "\n" };
    format!("{fence}{language}\n{lines}{end}{fence}\n")
}

/// Returns the number of backticks that the text has at most in a row.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|character| character != '`');
    runs.map(str::len).max().unwrap_or_default()
}
