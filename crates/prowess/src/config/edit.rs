//! Changes one value in the text of a configuration file, and nothing else.
//!
//! The text is edited by lines and by brackets, and the result is parsed: it counts only if it has
//! exactly the value that was asked for. Any other form of YAML is refused instead of guessed.

use std::ops::Range;

use serde_yaml::{Mapping, Value};

use super::ConfigError;

/// Returns the text with a value (YAML) under a dotted key. A mapping is set key by key.
pub(super) fn set(text: &str, key: &str, value: &str) -> Result<String, ConfigError> {
    let parsed: Value = serde_yaml::from_str(value).map_err(ConfigError::invalid)?;
    let path: Vec<_> = key.split('.').map(str::to_owned).collect();
    set_all(text, &path, value, &parsed)
}

fn set_all(
    text: &str,
    path: &[String],
    written: &str,
    value: &Value,
) -> Result<String, ConfigError> {
    if let Some(mapping) = value.as_mapping().filter(|mapping| !mapping.is_empty()) {
        return mapping.iter().try_fold(text.to_owned(), |text, (key, value)| {
            let key = key.as_str().unwrap_or_default().to_owned();
            set_all(&text, &[path, &[key]].concat(), &json(value), value)
        });
    }
    let mut expected = parse(text)?;
    put(&mut expected, path, value.clone());
    for written in [written.trim(), &json(value)] {
        let edited = edit(text, path, Some(written));
        if let Some(edited) = edited.filter(|edited| parse(edited).ok().as_ref() == Some(&expected))
        {
            return Ok(edited);
        }
    }
    Err(refused(text, path))
}

/// Returns the text without a key, and without mappings that would be empty then; `None` if the
/// key is not in it.
pub(super) fn unset(text: &str, key: &str) -> Result<Option<String>, ConfigError> {
    let mut path: Vec<_> = key.split('.').map(str::to_owned).collect();
    let whole = parse(text)?;
    if at(&whole, &path).is_none() {
        return Ok(None);
    }
    while path.len() > 1
        && at(&whole, &path[..path.len() - 1])
            .and_then(Value::as_mapping)
            .is_some_and(|parent| parent.len() == 1)
    {
        path.pop();
    }
    let mut expected = whole;
    if let Some((last, parents)) = path.split_last()
        && let Some(parent) = at_mut(&mut expected, parents).as_mapping_mut()
    {
        parent.shift_remove(last.as_str());
    }
    let is_expected = |edited: &String| match parse(edited).ok() {
        Some(Value::Null) => expected.as_mapping().is_some_and(Mapping::is_empty),
        parsed => parsed.as_ref() == Some(&expected),
    };
    match edit(text, &path, None).filter(is_expected) {
        Some(edited) => Ok(Some(edited)),
        None => Err(refused(text, &path)),
    }
}

fn parse(text: &str) -> Result<Value, ConfigError> {
    serde_yaml::from_str(text).map_err(ConfigError::invalid)
}

fn json(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn at<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, key| value.as_mapping()?.get(key.as_str()))
}

/// Returns the value at a path. What is no mapping on the way becomes one.
fn at_mut<'v>(value: &'v mut Value, path: &[String]) -> &'v mut Value {
    path.iter().fold(value, |value, key| {
        if !value.is_mapping() {
            *value = Value::Mapping(Mapping::new());
        }
        &mut value[key.as_str()]
    })
}

fn put(value: &mut Value, path: &[String], new: Value) {
    *at_mut(value, path) = new;
}

/// The error for a form that is not edited, at the line of the key if there is one.
fn refused(text: &str, path: &[String]) -> ConfigError {
    let line = text.lines().position(|line| key_of(line).is_some_and(|(key, _)| key == path[0]));
    ConfigError::not_editable(&path.join("."), line.map(|line| line + 1))
}

