//! Patterns of shell commands.

use super::word::{self, PatternWord};
use super::{PatternError, Prose, is_evaluating_builtin, url};

/// A pattern of a simple command.
///
/// | pattern | covers |
/// |---|---|
/// | `git status` | the words `git status` and nothing else |
/// | `git:*`, `git *` | `git` alone or with any further words |
/// | `npm run test*` | a word that begins with `test`, and any further words |
/// | `git *:*` | `git` with one or more words |
/// | `git * main` | one or more words between others |
/// | `python3 */report.py` | a part of one word, without `..`, and no option |
/// | `curl https://h/*` | URLs of this host, and no other word that may name one, send or write |
/// | `git commit -m "a b"` | quotes and `\` as the shell reads them |
/// | `${CLAUDE_SKILL_DIR}/scripts/*` | the scripts of the skill itself |
/// | `git add:*, git commit:*` | what either of the two covers |
/// | `*` | any command, also one that cannot be read; the same as no pattern |
///
/// `*` never stands for an operator, a line feed, a substitution or a redirection: a pattern is
/// compared with the words of one simple command. This is nowhere wider than the documentation of
/// Claude Code, where `*` stands for any text.
///
/// Outside of quotes, a word may have ASCII letters, digits and `_ - . / + @ % , : = ^ !`, or be
/// `[` or `{}`; the first one cannot have a `:`. Case always matters, since programs differ in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandPattern<'p> {
    words: &'p str,
    is_prefix: bool,
}

/// The most `*` in a pattern.
const MAX_STARS: usize = 8;

impl<'p> CommandPattern<'p> {
    /// Reads the alternatives of a pattern.
    ///
    /// # Errors
    ///
    /// The reason why the pattern is not of the form above.
    pub fn parse(pattern: &'p str) -> Result<Vec<Self>, PatternError> {
        if !pattern.contains(',') {
            return Ok(vec![Self::alternative(pattern.trim())?]);
        }
        if !pattern.contains(['"', '\'', '\\']) {
            return pattern.split(", ").map(|text| Self::alternative(text.trim())).collect();
        }
        // A comma at the end of a word separates alternatives, but not one between quotes.
        let (mut rest, mut start) = (pattern, 0);
        let mut alternatives = Vec::new();
        while let Some(PatternWord(word)) = word::next(&mut rest) {
            let end = pattern.len() - rest.len();
            if word.ends_with(',') && !rest.trim().is_empty() {
                alternatives.push(Self::alternative(pattern[start..end - 1].trim())?);
                start = end;
            }
        }
        alternatives.push(Self::alternative(pattern[start..].trim())?);
        Ok(alternatives)
    }

    fn alternative(text: &'p str) -> Result<Self, PatternError> {
        let prefix = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"));
        let words = prefix.unwrap_or(text).trim_end();
        if words.is_empty() {
            return Err(PatternError::Empty);
        }
        let is_glued = words.ends_with('*') && !words.ends_with("\\*");
        let pattern = Self { words, is_prefix: prefix.is_some() || is_glued };
        for (at, word) in pattern.words().enumerate() {
            if let Some(error) = word.error() {
                return Err(error);
            }
            if word.0.trim_end_matches('*').ends_with(':') && word.0.ends_with('*') {
                return Err(PatternError::Wildcard);
            }
            // No program has a colon in its name: `git:status` was meant to be `git status`.
            if at == 0 && (word.0.contains(':') || word.0.starts_with('=')) {
                return Err(PatternError::Program);
            }
        }
        let is_bounded = words.bytes().filter(|byte| *byte == b'*').count() <= MAX_STARS;
        is_bounded.then_some(pattern).ok_or(PatternError::Wildcard)
    }

