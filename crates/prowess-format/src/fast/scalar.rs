//! Keys and values that end on their line.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

use crate::fields::Shape;

/// A longer key is left to the full parser.
const MOST_KEY_BYTES: usize = 128;

/// The key of a `key: value` or `key:` line that begins with it.
pub(super) fn key(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    let length = bytes.iter().position(|byte| *byte == b':')?;
    let is_first = bytes[0].is_ascii_alphanumeric() || bytes[0] == b'_';
    let is_key = is_first
        && length <= MOST_KEY_BYTES
        && bytes[..length]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let is_ended = bytes.get(length + 1).is_none_or(|byte| *byte == b' ');
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
    let ends_key = |at: usize| bytes.get(at + 1).is_none_or(|byte| *byte == b' ');
    let begins_comment = |at: usize| bytes[at - 1] == b' ';
    let is_certain = begins_plain
        && !memchr_iter(b':', bytes).any(ends_key)
        && !memchr_iter(b'#', bytes).any(begins_comment);
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
