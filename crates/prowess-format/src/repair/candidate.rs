//! Finds the values of a text that can be repaired.

use std::ops::Range;

use memchr::memchr_iter;

use crate::fields::Known;
use crate::{Extensions, codes, work, yaml};

use super::Edit;

/// A top-level `key: value` with the indented lines that go on with it.
pub(super) struct Chunk<'t> {
    key: &'t str,
    value: &'t str,
    /// Where the value begins in the text.
    start: usize,
}

pub(super) struct Chunks<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Chunks<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The next line and those below it that are indented or blank.
    fn lines(&mut self) -> Option<(usize, &'t str)> {
        let start = self.at;
        let mut lines = self.text[start..].split_inclusive('\n');
        self.at += lines.next()?.len();
        for line in lines.take_while(|line| line.starts_with([' ', '\t', '\r', '\n'])) {
            self.at += line.len();
        }
        Some((start, self.text[start..self.at].trim_end()))
    }
}

impl<'t> Iterator for Chunks<'t> {
    type Item = Chunk<'t>;

    fn next(&mut self) -> Option<Chunk<'t>> {
        loop {
            let (start, lines) = self.lines()?;
            work::count(lines.len());
            if let Some((key, value)) = split(lines) {
                return Some(Chunk { key, value, start: start + lines.len() - value.len() });
            }
        }
    }
}

/// A key that is a plain word, and its value without blanks around it.
fn split(lines: &str) -> Option<(&str, &str)> {
    let (key, rest) = lines.split_once(':')?;
    let is_key = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let value = rest.strip_prefix(' ')?.trim_start_matches(' ');
    (is_key && !value.starts_with(char::is_whitespace)).then_some((key, value))
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
    let colon = key_end(first_line, value)?;
    Some(Edit {
        value: chunk.start..chunk.start + value.len(),
        quoted: quoted(value),
        is_plain: true,
        culprit: at(chunk, colon),
        code: codes::UNQUOTED_COLON,
    })
}

/// The first colon of a line that a blank or the line's end follows.
fn key_end(line: &str, value: &str) -> Option<usize> {
    let bytes = value.as_bytes();
    memchr_iter(b':', line.as_bytes())
        .find(|at| bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace))
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

/// Returns whether the value of a field is a text, so that a bracket at its start is part of it. A
/// field of a known client that decides something, such as `scope`, is none.
fn is_text_field(key: &str) -> bool {
    let is_list = |known| matches!(known, Known::Metadata | Known::AllowedTools | Known::Tags);
    match Known::of(key) {
        Some(Known::AllowedToolsAlias | Known::Priority) => false,
        Some(known) => !is_list(known),
        None => Extensions::standard().declarations(key).all(|it| it.field.kind.takes_text()),
    }
}

/// A value whose quote is not closed before the next key.
fn unclosed(chunk: &Chunk<'_>, quote: char) -> Option<Edit> {
    if is_closed(&chunk.value[1..], quote) {
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

fn is_closed(value: &str, quote: char) -> bool {
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if quote == '"' => {
                characters.next();
            }
            _ if character == quote => return true,
            _ => {}
        }
    }
    false
}

pub(crate) fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// One byte of the value, as a place of the text.
fn at(chunk: &Chunk<'_>, offset: usize) -> Range<usize> {
    chunk.start + offset..chunk.start + offset + 1
}
