//! The digest of a whole package, over all its files.

use std::borrow::Cow;

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
    files: Vec<PackageFile>,
}

#[derive(Clone, Debug)]
struct PackageFile {
    mode: FileMode,
    path: String,
    content: Digest,
}

impl PackageDigest {
    /// Adds a file by the digest of its content.
    pub fn add(&mut self, mode: FileMode, path: &str, content: Digest) {
        self.files.push(PackageFile { mode, path: path.to_owned(), content });
    }

    /// Returns whether a read of this path may return this content: that of the file or, behind a
    /// link, that of any file of the package.
    pub fn permits(&self, path: &str, content: &Digest) -> bool {
        let is_file = |file: &&PackageFile| file.mode != FileMode::Link;
        match self.files.iter().find(|file| file.path == path) {
            Some(file) if file.mode != FileMode::Link => file.content == *content,
            // The file is a link, or is below one.
            _ if self.has_link_to(path) => {
                self.files.iter().filter(is_file).any(|file| file.content == *content)
            }
            _ => false,
        }
    }

    fn has_link_to(&self, path: &str) -> bool {
        let links = self.files.iter().filter(|file| file.mode == FileMode::Link);
        links
            .map(|link| path.strip_prefix(link.path.as_str()))
            .any(|rest| rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }

    /// Returns the digest of the files that were added.
    pub fn finish(&self) -> Digest {
        let mut lines: Vec<_> = self.files.iter().map(PackageFile::line).collect();
        lines.sort_unstable();
        Digest::of(&lines.concat())
    }
}

impl PackageFile {
    fn line(&self) -> Vec<u8> {
        let Self { mode, path, content } = self;
        let needs_quotes = |c: char| c.is_control() || matches!(c, '"' | '\\');
        let path = if path.contains(needs_quotes) {
            Cow::Owned(serde_json::Value::from(path.as_str()).to_string())
        } else {
            Cow::Borrowed(path.as_str())
        };
        [mode.as_str().as_bytes(), b" ", path.as_bytes(), b" ", &content.digits(), b"\n"].concat()
    }
}
