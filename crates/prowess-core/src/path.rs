//! Paths inside a source and inside a package, checked when they are created.

use std::fmt;

use memchr::memchr3_iter;
use serde::{Deserialize, Deserializer, Serialize};

const MAX_PATH_BYTES: usize = 1024;

/// The reason why a path is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The path would leave the package, or is absolute.
    #[error("`{0}` leaves the package; name a file relative to the skill's directory")]
    Escape(String),
    /// The path names the package itself, or nothing.
    #[error("`{0}` is not a file of the package")]
    NotAFile(String),
    /// The path contains a NUL byte.
    #[error("a path must not hold a NUL character")]
    Nul,
    /// The path is longer than 1024 bytes.
    #[error("a path must not be longer than {MAX_PATH_BYTES} bytes; this one has {0}")]
    TooLong(usize),
}

/// Returns the normal form of a relative path: without `.`, `..` and repeated slashes.
fn normalise(text: &str) -> Result<String, PathError> {
    if text.len() > MAX_PATH_BYTES {
        return Err(PathError::TooLong(text.len()));
    }
    if text.contains('\0') {
        return Err(PathError::Nul);
    }
    let escape = || PathError::Escape(text.to_owned());
    // A backslash or a drive letter belongs to another operating system's rules, which are not
    // interpreted here.
    if text.starts_with('/') || text.contains('\\') {
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
    let normal = parts.join("/");
    // `./c:x` has no drive letter before it is normalised, and has one after.
    if has_drive(text) || has_drive(&normal) { Err(escape()) } else { Ok(normal) }
}

/// Returns whether the text starts with a drive letter, as on Windows.
fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// The path of a file inside a package: relative, separated by `/`, and never outside of the
/// package.
///
/// A `..` that stays inside is resolved lexically: `references/../SKILL.md` is `SKILL.md`. Nothing
/// is URL-decoded and no Unicode normalisation is applied.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct ResourcePath(Box<str>);

impl ResourcePath {
    /// Checks and normalises a path.
    ///
    /// # Errors
    ///
    /// Returns an error if the path leaves the package, names no file, contains a NUL or is too
    /// long.
    pub fn new(text: &str) -> Result<Self, PathError> {
        let normal = normalise(text)?;
        if normal.is_empty() {
            return Err(PathError::NotAFile(text.to_owned()));
        }
        Ok(Self(normal.into()))
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The path of a package inside a source: its directory, relative to the source's root. Empty for a
/// source that is one package.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct PackagePath(Box<str>);

impl PackagePath {
    /// Checks and normalises a path.
    ///
    /// # Errors
    ///
    /// Returns an error if the path leaves the source, contains a NUL or is too long.
    pub fn new(text: &str) -> Result<Self, PathError> {
        Ok(Self(normalise(text)?.into()))
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Creates the path of a record, which was checked when the record was built.
    pub(crate) fn from_normal(text: &str) -> Self {
        debug_assert!(Self::is_normal(text), "the registry checks the paths of a scan");
        Self(text.into())
    }

    /// Returns whether a text is a package's path in normal form, as a scan must report it.
    pub fn is_normal(text: &str) -> bool {
        // Called for each directory of a scan, so it searches bytes: none of these is part of
        // another character.
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

    /// Returns the name of the package's directory; empty for a source that is one package.
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
