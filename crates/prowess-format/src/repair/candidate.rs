//! Finds the values of a text that can be repaired.

use std::ops::Range;

use memchr::memchr_iter;

use crate::conditions::begins_with_switch;
use crate::{codes, yaml};

use super::Edit;
use super::region::{Region, closing, is_text_field, key_end};

/// A top-level `key: value` with the indented lines that go on with it.
pub(super) struct Chunk<'t> {
    key: &'t str,
    value: &'t str,
    /// Where the value begins in the text.
    start: usize,
}

impl<'t> Chunk<'t> {
    /// Returns `None` for a region without a value on the line of its key, and for one that may
    /// have swallowed a switch.
    pub(super) fn of(text: &'t str, region: &Region<'t>) -> Option<Self> {
        let value = &text[region.value.clone()];
        let is_one = !region.key.is_empty()
            && !value.starts_with(char::is_whitespace)
            && !region.is_glued
            && !value.lines().skip(1).any(begins_with_switch);
        is_one.then_some(Self { key: region.key, value, start: region.value.start })
    }
}

/// Returns the repaired value; `None` if it needs no repair.
pub(super) fn edit(chunk: &Chunk<'_>) -> Option<Edit> {
    match chunk.value.as_bytes().first()? {
        quote @ (b'"' | b'\'') => unclosed(chunk, char::from(*quote)),
        b'[' | b'{' => flow(chunk),
        b'|' | b'>' | b']' | b'}' | b'&' | b'*' | b'!' | b'%' | b'@' | b'`' | b'#' | b','
        | b'?' | b':' | b'-' => None,
        _ => colon(chunk),
    }
}

/// A plain value with a colon that YAML reads as the end of a key. Later lines count only if the
/// first has such a colon: else they are rather keys with wrong indentation.
fn colon(chunk: &Chunk<'_>) -> Option<Edit> {
    let value = &chunk.value[..plain_length(chunk.value)];
    let first_line = value.lines().next()?;
    let colon = key_end(first_line)?;
    Some(Edit {
        value: chunk.start..chunk.start + value.len(),
        quoted: quoted(value),
        is_plain: true,
        culprit: at(chunk, colon),
        code: codes::UNQUOTED_COLON,
    })
}

/// Up to a comment.
fn plain_length(value: &str) -> usize {
    let bytes = value.as_bytes();
    let comment = memchr_iter(b'#', bytes)
        .find(|at| at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_whitespace()));
    comment.map_or(value.len(), |at| value[..at].trim_end().len())
}

/// A text that begins with a bracket and is no list or mapping of YAML.
fn flow(chunk: &Chunk<'_>) -> Option<Edit> {
    if !is_text_field(chunk.key) || yaml::parse(chunk.value, 0).is_ok() {
        return None;
    }
    Some(Edit {
        value: chunk.start..chunk.start + chunk.value.len(),
        quoted: quoted(chunk.value),
        is_plain: false,
        culprit: at(chunk, 0),
        code: codes::FLOW_FOR_TEXT,
    })
}

/// A value whose quote is not closed before the next key.
fn unclosed(chunk: &Chunk<'_>, quote: char) -> Option<Edit> {
    if closing(chunk.value, quote).is_some() {
        return None;
    }
    Some(Edit {
        value: chunk.start..chunk.start + chunk.value.len(),
        quoted: format!("{}{quote}", chunk.value),
        is_plain: false,
        culprit: at(chunk, 0),
        code: codes::QUOTE_UNCLOSED,
    })
}

pub(crate) fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// One byte of the value, as a place of the text.
fn at(chunk: &Chunk<'_>, offset: usize) -> Range<usize> {
    chunk.start + offset..chunk.start + offset + 1
}
