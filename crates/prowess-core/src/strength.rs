//! Whether a value looks like a password or a key in use.

use std::collections::BTreeSet;

/// Fewer different characters than this are a placeholder, such as `ghp_xxxxxxxx`.
pub(crate) const MIN_DIFFERENT: usize = 8;

/// The words before the credentials in the value of a header, which begin with a `b`.
pub(crate) const SCHEMES: [&str; 2] = ["bearer", "basic"];

/// The shortest word of which `_KEY` alone, or hexadecimal digits, say that it is a secret.
pub(crate) const LEAST_OF_KEY: usize = 32;

/// Parts of a value that a reader replaces by an own one, or that a document has made up.
const PLACEHOLDERS: [&str; 19] = [
    // `user:` in base64, the key of the description of `otpauth`, and the UUIDs of documents.
    "dxnlcjp", "jbswy3dp", "123e4567-e89b-12d3", "550e8400-e29b-41d4", "example", "your", "change",
    "placeholder", "xxx", "dummy", "redacted", "password", "***", "12345678", "abc123", "secret",
    "test", "demo", "...",
];

/// Returns whether a value is a password or a key of a person, not a placeholder, a variable or an
/// expression that has it.
pub(crate) fn is_strong(value: &str, is_quoted: bool) -> bool {
    let value = match value.split_once(' ') {
        Some((scheme, rest)) if is_scheme(scheme) => rest,
        _ => value,
    };
    let code = if is_quoted { "{}<> " } else { "(){}<>[]|\\ " };
    // No variable begins with a digit, and no path has one part of random letters.
    let rest = value.get(1..).unwrap_or_default();
    let is_sign = match value.chars().next() {
        Some('$') => !rest.starts_with(|c: char| c.is_ascii_digit()),
        Some('/') => rest.contains('/') || !is_random_word(rest),
        first => first.is_some_and(|first| "%.@#".contains(first)),
    };
    let is_expression = is_sign
        || value.contains("/$")
        || value.contains(|c: char| code.contains(c) || c.is_control());
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let has = |of: fn(&char) -> bool| value.chars().any(|c| of(&c));
    // Those between words say nothing about the words.
    let is_sign = |c: char| c.is_ascii_punctuation() && !"-_./:".contains(c);
    let kinds = usize::from(has(char::is_ascii_lowercase))
        + usize::from(has(char::is_ascii_uppercase))
        + usize::from(value.contains(is_sign))
        + usize::from(digits > 0);
    let is_long =
        (value.len() >= 20 && kinds >= 2 && digits >= 5) || (value.len() >= 10 && kinds >= 3);
    let is_random = || value.len() >= 12 && is_mixed(value.as_bytes()) && is_random_word(value);
    ((is_long && digits >= if is_quoted { 1 } else { 2 }) || is_random())
        && !is_expression
        && value.bytes().collect::<BTreeSet<_>>().len() >= MIN_DIFFERENT - 1
        && !is_placeholder(value)
}

/// Returns whether a word is no name of a program: its kinds of characters alternate, or it is a
/// long number in hexadecimal digits.
pub(crate) fn is_random_word(word: &str) -> bool {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changes = word.as_bytes().windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count();
    let is_number = word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    (is_number && word.len() >= LEAST_OF_KEY) || changes * 2 >= word.len()
}

/// Returns whether a value has many letters of both cases, as no name of a program has.
pub(crate) fn is_mixed(value: &[u8]) -> bool {
    let count = |is_it: fn(&&u8) -> bool| value.iter().filter(is_it).count();
    let [upper, lower] = [count(|it| it.is_ascii_uppercase()), count(|it| it.is_ascii_lowercase())];
    upper * 4 >= value.len() && lower * 4 >= value.len()
}

/// Returns whether a value says that the real one goes there.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|word| lower.contains(word))
}

/// Returns whether a word stands before the credentials in the value of a header.
pub(crate) fn is_scheme(name: &str) -> bool {
    SCHEMES.iter().any(|scheme| name.eq_ignore_ascii_case(scheme))
}
