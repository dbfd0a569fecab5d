//! Repairs single lines of a field that is a list or a mapping.

use crate::codes;

use super::candidate::quoted;
use super::region::{Region, closing, key_end};
use super::text::{is_block, value_of};
use super::{Edit, edit};

/// Repairs values of nested lines that end on their line.
pub(super) fn lines(text: &str, region: &Region<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut start = region.span.start;
    // The indentation of the field whose block scalar goes on.
    let mut of_block = None;
    for line in text[region.span.clone()].split_inclusive('\n') {
        let indentation = line.len() - line.trim_start_matches(' ').len();
        if of_block.is_none_or(|width| indentation <= width) && !line.trim().is_empty() {
            let value = value_of(line.trim_end());
            of_block = is_block(value).then_some(indentation);
            let at = start + line.trim_end().len() - value.len();
            if of_block.is_none() {
                line_edits(value, at, &mut edits);
            }
        }
        start += line.len();
    }
    edits
}

fn line_edits(value: &str, at: usize, edits: &mut Vec<Edit>) {
    let whole =
        |culprit: usize, code| edit(at..at + value.len(), quoted(value), at + culprit, code);
    match value.chars().next() {
        Some('[' | '{') => items(value, at, edits),
        Some(quote @ ('"' | '\'')) => {
            let behind = closing(value, quote).map(|end| value[end + 1..].trim_start());
            if behind.is_some_and(|behind| !behind.is_empty() && !behind.starts_with(['#', ':'])) {
                edits.push(whole(0, codes::TEXT_UNQUOTED));
            }
        }
        Some('*' | '@' | '`' | '%') => edits.push(whole(0, codes::TEXT_UNQUOTED)),
        Some('&' | '!' | '#' | '|' | '>' | '?' | '-') | None => {}
        Some(_) => edits.extend(key_end(value).map(|colon| whole(colon, codes::UNQUOTED_COLON))),
    }
}

/// Quotes the items of a list or mapping in brackets that begin with a sign of YAML.
fn items(value: &str, at: usize, edits: &mut Vec<Edit>) {
    let mut start = 0;
    for item in value.split_inclusive([',', '[', ']', '{', '}']) {
        let written = item.trim_end_matches([',', '[', ']', '{', '}']);
        let (key, rest) = written.split_once(": ").unwrap_or(("", written));
        let behind_key = written.len() - rest.len();
        let text = rest.trim();
        let begin = start + behind_key + (rest.len() - rest.trim_start().len());
        if text.starts_with(['*', '@', '`', '%']) && !key.contains(['"', '\'']) {
            let span = at + begin..at + begin + text.len();
            edits.push(edit(span, quoted(text), at + begin, codes::TEXT_UNQUOTED));
        }
        start += item.len();
    }
}
