//! The version that a summary keeps.

use std::borrow::Cow;

/// The longest `metadata.version` that is kept.
const MAX_VERSION_BYTES: usize = 64;

/// Returns the version without blanks around it; `None` if it is empty or too long.
pub(crate) fn version(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    Some(trimmed(text)).filter(|version| (1..=MAX_VERSION_BYTES).contains(&version.len()))
}

/// Removes blanks around a text, without a copy if it is borrowed.
pub(crate) fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) if text.trim().len() == text.len() => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}