/// Replaces, inserts or removes a value; `None` for a form that is not known.
fn edit(text: &str, path: &[String], value: Option<&str>) -> Option<String> {
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let starts: Vec<_> = lines
        .iter()
        .scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())))
        .chain([text.len()])
        .collect();
    let end_of_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut range = 0..lines.len();
    let mut fallback_indent = 0;
    for (depth, key) in path.iter().enumerate() {
        let rest = &path[depth + 1..];
        let first = range.clone().find(|line| is_content(lines[*line]));
        let indent = first.map_or(fallback_indent, |line| indent_of(lines[line]));
        let entries = entries(&lines, range.clone(), indent);
        let Some((_, entry)) = entries.iter().rev().find(|(known, _)| known == key) else {
            // Behind the last entry, in front of comments that follow.
            let line = entries.last().map_or(range.end, |(_, entry)| entry.end);
            let new = nested(&path[depth..], value?, indent, end_of_line);
            let ends = line == 0 || lines[line - 1].ends_with('\n');
            let separator = if ends { "" } else { end_of_line };
            return Some(splice(text, starts[line]..starts[line], &(separator.to_owned() + &new)));
        };
        let line = lines[entry.start];
        let value_start = starts[entry.start] + key_of(line)?.1;
        let line_end = starts[entry.start] + line.trim_end().len();
        let on_line = &text[value_start..line_end];
        let comment = comment_of(on_line);
        let written = on_line[..on_line.len() - comment.len()].trim();
        let whole = starts[entry.start]..starts[entry.end];
        if rest.is_empty() {
            let Some(value) = value else {
                let kept = lines[entry.clone()].iter().filter(|line| !is_content(line));
                let kept: String = kept.filter(|line| !line.trim().is_empty()).copied().collect();
                return Some(splice(text, whole, &kept));
            };
            let comment = if comment.is_empty() { String::new() } else { format!("  {comment}") };
            let ending = if text[whole.clone()].ends_with('\n') { end_of_line } else { "" };
            let new = format!(" {value}{comment}{ending}");
            return Some(splice(text, value_start..whole.end, &new));
        }
        if written.starts_with('{') {
            let open = value_start + on_line.find('{')?;
            return edit_flow(text, open, rest, value);
        }
        if !matches!(written, "" | "~" | "null") {
            return None;
        }
        range = entry.start + 1..entry.end;
        fallback_indent = indent + 2;
        if range.is_empty() && !written.is_empty() {
            let new = format!("{end_of_line}{}", nested(rest, value?, indent + 2, end_of_line));
            return Some(splice(text, value_start..whole.end, &new));
        }
    }
    None
}

fn splice(text: &str, range: Range<usize>, new: &str) -> String {
    [&text[..range.start], new, &text[range.end..]].concat()
}

/// Returns the lines of keys below each other, with a value.
fn nested(path: &[String], value: &str, indent: usize, end_of_line: &str) -> String {
    let line = |(depth, key): (usize, &String)| format!("{:1$}{key}:", "", indent + 2 * depth);
    let lines: Vec<_> = path.iter().enumerate().map(line).collect();
    format!("{} {value}{end_of_line}", lines.join(end_of_line))
}

