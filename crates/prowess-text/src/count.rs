//! Numbers with their nouns.

use std::borrow::Cow;
use std::fmt::Display;

/// Returns a number with its noun: `1 directory`, `2 directories`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let noun = if number == N::from(1) { Cow::Borrowed(noun) } else { Cow::Owned(plural(noun)) };
    format!("{number} {noun}")
}

/// Returns the plural of an English noun that takes `s`, `es` or `ies`.
pub fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}
