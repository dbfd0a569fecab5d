//! Lines and the values that end on them, as places in the file: nothing is text yet.

use std::ops::Range;

use memchr::{memchr, memchr2, memchr2_iter};

use crate::work;

/// A value, and whether it stood there without quotes.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) place: Range<usize>,
    pub(super) is_plain: bool,
}

/// Goes through the lines of a file that end.
pub(super) struct Lines<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Lines<'t> {
    pub(super) fn new(bytes: &'t [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Where the next line begins.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The next line without its end.
    pub(super) fn next(&mut self) -> Option<&'t [u8]> {
        let rest = &self.bytes[self.at..];
        let length = memchr(b'\n', rest)?;
        work::count(length + 1);
        self.at += length + 1;
        Some(&rest[..length])
    }

    /// What the next line begins with.
    pub(super) fn peek_byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The value behind this key on the line that was read last, there or in a block of one line.
    pub(super) fn text(&mut self, line: &[u8], key: &[u8]) -> Option<Value> {
        match line.strip_prefix(key)? {
            b" >" | b" |" | b" >-" | b" |-" => self.block(),
            _ => self.on_line(line, key.len()),
        }
    }

    /// The value behind the key of the line that was read last.
    pub(super) fn on_line(&self, line: &[u8], after_colon: usize) -> Option<Value> {
        let rest = &line[after_colon..];
        let is_filled = |byte: &u8| *byte != b' ';
        let first = rest.iter().position(is_filled)?;
        let last = rest.iter().rposition(is_filled)?;
        let value = &rest[first..=last];
        let (inside, is_plain) = match value[0] {
            _ if first == 0 => return None,
            quote @ (b'"' | b'\'') => (quoted(value, quote)?, false),
            _ if is_plain(value) => (0..value.len(), true),
            _ => return None,
        };
        let start = self.at - 1 - line.len() + after_colon + first;
        Some(Value { place: start + inside.start..start + inside.end, is_plain })
    }

    /// A block of one line. Whether its line end is part of it makes no difference to a description, which
    /// is trimmed.
    fn block(&mut self) -> Option<Value> {
        let line = self.next()?;
        let width = line.iter().take_while(|byte| **byte == b' ').count();
        let is_last = !matches!(self.peek_byte(), None | Some(b' ' | b'\n' | b'\r'));
        let is_simple = width > 0 && width < line.len() && line.last() != Some(&b' ') && is_last;
        let end = self.at - 1;
        is_simple.then(|| Value { place: end - line.len() + width..end, is_plain: false })
    }
}

/// The key of an entry: letters, digits, `-` and `_` before a colon and a blank.
pub(super) fn key(line: &[u8]) -> Option<&[u8]> {
    let length = memchr(b':', line)?;
    let (key, first) = (&line[..length], *line.first()?);
    let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_key = first != b'-' && length <= 64 && key.iter().all(is_of_key);
    (is_key && length > 0 && line.get(length + 1) == Some(&b' ')).then_some(key)
}

/// What stands between quotes, without escapes.
fn quoted(value: &[u8], quote: u8) -> Option<Range<usize>> {
    let inside = value.get(1..)?.strip_suffix(&[quote])?;
    let is_one = memchr2(quote, b'\\', inside).is_none();
    is_one.then(|| 1..1 + inside.len())
}

/// Whether no rule of YAML cuts, joins or reads a value otherwise that stands without quotes.
fn is_plain(value: &[u8]) -> bool {
    let begins_plain = matches!(value[0], b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'(' | b'/');
    // A colon that ends a key, or a `#` that begins a comment. The first byte is neither.
    let is_other = |at: usize| match value[at] {
        b':' => value.get(at + 1).is_none_or(|byte| *byte == b' '),
        _ => value[at - 1] == b' ',
    };
    begins_plain && !memchr2_iter(b':', b'#', value).any(is_other)
}
