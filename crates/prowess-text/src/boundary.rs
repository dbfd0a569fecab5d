//! The secret in the tags around a body.

use std::fmt;

/// A secret that is random for each conversation and a part of the tags around each loaded body.
///
/// Text that was written before the conversation cannot contain it, so no body can end its wrapper
/// or imitate another one. The host creates it from random bytes (this crate has none) and passes
/// it to everything that wraps bodies.
///
/// The default is no secret at all: then only the filter of tags protects a wrapper. `Debug` shows
/// no secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Boundary(Box<str>);

impl Boundary {
    /// The maximum number of characters.
    const MAX_LENGTH: usize = 64;

    /// Creates a boundary from a text that cannot be guessed, such as 16 random hexadecimal digits.
    ///
    /// Only ASCII letters and digits are used, and the first 64 of them, so that the boundary can
    /// be a part of an XML name. Without any, the wrapper has no secret, and only the filter of
    /// tags protects it.
    pub fn new(secret: &str) -> Self {
        let mut usable = secret.to_owned();
        usable.retain(|character| character.is_ascii_alphanumeric());
        usable.truncate(Self::MAX_LENGTH);
        Self(usable.into())
    }

    /// Creates a boundary from random bytes, as hexadecimal digits.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::new(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    /// Returns the secret.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns a tag's name with the boundary: `skill_content-5f3a9c1e77b04d28`.
    pub fn tag(&self, name: &str) -> String {
        if self.0.is_empty() { name.to_owned() } else { format!("{name}-{}", self.0) }
    }
}

impl fmt::Debug for Boundary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Boundary(…)")
    }
}
