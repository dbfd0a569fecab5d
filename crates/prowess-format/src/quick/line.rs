//! Lines and the values that end on them, as places in the file: nothing is text yet.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter};

use crate::work;

/// A value, and whether it stood there without quotes.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) place: Range<usize>,
    pub(super) is_plain: bool,
    /// How to make one text of several lines.
    block: Option<Block>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    indentation: usize,
    /// What takes the place of a line end.
    joint: char,
}

impl Value {
    /// The value's text.
    pub(super) fn text<'t>(&self, file: &'t str) -> Cow<'t, str> {
        let written = &file[self.place.clone()];
        let Some(Block { indentation, joint }) = self.block else {
            return Cow::Borrowed(written);
        };
        let mut text = String::with_capacity(written.len());
        let mut start = 0;
        for end in memchr_iter(b'\n', written.as_bytes()) {
            text.push_str(&written[start..end]);
            text.push(joint);
            start = end + 1 + indentation;
        }
        text.push_str(&written[start..]);
        Cow::Owned(text)
    }
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

    /// The value behind this key on the line that was read last, there or in a block.
    pub(super) fn text(&mut self, line: &[u8], key: &[u8]) -> Option<Value> {
        match line.strip_prefix(key)? {
            b" >" | b" >-" => self.block(' '),
            b" |" | b" |-" => self.block('\n'),
            _ => self.on_line(line, key.len()),
        }
    }

    /// The value behind the key of the line that was read last.
    pub(super) fn on_line(&self, line: &[u8], after_colon: usize) -> Option<Value> {
        let rest = line[after_colon..].strip_prefix(b" ")?;
        let first = rest.iter().position(|byte| *byte != b' ')?;
        let blanks = rest.iter().rev().take_while(|byte| **byte == b' ').count();
        let value = &rest[first..rest.len() - blanks];
        let (inside, is_plain) = match value[0] {
            quote @ (b'"' | b'\'') => (quoted(value, quote)?, false),
            _ if is_plain(value) => (0..value.len(), true),
            _ => return None,
        };
        let start = self.at - 1 - line.len() + after_colon + 1 + first;
        let place = start + inside.start..start + inside.end;
        Some(Value { place, is_plain, block: None })
    }

    /// A block whose lines are indented alike, without blanks at their ends and blank lines between them.
    /// Whether the last line's end is part of it makes no difference to a description, which is trimmed.
    fn block(&mut self, joint: char) -> Option<Value> {
        let start = self.at;
        let (mut width, mut count) = (0, 0);
        while self.peek_byte() == Some(b' ') {
            let line = self.next()?;
            let indentation = line.iter().take_while(|byte| **byte == b' ').count();
            let is_like_the_first = count == 0 || indentation == width;
            if indentation == line.len() || line.last() == Some(&b' ') || !is_like_the_first {
                return None;
            }
            (width, count) = (indentation, count + 1);
        }
        let may_go_on = matches!(self.peek_byte(), None | Some(b'\n' | b'\r'));
        if count == 0 || may_go_on {
            return None;
        }
        let block = (count > 1).then_some(Block { indentation: width, joint });
        Some(Value { place: start + width..self.at - 1, is_plain: false, block })
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
