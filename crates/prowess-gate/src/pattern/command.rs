//! Patterns of shell commands.

use crate::PatternError;
use crate::behind::Run;

/// A pattern of a simple command: its first words, or all of them.
///
/// | pattern | covers |
/// |---|---|
/// | `git status` | the words `git status` and nothing else |
/// | `git:*`, `git *` | `git` alone or with any further words |
/// | `git add:*, git commit:*` | what either of the two covers |
/// | `*` | any command, also one that cannot be read; the same as no pattern |
///
/// A word may have ASCII letters, digits and `_ - . / + @ % , : = ^ !`, or be `[`; a word cannot
/// begin with `=`, and the first one cannot have a `:`. Case always matters, since programs differ
/// in it. Any other pattern covers nothing: `git*`, `*git`, `:*`, `git:status`, `git:* rm:*`, and
/// everything with quotes, brackets or `$`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandPattern<'p> {
    words: &'p str,
    is_prefix: bool,
}

impl<'p> CommandPattern<'p> {
    /// Reads the alternatives of a pattern.
    ///
    /// # Errors
    ///
    /// The reason why the pattern is not of the form above.
    pub fn parse(pattern: &'p str) -> Result<Vec<Self>, PatternError> {
        pattern.split(", ").map(|alternative| Self::alternative(alternative.trim())).collect()
    }

    /// Returns why [`Self::parse`] would fail.
    pub(crate) fn error(pattern: &'p str) -> Option<PatternError> {
        pattern.split(", ").find_map(|alternative| Self::alternative(alternative.trim()).err())
    }

    fn alternative(text: &'p str) -> Result<Self, PatternError> {
        let prefix = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"));
        let words = prefix.unwrap_or(text).trim_end();
        if words.is_empty() {
            return Err(PatternError::Empty);
        }
        if let Some(error) = words.split_whitespace().find_map(word_error) {
            return Err(error);
        }
        // No program has a colon in its name: `git:status` was meant to be `git status`.
        let is_program = !words.split_whitespace().next().is_some_and(|name| name.contains(':'));
        is_program
            .then_some(Self { words, is_prefix: prefix.is_some() })
            .ok_or(PatternError::Character)
    }

    /// Returns whether the pattern covers a simple command with these words.
    pub fn matches(&self, words: &[String]) -> bool {
        let mut expected = self.words.split_whitespace();
        let mut actual = words.iter();
        let begins = expected.by_ref().all(|word| actual.next().is_some_and(|next| next == word));
        begins && (self.is_prefix || actual.next().is_none())
    }

    /// Returns whether the pattern may cover a command of which not every word is known. A program
    /// is compared by the last component of its path.
    pub(crate) fn may_match(&self, run: &Run) -> bool {
        let mut length = 0;
        for expected in self.words.split_whitespace() {
            match run.may_be(length, expected) {
                Some(true) => length += 1,
                Some(false) => return false,
                None => return run.is_open,
            }
        }
        self.is_prefix || run.is_open || run.words.len() == length
    }
}

fn word_error(word: &str) -> Option<PatternError> {
    if word.contains('*') {
        return Some(PatternError::Wildcard);
    }
    let is_word = word == "[" || (word.chars().all(is_plain) && !word.starts_with('='));
    (!is_word).then_some(PatternError::Character)
}

fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_-./+@%,:=^!".contains(character)
}