fn is_content(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim();
    !(line.is_empty() || line.starts_with('#') || line == "---" || line == "...")
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns the entries of a block mapping with their lines.
fn entries(lines: &[&str], range: Range<usize>, indent: usize) -> Vec<(String, Range<usize>)> {
    let mut entries: Vec<(String, Range<usize>)> = Vec::new();
    for at in range.filter(|at| is_content(lines[*at])) {
        match key_of(lines[at]).filter(|_| indent_of(lines[at]) == indent) {
            Some((key, _)) => entries.push((key.to_owned(), at..at + 1)),
            None => entries.iter_mut().last().into_iter().for_each(|(_, lines)| lines.end = at + 1),
        }
    }
    entries
}

/// Returns the key that a line starts with, and the position behind its colon.
fn key_of(line: &str) -> Option<(&str, usize)> {
    let start = line.len() - line.trim_start_matches(['\u{feff}', ' ']).len();
    let rest = line[start..].trim_end();
    if rest.starts_with(['-', '?', '#', '&', '*', '!', '{', '[']) {
        return None;
    }
    if let Some(quote) = rest.chars().next().filter(|first| matches!(first, '"' | '\'')) {
        let end = rest[1..].find(quote)? + 1;
        let is_key = rest[end + 1..].starts_with(':');
        return is_key.then_some((&rest[1..end], start + end + 2));
    }
    let end = rest.find(": ").or_else(|| rest.strip_suffix(':').map(str::len))?;
    Some((rest[..end].trim_end(), start + end + 1))
}

/// Returns the comment at the end of a line's value.
fn comment_of(value: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, character) in value.char_indices() {
        match (quote, character) {
            (None, '"' | '\'') if " [{,".contains(before) => quote = Some(character),
            (Some(open), _) if open == character && before != '\\' => quote = None,
            (None, '#') if before.is_whitespace() => return &value[at..],
            _ => {}
        }
        before = character;
    }
    ""
}

/// Edits the mapping between the braces that open at a position.
fn edit_flow(text: &str, open: usize, path: &[String], value: Option<&str>) -> Option<String> {
    let items = flow_items(text, open)?;
    let found = items
        .iter()
        .position(|item| key_of(&text[item.clone()]).is_some_and(|(key, _)| key == path[0]));
    let Some(found) = found else {
        let (last, inner) = path.split_last()?;
        let braces = (inner.iter().map(|key| format!("{key}: {{ ")), " }".repeat(inner.len()));
        let new = format!("{}{last}: {}{}", braces.0.collect::<String>(), value?, braces.1);
        return Some(match items.last() {
            Some(item) => splice(text, item.end..item.end, &format!(", {new}")),
            None => splice(text, open + 1..open + 1, &format!(" {new} ")),
        });
    };
    let item = items[found].clone();
    let start = item.start + key_of(&text[item.clone()])?.1;
    let rest = &path[1..];
    if !rest.is_empty() {
        let inner = &text[start..item.end];
        let open = start + inner.find('{').filter(|at| inner[..*at].trim().is_empty())?;
        return edit_flow(text, open, rest, value);
    }
    Some(match value {
        Some(value) => splice(text, start..item.end, &format!(" {value}")),
        None if found > 0 => splice(text, items[found - 1].end..item.end, ""),
        None => splice(text, item.start..items.get(1).map_or(item.end, |next| next.start), ""),
    })
}

/// Returns the trimmed items between the braces that open at a position; `None` for comments
/// inside, and if they do not close.
fn flow_items(text: &str, open: usize) -> Option<Vec<Range<usize>>> {
    let (mut items, mut depth, mut quote, mut before, mut start) = (Vec::new(), 0, None, ' ', 0);
    let mut push = |range: Range<usize>| {
        let item = &text[range.clone()];
        let lead = item.len() - item.trim_start().len();
        if !item.trim().is_empty() {
            items.push(range.start + lead..range.start + lead + item.trim().len());
        }
    };
    for (at, character) in text[open..].char_indices().map(|(at, character)| (at + open, character))
    {
        match (quote, character) {
            (Some(open), _) if open == character && before != '\\' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if before.is_whitespace() || "[{,:".contains(before) => {
                quote = Some(character);
            }
            (None, '#') if before.is_whitespace() => return None,
            (None, '{' | '[') => {
                depth += 1;
                start = if depth == 1 { at + 1 } else { start };
            }
            (None, '}' | ']') if depth == 1 => {
                push(start..at);
                return Some(items);
            }
            (None, '}' | ']') => depth -= 1,
            (None, ',') if depth == 1 => {
                push(start..at);
                start = at + 1;
            }
            _ => {}
        }
        before = character;
    }
    None
}
