//! YAML, line by line.

use std::ops::Range;

use prowess::format::is_nested_too_deep;
use serde_json::Value;

use super::{Change, Fault, inline, json, line_end, scalar};

pub(super) fn read(text: &str) -> Result<Value, Fault> {
    if is_nested_too_deep(text) {
        return Err(Fault::new(0, "the values are nested too deeply"));
    }
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

/// Where a path of keys leads.
enum Place {
    /// To an entry: the indices of its lines.
    Entry(Range<usize>),
    /// Into a mapping in braces that begins at this byte, for the keys from this one on.
    Braces(usize, usize),
    /// To no entry: the keys from this one on are missing.
    Missing { depth: usize, indent: usize, behind: Option<usize>, null: Option<Range<usize>> },
}

/// Follows the path as far as there are entries.
fn place(lines: &[Line<'_>], path: &[&str]) -> Result<Place, Fault> {
    if let Some(first) = lines.first().filter(|line| line.text.starts_with('{')) {
        return Ok(Place::Braces(first.span.start + first.indent, 0));
    }
    // The lines of the current mapping, the column of its keys, and the line that it begins at.
    let (mut block, mut indent, mut parent) = (0..lines.len(), 0, None);
    let mut null = None;
    for (depth, key) in path.iter().enumerate() {
        indent = lines[block.clone()].first().map_or(indent, |first| first.indent);
        let is_key = |line: &Line<'_>| line.indent == indent && rest(line, key).is_some();
        let Some(found) = block.clone().find(|at| is_key(&lines[*at])) else {
            let behind = if block.is_empty() { parent } else { Some(block.end - 1) };
            let behind = behind.map(|at: usize| lines[at].span.end);
            return Ok(Place::Missing { depth, indent, behind, null });
        };
        let line = &lines[found];
        let inside = lines[found + 1..block.end].iter().take_while(|line| {
            line.indent > indent || (line.indent == indent && line.text.starts_with("- "))
        });
        let end = found + 1 + inside.count();
        if depth + 1 == path.len() {
            return Ok(Place::Entry(found..end));
        }
        let value = value_of(line, key);
        let content = &line.text[value.start - line.span.start - line.indent..];
        let content = &content[..value.len()];
        if content.starts_with('{') {
            return Ok(Place::Braces(value.start, depth + 1));
        }
        null = Some(value.clone()).filter(|_| ["~", "null"].contains(&content));
        if null.is_none() && !content.is_empty() && !content.starts_with(['&', '!']) {
            return Err(Fault::new(value.start, format!("`{key}` is no table")));
        }
        (block, parent) = (found + 1..end, Some(found));
        indent += 2;
    }
    Ok(Place::Entry(0..lines.len()))
}

pub(super) fn set(text: &str, path: &[&str], value: &Value) -> Result<Vec<Change>, Fault> {
    let (lines, end) = (lines(text), line_end(text));
    Ok(match place(&lines, path)? {
        Place::Braces(brace, depth) => json::set_in_flow(text, brace, &path[depth..], value)?,
        Place::Entry(entry) => {
            let Some(key) = path.last() else { return Ok(Vec::new()) };
            let old = value_of(&lines[entry.start], key);
            let inside = lines[entry.start + 1..entry.end].last();
            let last = inside.map_or(old.end, |last| last.span.end);
            if has_comments(&text[old.start..last]) {
                let message = "there are comments in the value, which would be lost";
                return items(text, &lines[entry], key, value)
                    .ok_or_else(|| Fault::new(old.start, message));
            }
            let blank = if text[..old.start].ends_with(':') { " " } else { "" };
            vec![Change(old.start..last, format!("{blank}{}", scalar(value)))]
        }
        Place::Missing { depth, indent, behind, null } => {
            let new = nested(&path[depth..], value, indent, end);
            let Some(behind) = behind else {
                let gap = if text.is_empty() || text.ends_with('\n') { "" } else { end };
                return Ok(vec![Change(text.len()..text.len(), format!("{gap}{new}{end}"))]);
            };
            let removed = null.map(|null| Change(null, String::new()));
            removed.into_iter().chain([Change(behind..behind, format!("{end}{new}"))]).collect()
        }
    })
}

/// Returns whether there is a comment in a value of several lines.
fn has_comments(value: &str) -> bool {
    let is_text = value.trim_start().starts_with(['|', '>']);
    let is_commented = |line: &str| {
        let item = line.trim_start();
        let item = item.strip_prefix("- ").unwrap_or(item);
        comment(item) < item.len()
    };
    !is_text && value.lines().any(is_commented)
}

/// Returns the changes that make a list of one-line items another one: the lines of items that stay
/// keep their comments, and so do lines with nothing else. `None` for other values.
fn items(text: &str, lines: &[Line<'_>], key: &str, value: &Value) -> Option<Vec<Change>> {
    let end = line_end(text);
    let (head, lines) = lines.split_first()?;
    let indent = lines.first()?.indent;
    let item = |line: &Line<'_>| {
        let item = line.text.strip_prefix("- ").filter(|_| line.indent == indent)?;
        serde_yaml::from_str::<Value>(item).ok()
    };
    let old = lines.iter().map(item).collect::<Option<Vec<_>>>()?;
    let new = value.as_array().filter(|new| !new.is_empty() && value_of(head, key).is_empty())?;
    let removed = |line: &Line<'_>| {
        let behind = (line.span.end + end.len()).min(text.len());
        Change(line.span.start..behind, String::new())
    };
    let mut changes = Vec::new();
    let (mut at, mut behind, mut inserted) = (0, head.span.end, String::new());
    for item in new {
        if let Some(skipped) = old[at..].iter().position(|old| old == item) {
            changes.push(Change(behind..behind, std::mem::take(&mut inserted)));
            changes.extend(lines[at..at + skipped].iter().map(removed));
            at += skipped + 1;
            behind = lines[at - 1].span.end;
            continue;
        }
        let moved =
            old.iter().position(|old| old == item).map(|moved| lines[moved].text.to_owned());
        let line = moved.unwrap_or_else(|| format!("- {}", scalar(item)));
        inserted.extend([end, &" ".repeat(indent), &line]);
    }
    changes.push(Change(behind..behind, inserted));
    changes.extend(lines[at..].iter().map(removed));
    Some(changes)
}

/// Returns where the entry that a path leads to begins.
pub(super) fn position(text: &str, path: &[&str]) -> Option<usize> {
    let lines = lines(text);
    match place(&lines, path).ok()? {
        Place::Entry(entry) => lines.get(entry.start).map(|line| line.span.start + line.indent),
        Place::Braces(brace, _) => Some(brace),
        Place::Missing { .. } => None,
    }
}

/// Removes the entry that a path leads to. Comments and empty lines in it stay.
pub(super) fn unset(text: &str, path: &[&str]) -> Result<Vec<Change>, Fault> {
    let lines = lines(text);
    Ok(match place(&lines, path)? {
        Place::Braces(brace, depth) => json::unset_in_flow(text, brace, &path[depth..])?,
        Place::Missing { .. } => Vec::new(),
        Place::Entry(entry) => {
            let whole = |line: &Line<'_>| {
                let end = text[line.span.end..]
                    .find('\n')
                    .map_or(text.len(), |end| line.span.end + end + 1);
                Change(line.span.start..end, String::new())
            };
            lines[entry].iter().map(whole).collect()
        }
    })
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

/// Returns the range of the value on the line of a key, without the blanks around it.
fn value_of(line: &Line<'_>, key: &str) -> Range<usize> {
    let written = rest(line, key).unwrap_or_default();
    let content = written[..comment(written)].trim_end();
    let start = line.span.end - written.len() + content.len() - content.trim_start().len();
    start..start + content.trim_start().len()
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
