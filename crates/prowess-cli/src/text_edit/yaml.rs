//! YAML, line by line.

use std::ops::Range;

use serde_json::Value;

use super::{Change, Fault, inline, json, line_end};

pub(super) fn read(text: &str) -> Result<Value, Fault> {
    serde_yaml::from_str(text).map_err(|error| {
        let at = error.location().map_or(0, |location| location.index());
        Fault::new(at.min(text.len()), error.to_string())
    })
}

/// A line with something that is no comment.
struct Line<'t> {
    /// Where it begins, and where it ends without its line end.
    span: Range<usize>,
    indent: usize,
    /// The text behind the blanks.
    text: &'t str,
}

pub(super) fn set(text: &str, path: &[&str], value: &Value) -> Result<Vec<Change>, Fault> {
    let lines = lines(text);
    if lines.first().is_some_and(|line| line.text.starts_with('{')) {
        return json::set(text, path, value);
    }
    let end = line_end(text);
    // The lines of the current table, the column of its keys, and the line that it begins at.
    let (mut block, mut indent, mut parent) = (&lines[..], 0, None::<&Line<'_>>);
    for (depth, key) in path.iter().enumerate() {
        indent = block.first().map_or(indent, |first| first.indent);
        let Some(found) =
            block.iter().position(|line| line.indent == indent && rest(line, key).is_some())
        else {
            let new = nested(&path[depth..], value, indent, end);
            let Some(last) = block.last().or(parent) else {
                let gap = if text.is_empty() || text.ends_with('\n') { "" } else { end };
                return Ok(vec![Change(text.len()..text.len(), format!("{gap}{new}{end}"))]);
            };
            return Ok(vec![Change(last.span.end..last.span.end, format!("{end}{new}"))]);
        };
        let line = &block[found];
        let inside = block[found + 1..].iter().take_while(|line| {
            line.indent > indent || (line.indent == indent && line.text.starts_with("- "))
        });
        let inside = &block[found + 1..found + 1 + inside.count()];
        let written = rest(line, key).unwrap_or_default();
        let start = line.span.end - written.len();
        let content = &written[..comment(written)];
        if depth + 1 == path.len() {
            let last = inside.last().map_or(start + content.trim_end().len(), |last| last.span.end);
            return Ok(vec![Change(start..last, format!(" {}", scalar(value)))]);
        }
        let content = content.trim();
        if content.starts_with('{') {
            let brace = start + written.find('{').unwrap_or_default();
            return json::set_in_flow(text, brace, &path[depth + 1..], value);
        }
        if !content.is_empty() && !content.starts_with(['&', '!']) {
            return Err(Fault::new(start, format!("`{key}` is no table")));
        }
        (block, parent) = (inside, Some(line));
        indent += 2;
    }
    Ok(Vec::new())
}

/// Returns the lines with content.
fn lines(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\r', '\n']);
        let behind = content.trim_start_matches(' ');
        let is_mark = content.trim_end() == "---" || content.trim_end() == "...";
        if !behind.trim().is_empty() && !behind.starts_with(['#', '%']) && !is_mark {
            let indent = content.len() - behind.len();
            lines.push(Line { span: at..at + content.len(), indent, text: behind });
        }
        at += line.len();
    }
    lines
}

/// Returns the text behind a key and its colon, if the line begins with them.
fn rest<'t>(line: &Line<'t>, key: &str) -> Option<&'t str> {
    let spellings = [key.to_owned(), format!("'{key}'"), inline(&Value::from(key))];
    let behind = spellings.iter().find_map(|key| line.text.strip_prefix(key.as_str()))?;
    let value = behind.trim_start().strip_prefix(':')?;
    (value.is_empty() || value.starts_with([' ', '\t'])).then_some(value)
}

/// Returns where the comment behind a value begins; the length if there is none.
fn comment(written: &str) -> usize {
    let value = written.trim_start();
    let from = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value.rfind(quote).unwrap_or(0),
        _ => 0,
    };
    let from = from + written.len() - value.len();
    let mark = written[from..]
        .match_indices('#')
        .find(|(at, _)| from + at == 0 || written[..from + at].ends_with([' ', '\t']));
    mark.map_or(written.len(), |(at, _)| from + at)
}

/// Returns the lines of new tables with a value in them, without the last line end.
fn nested(path: &[&str], value: &Value, indent: usize, end: &str) -> String {
    let mut lines = Vec::new();
    for (depth, key) in path.iter().enumerate() {
        let value =
            if depth + 1 == path.len() { format!(" {}", scalar(value)) } else { String::new() };
        let blanks = " ".repeat(indent + 2 * depth);
        lines.push(format!("{blanks}{}:{value}", scalar(&Value::from(*key))));
    }
    lines.join(end)
}

/// Returns a value on one line, a text without quotes if it stays a text.
fn scalar(value: &Value) -> String {
    let plain = value.as_str().filter(|text| {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.chars().all(is_plain)
    });
    let is_text =
        |text: &&str| serde_yaml::from_str::<Value>(text).is_ok_and(|read| read == **text);
    // Old readers take these for true and false.
    let is_word = |text: &&str| {
        !["y", "n", "yes", "no", "on", "off"].contains(&text.to_ascii_lowercase().as_str())
    };
    plain.filter(is_text).filter(is_word).map_or_else(|| inline(value), str::to_owned)
}
