//! Patterns of paths.

use crate::PatternError;

/// A pattern of a path that a file tool receives.
///
/// | pattern | covers |
/// |---|---|
/// | `docs/guide.md` | this path |
/// | `docs/*.md` | files of one directory: `*` is any text without a slash |
/// | `references/**` | everything below a directory, at any depth |
/// | `**/*.md` | files in any directory |
/// | `*` | any path, also one that cannot be compared; the same as no pattern |
///
/// A path is compared as it is written, after a leading `./` is removed: a relative path with a
/// relative pattern and an absolute path with an absolute one. What a relative path is relative to
/// is up to the tool. A path with `..`, `.`, `//`, `\`, a leading `~`, a control or an invisible
/// character is covered by no pattern. A pattern may have the characters of such a path, but not
/// ``? [ ] { } ! ` $ ' "``, and at most eight `*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathPattern<'p>(&'p str);

/// The most `*` in a pattern, so that matching takes no time.
const MAX_STARS: usize = 8;

impl<'p> PathPattern<'p> {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// The reason why the pattern is not of the form above.
    pub fn parse(pattern: &'p str) -> Result<Self, PatternError> {
        let pattern = pattern.trim();
        if pattern.is_empty() {
            return Err(PatternError::Empty);
        }
        if pattern.contains(['?', '[', ']', '{', '}', '!', '`', '$', '\'', '"', ',']) {
            return Err(PatternError::Character);
        }
        let stars = pattern.matches('*').count();
        match plain_path(pattern).filter(|path| stars <= MAX_STARS && !path.contains("***")) {
            Some(path) => Ok(Self(path)),
            None => Err(PatternError::Path),
        }
    }

    /// Returns whether the pattern covers a path.
    pub fn matches(&self, path: &str) -> bool {
        plain_path(path).is_some_and(|path| {
            path.starts_with('/') == self.0.starts_with('/') && fast_glob::glob_match(self.0, path)
        })
    }
}

/// The longest path that is compared, in bytes.
const MAX_PATH_BYTES: usize = 4096;

/// Returns a path without a leading `./`; `None` if it may lead elsewhere than it reads.
pub(crate) fn plain_path(path: &str) -> Option<&str> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let relative = path.strip_prefix('/').unwrap_or(path);
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    let is_plain = path.len() <= MAX_PATH_BYTES
        && !path.starts_with('~')
        && !path.contains(['\\', '\n', '\t'])
        && !prowess_text::has_invisible(path)
        && relative.split('/').all(is_part);
    is_plain.then_some(path)
}
