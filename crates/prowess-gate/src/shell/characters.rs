//! The characters of a command that are not yet read.

use prowess_text::is_invisible;

use super::UnreadableKind::{self, Control, Invisible, Unclosed};
use super::set::Set;

pub(super) struct Characters<'c> {
    command: &'c str,
    rest: &'c str,
}

impl<'c> Characters<'c> {
    pub(super) const fn of(command: &'c str) -> Self {
        Self { command, rest: command }
    }

    /// Returns the number of characters that were read.
    pub(super) fn position(&self) -> usize {
        self.command[..self.command.len() - self.rest.len()].chars().count()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.rest.as_bytes().first().copied()
    }

    /// Skips these characters if they are next. Returns whether they were.
    pub(super) fn skip(&mut self, next: &str) -> bool {
        let rest = self.rest.strip_prefix(next);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Skips a blank or a tab.
    pub(super) fn skip_blank(&mut self) {
        self.rest = self.rest.strip_prefix([' ', '\t']).unwrap_or(self.rest);
    }

    /// Skips a redirection that changes nothing but where output is lost or joined, if one is next:
    /// from and to `/dev/null`, and between the outputs of the command.
    pub(super) fn skip_redirection(&mut self) -> bool {
        let rest = redirection(self.rest).filter(|rest| ends_word(rest));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Skips `&> /dev/null` at the end of a command. A shell without it runs the same command, in
    /// the background.
    pub(super) fn skip_both_outputs(&mut self) -> bool {
        let rest = self.rest.strip_prefix("&>").map(|rest| rest.strip_prefix('>').unwrap_or(rest));
        let rest = rest.and_then(|rest| without_blanks(rest).strip_prefix("/dev/null"));
        let is_end = |rest: &&str| {
            let next = without_blanks(rest);
            ends_word(rest) && (next.is_empty() || next.starts_with([';', '\n', '|', '&']))
        };
        let rest = rest.filter(is_end);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes the next characters as long as they are in a set.
    pub(super) fn run(&mut self, set: &Set) -> &'c str {
        let end = self.rest.bytes().position(|byte| !set.contains(byte));
        let (run, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        run
    }

    /// Takes a character that is visible, or a line feed.
    pub(super) fn next(&mut self) -> Result<Option<char>, UnreadableKind> {
        let mut characters = self.rest.chars();
        let Some(character) = characters.next() else { return Ok(None) };
        self.rest = characters.as_str();
        match character {
            '\n' | ' '..='~' => Ok(Some(character)),
            _ if character.is_control() => Err(Control),
            _ if is_invisible(character) || character.is_whitespace() => Err(Invisible),
            _ => Ok(Some(character)),
        }
    }

    /// Takes a character of a word that does not end here.
    pub(super) fn next_in_word(&mut self) -> Result<char, UnreadableKind> {
        self.next()?.ok_or(Unclosed)
    }
}

/// Returns what follows a harmless redirection.
fn redirection(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('0').unwrap_or(text).strip_prefix('<') {
        return without_blanks(rest).strip_prefix("/dev/null");
    }
    let rest = text.strip_prefix(['1', '2']).unwrap_or(text).strip_prefix('>')?;
    if let Some(joined) = rest.strip_prefix('&') {
        // Only without a number does `bash` take a file, and other shells nothing.
        let both = text.starts_with('>').then(|| without_blanks(joined).strip_prefix("/dev/null"));
        return joined.strip_prefix(['1', '2']).or(both.flatten());
    }
    let file = rest.strip_prefix(['>', '|']).unwrap_or(rest);
    without_blanks(file).strip_prefix("/dev/null")
}

fn without_blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

fn ends_word(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([' ', '\t', ';', '\n', '|', '&'])
}
