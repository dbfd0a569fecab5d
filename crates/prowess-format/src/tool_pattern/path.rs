//! Patterns of paths.

use super::{PatternError, SKILL_DIRECTORY};

/// A pattern of a path that a file tool receives.
///
/// | pattern | covers |
/// |---|---|
/// | `docs/guide.md` | this path |
/// | `docs/*.md` | files of one directory: `*` is any text without a slash |
/// | `references/**` | everything below a directory, at any depth |
/// | `**/*.md` | files in any directory |
/// | `${CLAUDE_SKILL_DIR}/references/**` | files of the skill itself |
/// | `*` | any path, also one that cannot be compared; the same as no pattern |
///
/// A pattern may have the characters of a plain path, but not ``? [ ] { } ! ` $ ' "``, and at most
/// eight `*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathPattern<'p> {
    path: &'p str,
    /// Whether the path is relative to the directory of the skill.
    is_of_skill: bool,
}

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
        let own = pattern.strip_prefix(SKILL_DIRECTORY).and_then(|path| path.strip_prefix('/'));
        let path = own.unwrap_or(pattern);
        if path.contains('$') || path.starts_with('~') {
            return Err(PatternError::Variable);
        }
        if path.contains(['?', '[', ']', '{', '}', '!', '`', '\'', '"', ',']) {
            return Err(PatternError::Character);
        }
        // `:*` is of commands, and a blank behind `*` separates what would be two patterns.
        if path.ends_with(":*") || path.contains("* ") {
            return Err(PatternError::Path);
        }
        let is_bounded = path.matches('*').count() <= MAX_STARS && !path.contains("***");
        match plain_path(path)
            .filter(|path| is_bounded && !(own.is_some() && path.starts_with('/')))
        {
            Some(path) => Ok(Self { path, is_of_skill: own.is_some() }),
            None => Err(PatternError::Path),
        }
    }

    /// Returns the path with its `*`, relative to the directory of the skill or the working
    /// directory unless it is absolute.
    pub fn path(&self) -> &'p str {
        self.path
    }

    /// Returns whether the path is relative to the directory of the skill.
    pub fn is_of_skill(&self) -> bool {
        self.is_of_skill
    }
}

/// The longest path that is compared, in bytes.
const MAX_PATH_BYTES: usize = 4096;

/// Returns a path without a leading `./`; `None` if it may lead elsewhere than it reads.
pub fn plain_path(path: &str) -> Option<&str> {
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
