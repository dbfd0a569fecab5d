//! Lines and the values that end on them, as places in the file: nothing is text yet.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter};

use crate::work;

/// Shorter values are looked through byte by byte: that is done before a vector search has begun.
const SHORT: usize = 24;

/// A value, and whether it stood there without quotes. Small, as it is moved more often than read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    start: u32,
    end: u32,
    pub(super) is_plain: bool,
    /// How to make one text of several lines.
    block: Option<Block>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    indentation: u32,
    /// The replacement of a line end.
    joint: char,
}

impl Value {
    /// One that stands there in one piece; `None` beyond 4 GiB.
    fn at(place: Range<usize>, is_plain: bool) -> Option<Self> {
        let [start, end] = [place.start, place.end].map(|at| u32::try_from(at).ok());
        Some(Self { start: start?, end: end?, is_plain, block: None })
    }

    pub(super) fn written<'t>(&self, file: &'t str) -> &'t str {
        &file[self.start as usize..self.end as usize]
    }

    /// The value's text.
    pub(super) fn text<'t>(&self, file: &'t str) -> Cow<'t, str> {
        let written = self.written(file);
        let Some(Block { indentation, joint }) = self.block else {
            return Cow::Borrowed(written);
        };
        let mut text = String::with_capacity(written.len());
        let mut start = 0;
        for end in memchr_iter(b'\n', written.as_bytes()) {
            text.push_str(&written[start..end]);
            text.push(joint);
            start = end + 1 + indentation as usize;
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

    /// Whether the next line is `---`, and ends.
    pub(super) fn is_at_fence(&self) -> bool {
        self.bytes[self.at..].starts_with(b"---\n")
    }

    /// Returns the first byte of the next line.
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

    /// Returns the value of this key on the last line. The caller refuses texts that YAML does not
    /// read as strings.
    pub(super) fn word(&self, line: &[u8], key: &[u8]) -> Option<Value> {
        line.strip_prefix(key)?;
        self.value(line, key.len(), |_| true)
    }

    pub(super) fn on_line(&self, line: &[u8], after_colon: usize) -> Option<Value> {
        self.value(line, after_colon, is_plain)
    }

    fn value(
        &self,
        line: &[u8],
        after_colon: usize,
        is_plain: impl Fn(&[u8]) -> bool,
    ) -> Option<Value> {
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
        Value::at(start + inside.start..start + inside.end, is_plain)
    }

    /// Reads a block whose lines have equal indentation, no trailing blanks and no blank lines
    /// between them. A description is trimmed, so the end of the last line does not matter.
    fn block(&mut self, joint: char) -> Option<Value> {
        let start = self.at;
        let mut width = 0;
        let mut count = 0;
        while self.peek_byte() == Some(b' ') {
            let line = self.next()?;
            let indentation = line.iter().take_while(|byte| **byte == b' ').count();
            let is_like_the_first = count == 0 || indentation == width;
            if indentation == line.len() || line.last() == Some(&b' ') || !is_like_the_first {
                return None;
            }
            width = indentation;
            count += 1;
        }
        let may_go_on = matches!(self.peek_byte(), None | Some(b'\n' | b'\r'));
        if count == 0 || may_go_on {
            return None;
        }
        let indentation = u32::try_from(width).ok()?;
        let block = (count > 1).then_some(Block { indentation, joint });
        Some(Value { block, ..Value::at(start + width..self.at - 1, false)? })
    }
}

/// Returns the key of an entry: letters, digits, `-` and `_` before a colon and a blank.
pub(super) fn key(line: &[u8]) -> Option<&[u8]> {
    let length = memchr(b':', line)?;
    let key = &line[..length];
    let first = *line.first()?;
    let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_key = first != b'-' && length <= 64 && key.iter().all(is_of_key);
    (is_key && length > 0 && line.get(length + 1) == Some(&b' ')).then_some(key)
}

/// Returns the span between quotes, if it has no escapes.
fn quoted(value: &[u8], quote: u8) -> Option<Range<usize>> {
    let inside = value.get(1..)?.strip_suffix(&[quote])?;
    let is_one = if inside.len() < SHORT {
        !inside.iter().any(|byte| *byte == quote || *byte == b'\\')
    } else {
        memchr2(quote, b'\\', inside).is_none()
    };
    is_one.then(|| 1..1 + inside.len())
}

/// Returns whether YAML reads an unquoted value as it is written.
fn is_plain(value: &[u8]) -> bool {
    let begins_plain = matches!(value[0], b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'(' | b'/');
    // A colon that ends a key, or a `#` that begins a comment. The first byte is neither.
    let is_other = |at: usize| match value[at] {
        b':' => value.get(at + 1).is_none_or(|byte| *byte == b' '),
        _ => value[at - 1] == b' ',
    };
    if value.len() < SHORT {
        return begins_plain
            && !(1..value.len()).any(|at| matches!(value[at], b':' | b'#') && is_other(at));
    }
    begins_plain && !memchr2_iter(b':', b'#', value).any(is_other)
}
