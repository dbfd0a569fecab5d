//! Texts of the other side, checked before they are used.
//!
//! The types say that a text is UTF-8, and only the side that made it keeps that promise. A `str`
//! with other bytes is undefined behaviour, so neither side dereferences a text that it did not
//! make: it takes the bytes and checks them here.

use std::borrow::Cow;
use std::string::FromUtf8Error;

use abi_stable::std_types::{RStr, RString};

/// Returns the text as a `str`.
///
/// # Errors
///
/// Its bytes are not UTF-8.
pub fn checked(text: RStr<'_>) -> Result<&str, std::str::Utf8Error> {
    std::str::from_utf8(text.as_rslice().as_slice())
}

/// Returns an owned text as a `String`.
///
/// # Errors
///
/// Its bytes are not UTF-8.
pub fn checked_string(text: RString) -> Result<String, FromUtf8Error> {
    String::from_utf8(text.into_bytes().into_vec())
}

/// Returns the text with U+FFFD in place of what is not UTF-8, cut after `most` bytes.
pub fn lossy(text: RStr<'_>, most: usize) -> Cow<'_, str> {
    let bytes = text.as_rslice().as_slice();
    match String::from_utf8_lossy(&bytes[..bytes.len().min(most)]) {
        // A character that the cut went through is left out instead of replaced.
        Cow::Borrowed(whole) => Cow::Borrowed(whole),
        Cow::Owned(text) if bytes.len() > most => {
            let kept = text.trim_end_matches(char::REPLACEMENT_CHARACTER).len();
            Cow::Owned(text[..kept].to_owned())
        }
        replaced => replaced,
    }
}