    /// Returns why the pattern, which is of a form that is read, covers nothing: its first word is
    /// not a program, or a builtin that the shell does not run as it is written.
    pub fn problem(&self) -> Option<PatternError> {
        let first = self.words().next()?;
        let is_program = match first.texts(Some(""))?.as_slice() {
            [first, second, ..] if first.is_empty() => second.starts_with('/'),
            _ => first.0 == "[" || first.0.contains(|c: char| c == '/' || c.is_alphanumeric()),
        };
        // `ls,cat`, `^git` and `not rm` are no programs either.
        let has_other = first.0.contains([' ', '=', ','])
            || first.0.starts_with(['^', '!', '-', '+', '%'])
            || Prose::of(first.0).is_some_and(|prose| prose != Prose::Value);
        if !is_program || has_other {
            return Some(PatternError::Program);
        }
        is_evaluating_builtin(first.0).then_some(PatternError::Builtin)
    }

    /// Returns the words, without `:*` and ` *` at the end.
    pub fn words(&self) -> impl Iterator<Item = PatternWord<'p>> + Clone {
        let mut rest = self.words;
        std::iter::from_fn(move || word::next(&mut rest))
    }

    /// Returns whether any words may follow.
    pub fn is_prefix(&self) -> bool {
        self.is_prefix
    }

    /// Returns whether a word is in the directory of the skill.
    pub fn names_directory(&self) -> bool {
        self.words.contains('$')
    }

    /// Returns whether the pattern covers a simple command with these words. The directory is that
    /// of the skill whose rule it is; without it, no word is in it.
    ///
    /// A word in that directory may still be a link out of it.
    pub fn matches(&self, words: &[String], directory: Option<&str>) -> bool {
        let mut actual = words.iter();
        for (at, expected) in self.words().enumerate() {
            if expected.is_gap() {
                return at > 0 && self.has_parts(words, directory);
            }
            let is_covered = |word: &String| expected.covers(word, at == 0, directory);
            if !actual.next().is_some_and(is_covered) {
                return false;
            }
        }
        // A `*` in front of a program's name stands for nothing.
        let is_open = self.words.starts_with(['*', '"', '\'']) && self.problem().is_some();
        let is_end = actual.as_slice().is_empty();
        (is_end || (self.is_prefix && self.keeps_host(words, actual, directory))) && !is_open
    }

    /// Returns whether further words of a command name no host that the pattern does not, if it
    /// names one.
    fn keeps_host<'w>(
        &self,
        words: &[String],
        mut further: impl Iterator<Item = &'w String>,
        directory: Option<&str>,
    ) -> bool {
        let urls: Vec<_> = self.words().filter(|word| word.0.contains("://")).collect();
        let program = words.first().map_or("", |word| word.rsplit('/').next().unwrap_or_default());
        urls.is_empty()
            || further.all(|word| {
                urls.iter().any(|url| url.covers(word, false, directory))
                    || url::is_harmless(program, word)
            })
    }

    /// Returns whether a command has the words before, between and after those that ` * ` stands
    /// for.
    fn has_parts(&self, words: &[String], directory: Option<&str>) -> bool {
        let pattern: Vec<_> = self.words().collect();
        let begins = |part: &[PatternWord<'_>], words: &[String], is_start| {
            let mut pairs = part.iter().zip(words).enumerate();
            part.len() <= words.len()
                && pairs.all(|(at, (part, word))| part.covers(word, is_start && at == 0, directory))
        };
        let mut parts = pattern.split(PatternWord::is_gap).peekable();
        let mut rest = words;
        let mut least = 0;
        while let Some(part) = parts.next() {
            let Some(last) = rest.len().checked_sub(part.len()) else { return false };
            let is_end = parts.peek().is_none() && !self.is_prefix;
            let mut starts = match least {
                0 => 0..1,
                _ if is_end => last.max(1)..last + 1,
                _ => 1..last + 1,
            };
            let found = starts.find(|start| begins(part, &rest[*start..], least == 0));
            let Some(start) = found else { return false };
            let gap = rest[..start].iter();
            if !self.keeps_host(words, gap, directory) {
                return false;
            }
            rest = &rest[start + part.len()..];
            least = 1;
        }
        rest.is_empty() || self.keeps_host(words, rest.iter(), directory)
    }
}
