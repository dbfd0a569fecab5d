//! Words of a text.

use std::borrow::Cow;

/// The words of a text in lower case: runs of letters and digits.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let is_lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).map(
        move |word| match word.bytes().all(is_lower) {
            true => Cow::Borrowed(word),
            false => Cow::Owned(word.to_lowercase()),
        },
    )
}
