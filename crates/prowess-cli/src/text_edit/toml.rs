//! TOML.

use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Change, Fault, array, inline, line_end};

pub(super) fn read(text: &str) -> Result<Value, Fault> {
    let table: toml::Table = toml::from_str(text).map_err(|error| fault(&error))?;
    serde_json::to_value(table).map_err(|error| Fault::new(0, error.to_string()))
}

fn fault(error: &toml::de::Error) -> Fault {
    Fault::new(error.span().map_or(0, |span| span.start), error.message())
}

/// Sets a value of a table with a header of its own. A table that is not there yet is added at the
/// end, where it changes the meaning of no other line.
pub(super) fn set(text: &str, path: &[&str], value: &Value) -> Result<Vec<Change>, Fault> {
    let root = DeTable::parse(text).map_err(|error| fault(&error))?;
    let Some((key, tables)) = path.split_last() else { return Ok(Vec::new()) };
    let mut table = Some(root.get_ref());
    for name in tables {
        table = table.and_then(|table| match table.get(*name).map(Spanned::get_ref) {
            Some(DeValue::Table(table)) => Some(table),
            _ => None,
        });
    }
    if let Some(old) = table.and_then(|table| table.get(*key)) {
        let value_at = |span: &Range<usize>| {
            let value = read(&format!("value = {}", &text[span.clone()])).ok()?;
            value.get("value").cloned()
        };
        let items = old.get_ref().as_array().into_iter().flat_map(|items| items.iter());
        let items = items.map(|item| value_at(&item.span()).map(|value| (item.span(), value)));
        let items = items.collect::<Option<Vec<_>>>().filter(|_| old.get_ref().is_array());
        let kept = items.and_then(|it| array::with_comments(text, &old.span(), &it, value));
        return Ok(vec![Change(old.span(), kept.unwrap_or_else(|| inline(value)))]);
    }
    if let Some(change) = in_braces(text, root.get_ref(), path, value) {
        return Ok(vec![change]);
    }
    let end = line_end(text);
    let line = format!("{} = {}", name(key), inline(value));
    let values = table.into_iter().flat_map(|table| table.iter());
    let values = values.filter(|(_, value)| !matches!(value.get_ref(), DeValue::Table(_)));
    if let Some(last) = values.map(|(_, value)| value.span().end).max() {
        let last = last + text[last..].find(['\r', '\n']).unwrap_or(text.len() - last);
        return Ok(vec![Change(last..last, format!("{end}{line}"))]);
    }
    let header = tables.iter().map(|table| name(table)).collect::<Vec<_>>().join(".");
    let gap = match text {
        "" => "",
        _ if text.ends_with('\n') => end,
        _ => &end.repeat(2),
    };
    let header = if header.is_empty() { header } else { format!("[{header}]{end}") };
    Ok(vec![Change(text.len()..text.len(), format!("{gap}{header}{line}{end}"))])
}

/// Removes the value at `keys` in braces, or else the table with the header `path` and those below
/// it, with the empty lines in front. All behind their last value, such as a comment of the next
/// table, stays.
pub(super) fn unset(text: &str, keys: &[&str], path: &[&str]) -> Result<Vec<Change>, Fault> {
    let root = DeTable::parse(text).map_err(|error| fault(&error))?;
    let (mut table, mut span) = (root.get_ref(), 0..0);
    for (depth, key) in keys.iter().enumerate() {
        let Some((key, found)) = table.get_key_value(*key) else { break };
        if depth + 1 == keys.len() && text[span.clone()].starts_with('{') {
            return Ok(vec![pair(text, &span, key.span().start..found.span().end)]);
        }
        let DeValue::Table(inner) = found.get_ref() else { break };
        (table, span) = (inner, found.span());
    }
    Ok(with_header(text, path))
}

/// Returns the removal of a pair in braces, with the comma in front of it.
fn pair(text: &str, braces: &Range<usize>, pair: Range<usize>) -> Change {
    let before = text[..pair.start].trim_end();
    let range = match before.ends_with(',') {
        true => before.len() - 1..pair.end,
        false => braces.start + 1..braces.end - 1,
    };
    Change(range, String::new())
}

fn with_header(text: &str, path: &[&str]) -> Vec<Change> {
    let own = path.iter().map(|key| name(key)).collect::<Vec<_>>().join(".");
    let (mut at, mut open, mut changes) = (0, None, Vec::new());
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if let Some(header) = content.strip_prefix('[') {
            let behind = header.trim_start().strip_prefix(&*own).map(str::trim_start);
            if behind.is_none_or(|behind| !behind.starts_with([']', '.'])) {
                changes.extend(open.take());
            } else if open.is_none() {
                let before = text[..at].trim_end().len();
                open = Some(text[before..at].find('\n').map_or(at, |end| before + end + 1)..at);
            }
        }
        at += line.len();
        if let Some(open) =
            open.as_mut().filter(|_| !content.is_empty() && !content.starts_with('#'))
        {
            open.end = at;
        }
    }
    changes.into_iter().chain(open).map(|range| Change(range, String::new())).collect()
}

/// Returns the insertion into a table in braces, which no header can add to.
fn in_braces(text: &str, root: &DeTable<'_>, path: &[&str], value: &Value) -> Option<Change> {
    let (mut table, mut depth, mut span) = (root, 0, 0..0);
    while let Some(found) = table.get(*path.get(depth)?)
        && let DeValue::Table(inner) = found.get_ref()
    {
        (table, span, depth) = (inner, found.span(), depth + 1);
    }
    if !text[span.clone()].starts_with('{') {
        return None;
    }
    let (last, outer) = path[depth..].split_last()?;
    let pair = format!("{} = {}", name(last), inline(value));
    let pair = outer.iter().rfold(pair, |pair, key| format!("{} = {{ {pair} }}", name(key)));
    let interior = span.start + 1..span.end - 1;
    let end = interior.start + text[interior.clone()].trim_end().len();
    Some(match end == interior.start {
        true => Change(interior, format!(" {pair} ")),
        false => Change(end..end, format!(", {pair}")),
    })
}

/// Returns a key, in quotes if it needs them.
fn name(key: &str) -> String {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    if !key.is_empty() && key.chars().all(is_bare) { key.to_owned() } else { inline(&key.into()) }
}
