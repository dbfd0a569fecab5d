//! Lists on one line: `[Read, "Bash(git:*)"]`.

use std::borrow::Cow;

use super::scalar;

/// The items of a list that begins and ends on its line and holds texts only.
pub(super) fn scan(value: &str) -> Option<Vec<Option<Cow<'_, str>>>> {
    let mut rest = value.strip_prefix('[')?.strip_suffix(']')?.trim_matches(' ');
    let mut items = Vec::new();
    while !rest.is_empty() {
        let length = item_length(rest)?;
        items.push(Some(item(rest[..length].trim_end_matches(' '))?));
        rest = match rest[length..].strip_prefix(',') {
            // A comma that ends the list is left to the full parser.
            Some(after) => Some(after.trim_start_matches(' ')).filter(|after| !after.is_empty())?,
            None => "",
        };
    }
    Some(items)
}

/// Up to the next comma outside quotes.
fn item_length(text: &str) -> Option<usize> {
    let quote = text.as_bytes()[0];
    if quote != b'"' && quote != b'\'' {
        return Some(text.find(',').unwrap_or(text.len()));
    }
    let closing = 1 + text.get(1..)?.find(char::from(quote))?;
    let after = &text[closing + 1..];
    let blanks = after.len() - after.trim_start_matches(' ').len();
    let is_ended = blanks == after.len() || after[blanks..].starts_with(',');
    is_ended.then_some(closing + 1 + blanks)
}

fn item(text: &str) -> Option<Cow<'_, str>> {
    match text.as_bytes().first()? {
        b'"' => scalar::double_quoted(text),
        b'\'' => scalar::single_quoted(text),
        first if first.is_ascii_alphanumeric() => plain(text).map(Cow::Borrowed),
        _ => None,
    }
}

fn plain(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let is_certain = |(at, byte): (usize, &u8)| match byte {
        b'[' | b']' | b'{' | b'}' | b'#' | b'"' | b'\'' | b'?' | b'&' | b'!' | b'|' | b'>'
        | b'%' | b'@' | b'`' => false,
        b':' => bytes.get(at + 1).is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'*'),
        _ => true,
    };
    bytes.iter().enumerate().all(is_certain).then_some(text)
}
