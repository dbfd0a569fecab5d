//! Paths inside a source and inside a package, checked at their door.

use std::fmt;

use memchr::memchr3_iter;
use serde::{Deserialize, Deserializer, Serialize};

/// The longest path of a resource, in bytes.
const MAX_PATH_BYTES: usize = 1024;

/// Why a path is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// It would leave the package, or is not relative to it.
    #[error("`{0}` leaves the package; name a file relative to the skill's directory")]
    Escape(String),
    /// It names the package itself, or nothing.
    #[error("`{0}` is not a file of the package")]
    NotAFile(String),
    /// It has a NUL byte.
    #[error("a path must not hold a NUL character")]
    Nul,
    /// It is longer than 1024 bytes.
    #[error("a path must not be longer than {MAX_PATH_BYTES} bytes; this one has {0}")]
    TooLong(usize),
}

/// The normal form of a relative path: no `.`, no `..`, no doubled slash.
fn normalise(text: &str) -> Result<String, PathError> {
    if text.len() > MAX_PATH_BYTES {
        return Err(PathError::TooLong(text.len()));
    }
    if text.contains('\0') {
        return Err(PathError::Nul);
    }
    let escape = || PathError::Escape(text.to_owned());
    // A backslash or a drive means another system's rules; they are never guessed at.
    if text.starts_with('/') || text.contains('\\') || has_drive(text) {
        return Err(escape());
    }
    let mut parts = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop().ok_or_else(escape)?),
            _ => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// Whether another system would take the text's beginning for the letter of a drive.
fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// A file inside a package: relative, `/` between its parts, never out of the package.
///
/// A `..` that stays inside is resolved by its text: `references/../SKILL.md` is `SKILL.md`. No URL
/// decoding and no Unicode normalisation is done: the bytes are the name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct ResourcePath(Box<str>);

impl ResourcePath {
    /// Checks and normalises a path.
    ///
    /// # Errors
    ///
    /// The path leaves the package, names no file, holds a NUL or is too long.
    pub fn new(text: &str) -> Result<Self, PathError> {
        let normal = normalise(text)?;
        if normal.is_empty() {
            return Err(PathError::NotAFile(text.to_owned()));
        }
        Ok(Self(normal.into()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A package inside a source: the path of its directory from the source's root, empty for a source
/// that is one package.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct PackagePath(Box<str>);

impl PackagePath {
    /// Checks and normalises a path.
    ///
    /// # Errors
    ///
    /// The path leaves the source, holds a NUL or is too long.
    pub fn new(text: &str) -> Result<Self, PathError> {
        Ok(Self(normalise(text)?.into()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A path that a record keeps, which was checked when it came in.
    pub(crate) fn from_normal(text: &str) -> Self {
        debug_assert!(Self::is_normal(text), "the registry checks the paths of a scan");
        Self(text.into())
    }

    /// Whether a text is a package's path in normal form, as a scan must report it.
    pub fn is_normal(text: &str) -> bool {
        // A scan asks this of each directory, so it looks at bytes: none of these is part of another
        // character.
        let bytes = text.as_bytes();
        let is_part = |part: &[u8]| !matches!(part, b"" | b"." | b"..");
        let mut start = 0;
        for at in memchr3_iter(b'\0', b'\\', b'/', bytes) {
            if bytes[at] != b'/' || !is_part(&bytes[start..at]) {
                return false;
            }
            start = at + 1;
        }
        bytes.is_empty()
            || (bytes.len() <= MAX_PATH_BYTES && !has_drive(text) && is_part(&bytes[start..]))
    }

    /// The name of the package's directory; empty for a source that is one package.
    pub fn directory(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }
}

macro_rules! path_traits {
    ($($path:ty),+) => {$(
        impl fmt::Display for $path {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $path {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::new(&text).map_err(serde::de::Error::custom)
            }
        }
    )+};
}

path_traits!(ResourcePath, PackagePath);
