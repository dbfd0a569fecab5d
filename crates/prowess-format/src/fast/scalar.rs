//! Keys and values that end on their line.

use std::borrow::Cow;

use memchr::{memchr, memchr2_iter};

use crate::fields::Shape;

/// A longer key is left to the full parser.
const MOST_KEY_BYTES: usize = 128;

/// Whether a byte is a letter, a digit, `-` or `_`. A table, as it is asked of each byte of each
/// key.
const IS_OF_KEY: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        byte += 1;
    }
    table
};

/// The key of a `key: value` or `key:` line that begins with it.
pub(super) fn key(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    let length = bytes.iter().position(|byte| !IS_OF_KEY[usize::from(*byte)])?;
    let is_key = (1..=MOST_KEY_BYTES).contains(&length) && bytes[0] != b'-';
    let is_ended = bytes[length] == b':' && bytes.get(length + 1).is_none_or(|byte| *byte == b' ');
    (is_key && is_ended).then(|| &line[..length])
}

/// A plain or quoted value without blanks around it.
pub(super) fn scan(value: &str) -> Option<Shape<'_>> {
    let (text, is_plain) = match value.as_bytes().first()? {
        b'"' => (double_quoted(value)?, false),
        b'\'' => (single_quoted(value)?, false),
        _ => (Cow::Borrowed(plain(value)?), true),
    };
    Some(Shape::Text { text, is_plain })
}

/// A plain value that no rule of YAML cuts, joins or reads otherwise.
fn plain(value: &str) -> Option<&str> {
    let bytes = value.as_bytes();
    let begins_plain = match bytes[0] {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'(' | b'/' | b'.' | b'$' | b'~' => true,
        first => !first.is_ascii(),
    };
    // A colon that ends a key, or a `#` that begins a comment. The first byte is neither.
    let is_other = |at: usize| match bytes[at] {
        b':' => bytes.get(at + 1).is_none_or(|byte| *byte == b' '),
        _ => bytes[at - 1] == b' ',
    };
    let is_certain = begins_plain && !memchr2_iter(b':', b'#', bytes).any(is_other);
    is_certain.then_some(value)
}

/// Without escapes.
pub(super) fn double_quoted(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.get(1..)?.strip_suffix('"')?;
    let is_one = memchr::memchr2(b'"', b'\\', inner.as_bytes()).is_none();
    is_one.then_some(Cow::Borrowed(inner))
}

pub(super) fn single_quoted(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.get(1..)?.strip_suffix('\'')?;
    if memchr(b'\'', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    let unescaped = inner.replace("''", "\u{0}");
    // A quote that is left stands alone and ends the value early.
    let is_one = memchr(b'\'', unescaped.as_bytes()).is_none();
    is_one.then(|| Cow::Owned(unescaped.replace('\u{0}', "'")))
}
