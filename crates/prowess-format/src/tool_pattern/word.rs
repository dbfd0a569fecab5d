//! The words of a command pattern.

use super::{PatternError, SKILL_DIRECTORY, url};

/// A word of a command pattern, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternWord<'p>(pub(super) &'p str);

/// Takes the next word of a text. Blanks between quotes belong to it.
pub(super) fn next<'p>(text: &mut &'p str) -> Option<PatternWord<'p>> {
    *text = text.trim_start();
    let mut quote = None;
    let mut bytes = text.bytes().enumerate();
    let end = loop {
        let Some((at, byte)) = bytes.next() else { break text.len() };
        match (quote, byte) {
            (None, b' ' | b'\t' | b'\n') => break at,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'\\') => _ = bytes.next(),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    };
    let (word, rest) = text.split_at(end);
    *text = rest;
    (!word.is_empty()).then_some(PatternWord(word))
}

impl PatternWord<'_> {
    /// Returns whether the word stands for any words.
    pub fn is_gap(&self) -> bool {
        self.0 == "*"
    }

    /// Returns whether the word is in the directory of the skill.
    pub(super) fn names_directory(&self) -> bool {
        self.0.contains('$')
    }

    /// Returns the literal texts before, between and after the `*` of the word; `None` if the word
    /// is in the directory of the skill, and that is not known.
    pub fn texts(&self, directory: Option<&str>) -> Option<Vec<String>> {
        if self.is_plain() {
            return Some(vec![self.0.to_owned()]);
        }
        let mut texts = vec![String::new()];
        let is_read = self.read(|piece| {
            let last = texts.last_mut()?;
            match piece {
                Piece::Text(text) => last.push_str(text),
                Piece::Directory => last.push_str(directory?),
                Piece::Star => texts.push(String::new()),
            }
            Some(())
        });
        is_read.ok()?.then_some(texts)
    }

    /// Returns why the word is not one.
    pub(super) fn error(&self) -> Option<PatternError> {
        if self.is_plain() { None } else { self.read(|_| Some(())).err() }
    }

    /// Most words are.
    fn is_plain(&self) -> bool {
        self.0.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:".contains(&byte))
    }

    /// Returns whether the word covers one of a command. A `*` stands for a part of one word: it
    /// adds no `..`, and at the beginning no option.
    pub(super) fn covers(&self, word: &str, is_program: bool, directory: Option<&str>) -> bool {
        if !self.0.contains(['*', '\'', '"', '\\', '$']) {
            return self.0 == word;
        }
        let Some(texts) = self.texts(directory) else { return false };
        let begins_open = texts.len() > 1 && texts[0].is_empty();
        let has_star = texts.len() > 1;
        if has_star || self.names_directory() {
            let climbs = word.split('/').any(|part| part == "..");
            // `pod*` is no consent to `./pod/run`.
            let leaves = is_program && word.contains('/') && !self.0.contains('/');
            if climbs || leaves || (begins_open && word.starts_with('-')) {
                return false;
            }
        }
        url::is_like(&texts, word)
            && (!has_star || !self.0.contains("://") || url::has_host(&texts, word))
    }

    /// Takes the word apart. Returns whether each piece was accepted.
    fn read(&self, mut accept: impl FnMut(Piece<'_>) -> Option<()>) -> Result<bool, PatternError> {
        let mut rest = self.0;
        let mut quote = None;
        let mut is_first = true;
        while let Some(character) = rest.chars().next() {
            let (piece, after) = match character {
                '\'' | '"' if quote.is_none_or(|open| open == character) => {
                    quote = if quote.is_none() { Some(character) } else { None };
                    rest = &rest[1..];
                    continue;
                }
                '*' => (Piece::Star, &rest[1..]),
                '$' if quote != Some('\'') => (Piece::Directory, directory(rest, is_first)?),
                '\\' if quote.is_none() => {
                    let escaped = rest.get(1..2).ok_or(PatternError::Character)?;
                    (Piece::Text(escaped), &rest[2..])
                }
                _ => {
                    is_allowed(self.0, character, quote)?;
                    (Piece::Text(&rest[..1]), &rest[1..])
                }
            };
            if accept(piece).is_none() {
                return Ok(false);
            }
            rest = after;
            is_first = false;
        }
        if quote.is_some() { Err(PatternError::Character) } else { Ok(true) }
    }
}

/// A part of a word.
enum Piece<'p> {
    Text(&'p str),
    Star,
    Directory,
}

/// Returns what follows the variable of the skill's directory, with which a word begins. No other
/// directory has a name that begins like it.
fn directory(text: &str, is_first: bool) -> Result<&str, PatternError> {
    let rest =
        text.strip_prefix(SKILL_DIRECTORY).or_else(|| text.strip_prefix("$CLAUDE_SKILL_DIR"));
    let rest = rest.filter(|_| is_first).ok_or(PatternError::Variable)?;
    let path = rest.trim_start_matches(['"', '\'']);
    match path.is_empty() || path.starts_with('/') {
        true if path.split(['/', '"', '\'']).any(|part| part == "..") => Err(PatternError::Path),
        true => Ok(rest),
        false => Err(PatternError::Variable),
    }
}

/// Checks a character, which is literal.
fn is_allowed(word: &str, character: char, quote: Option<char>) -> Result<(), PatternError> {
    let is_plain = character.is_ascii_alphanumeric() || "_-./+@%,:=^!".contains(character);
    match (character, quote) {
        _ if is_plain || word == "[" || word == "{}" => Ok(()),
        ('`', Some('"')) | ('`' | '~', None) => Err(PatternError::Variable),
        ('\\', Some('"')) => Err(PatternError::Character),
        (' '..='~', Some(_)) => Ok(()),
        ('|' | '&' | ';' | '<' | '>' | '(' | ')', None) => Err(PatternError::Operator),
        _ => Err(PatternError::Character),
    }
}
