//! Validates strings of the other side before they are used.
//!
//! The types promise UTF-8, but only the side that created a string can guarantee it, and a `str`
//! with other bytes is undefined behaviour. So a string of the other side is read as bytes and
//! validated here.

use std::borrow::Cow;
use std::string::FromUtf8Error;

use abi_stable::std_types::{RStr, RString};

/// Validates a borrowed string.
///
/// # Errors
///
/// Returns an error if the bytes are not UTF-8.
pub fn checked(text: RStr<'_>) -> Result<&str, std::str::Utf8Error> {
    std::str::from_utf8(text.as_rslice().as_slice())
}

/// Validates an owned string.
///
/// # Errors
///
/// Returns an error if the bytes are not UTF-8.
pub fn checked_string(text: RString) -> Result<String, FromUtf8Error> {
    String::from_utf8(text.into_bytes().into_vec())
}

/// Truncates a string to `most` bytes, and replaces invalid UTF-8 by U+FFFD.
pub fn lossy(text: RStr<'_>, most: usize) -> Cow<'_, str> {
    let bytes = text.as_rslice().as_slice();
    match String::from_utf8_lossy(&bytes[..bytes.len().min(most)]) {
        // An incomplete last character is dropped instead of replaced.
        Cow::Borrowed(whole) => Cow::Borrowed(whole),
        Cow::Owned(text) if bytes.len() > most => {
            let kept = text.trim_end_matches(char::REPLACEMENT_CHARACTER).len();
            Cow::Owned(text[..kept].to_owned())
        }
        replaced => replaced,
    }
}
