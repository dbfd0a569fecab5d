//! The digest of a whole package, over all its files.

use std::fmt::Write as _;

use crate::Digest;

/// The mode of a file in a package's digest, as git distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileMode {
    /// A regular file.
    Regular,
    /// A regular file that someone may execute.
    Executable,
    /// A symbolic link, whose content is the path that it leads to.
    Link,
}

impl FileMode {
    fn as_str(self) -> &'static str {
        match self {
            Self::Regular => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
        }
    }
}

/// Computes the digest of a package from its files, in any order.
///
/// The digest is the SHA-256 of one line for each file, the lines sorted by their bytes:
/// `mode path sha256`, ended by a line feed. The mode is `100644`, `100755` or `120000`, and the
/// last word is the SHA-256 of the content in hexadecimal. A path with a control character, a quote
/// or a backslash is written as a JSON string, so that no two packages have the same lines.
///
/// ```
/// use prowess_core::{Digest, FileMode, PackageDigest};
///
/// let mut package = PackageDigest::default();
/// package.add(FileMode::Regular, "SKILL.md", Digest::of(b"---\nname: pdf\n---\n"));
/// package.add(FileMode::Executable, "scripts/fill.sh", Digest::of(b"#!/bin/sh\n"));
/// assert_eq!(
///     package.finish().to_string(),
///     "sha256:6c12ff6d5a331f941ce0c141255d53901c2201793889a5566ef97d48ad5ce5c2"
/// );
/// ```
#[derive(Clone, Debug, Default)]
pub struct PackageDigest {
    lines: Vec<String>,
}

impl PackageDigest {
    /// Adds a file by the digest of its content.
    pub fn add(&mut self, mode: FileMode, path: &str, content: Digest) {
        let content = content.to_string();
        let hex = content.trim_start_matches("sha256:");
        let mut line = String::with_capacity(path.len() + 80);
        let needs_quotes = |c: char| c.is_control() || matches!(c, '"' | '\\');
        let _ = if path.contains(needs_quotes) {
            writeln!(line, "{} {} {hex}", mode.as_str(), serde_json::Value::from(path))
        } else {
            writeln!(line, "{} {path} {hex}", mode.as_str())
        };
        self.lines.push(line);
    }

    /// Returns the digest of the files that were added.
    pub fn finish(mut self) -> Digest {
        self.lines.sort_unstable();
        Digest::of(self.lines.concat().as_bytes())
    }
}
