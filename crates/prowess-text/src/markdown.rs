//! Text inside a Markdown document.

use crate::lines::one_line;

/// Encodes a text for a paragraph, a heading or a table cell of Markdown: on one line, without
/// invisible characters, so that no character of it is markup.
pub fn markdown_text(text: &str) -> String {
    let line = one_line(text);
    let mut encoded = String::with_capacity(line.len());
    for character in line.chars() {
        match character {
            '&' => encoded.push_str("&amp;"),
            '<' => encoded.push_str("&lt;"),
            '>' => encoded.push_str("&gt;"),
            _ if r"\`*_{}[]()#+-.!|~:=@".contains(character) => encoded.extend(['\\', character]),
            _ => encoded.push(character),
        }
    }
    encoded
}

/// Encodes a text as a code span of Markdown: on one line, without invisible characters, between
/// more backticks than the text has in a row.
pub fn markdown_code(text: &str) -> String {
    let line = one_line(text);
    let runs = line.split(|character| character != '`');
    let fence = "`".repeat(runs.map(str::len).max().unwrap_or_default() + 1);
    let pad =
        if line.starts_with('`') || line.ends_with('`') || line.is_empty() { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}
