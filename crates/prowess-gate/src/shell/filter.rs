//! The characters of a command.

use std::iter::Peekable;
use std::str::Chars;

use prowess_text::is_invisible;

use super::{MAX_COMMAND_BYTES, MAX_SIMPLE_COMMANDS, Unreadable, UnreadableKind};

use UnreadableKind::{
    Assignment, Background, Braces, Compound, Control, Empty, Expansion, FileNames, Invisible,
    Redirection, Syntax, Tilde, TooLong, TooManyCommands, Unclosed,
};

/// The words that begin or continue a compound command if a simple command begins with them.
pub(super) const RESERVED: [&str; 22] = [
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while", "{", "}",
];

/// Returns the number of words of a command, or the first character that is not literal.
pub(super) fn check(command: &str) -> Result<usize, Unreadable> {
    if command.len() > MAX_COMMAND_BYTES {
        return Err(Unreadable::of(TooLong));
    }
    if command.trim().is_empty() {
        return Err(Unreadable::of(Empty));
    }
    // `bash -c` takes such a command for an option.
    if command.starts_with(['-', '+']) {
        return Err(Unreadable::of(Syntax));
    }
    let mut filter = Filter::new(command);
    match filter.run() {
        Ok(()) => Ok(filter.words),
        Err(kind) => Err(Unreadable { kind, character: Some(filter.read) }),
    }
}

struct Filter<'c> {
    characters: Peekable<Chars<'c>>,
    /// The number of characters that were read.
    read: usize,
    words: usize,
    commands: usize,
    /// The current word as it is written; empty between words.
    word: String,
    is_first: bool,
}

impl<'c> Filter<'c> {
    fn new(command: &'c str) -> Self {
        Self {
            characters: command.chars().peekable(),
            read: 0,
            words: 0,
            commands: 0,
            word: String::new(),
            is_first: true,
        }
    }

    fn run(&mut self) -> Result<(), UnreadableKind> {
        while let Some(character) = self.next()? {
            match character {
                ' ' => self.end_word()?,
                ';' | '\n' | '|' | '&' => self.separator(character)?,
                '\'' => self.single_quoted()?,
                '"' => self.double_quoted()?,
                '\\' => self.escaped()?,
                '#' if self.word.is_empty() => self.comment()?,
                '{' => self.braces()?,
                _ => self.plain(character)?,
            }
        }
        self.end_word()
    }

    /// Takes a character that is visible, or a line feed.
    fn next(&mut self) -> Result<Option<char>, UnreadableKind> {
        let Some(character) = self.characters.next() else { return Ok(None) };
        self.read += 1;
        match character {
            '\n' | ' '..='~' => Ok(Some(character)),
            _ if character.is_control() => Err(Control),
            _ if is_invisible(character) || character.is_whitespace() => Err(Invisible),
            _ => Ok(Some(character)),
        }
    }

    fn next_in_quotes(&mut self) -> Result<char, UnreadableKind> {
        self.next()?.ok_or(Unclosed)
    }

    fn end_word(&mut self) -> Result<(), UnreadableKind> {
        if self.word.is_empty() {
            return Ok(());
        }
        if self.is_first && RESERVED.contains(&self.word.as_str()) {
            return Err(Compound);
        }
        if self.is_first && self.word.contains('=') {
            return Err(Assignment);
        }
        if self.word.contains('[') && self.word != "[" {
            return Err(FileNames);
        }
        self.words += 1;
        self.commands += usize::from(self.is_first);
        self.is_first = false;
        self.word.clear();
        if self.commands > MAX_SIMPLE_COMMANDS { Err(TooManyCommands) } else { Ok(()) }
    }

    fn separator(&mut self, character: char) -> Result<(), UnreadableKind> {
        self.end_word()?;
        let next = self.characters.peek().copied();
        match (character, next) {
            ('&', Some('&')) | ('|', Some('|')) => _ = self.next()?,
            ('&', _) | ('|', Some('&')) => return Err(Background),
            (';', Some(';' | '&')) => return Err(Syntax),
            _ => {}
        }
        self.is_first = true;
        Ok(())
    }

    fn single_quoted(&mut self) -> Result<(), UnreadableKind> {
        self.word.push('\'');
        while self.next_in_quotes()? != '\'' {}
        Ok(())
    }

    fn double_quoted(&mut self) -> Result<(), UnreadableKind> {
        self.word.push('"');
        loop {
            match self.next_in_quotes()? {
                '"' => return Ok(()),
                '$' | '`' => return Err(Expansion),
                '\\' => _ = self.next_in_quotes()?,
                _ => {}
            }
        }
    }

    /// A line feed after `\` continues the line, any other character is literal.
    fn escaped(&mut self) -> Result<(), UnreadableKind> {
        if self.next_in_quotes()? != '\n' {
            self.word.push('\\');
        }
        Ok(())
    }

    /// A comment ends before the line feed, which is a separator.
    fn comment(&mut self) -> Result<(), UnreadableKind> {
        while self.characters.peek().is_some_and(|next| *next != '\n') {
            self.next()?;
        }
        Ok(())
    }

    /// Accepts `{}` and `{name}`, which no shell expands.
    fn braces(&mut self) -> Result<(), UnreadableKind> {
        self.word.push('{');
        while let Some(next) = self.next()? {
            match next {
                '}' => {
                    self.word.push('}');
                    return Ok(());
                }
                'a'..='z' | 'A'..='Z' | '0'..='9' => self.word.push(next),
                _ => break,
            }
        }
        Err(Braces)
    }

    fn plain(&mut self, character: char) -> Result<(), UnreadableKind> {
        let is_expanded = self.word.is_empty() || self.word.ends_with(['=', ':']);
        match character {
            '$' | '`' => return Err(Expansion),
            '<' | '>' => return Err(Redirection),
            '*' | '?' => return Err(FileNames),
            '(' | ')' | '}' => return Err(Compound),
            '~' if is_expanded => return Err(Tilde),
            _ => self.word.push(character),
        }
        Ok(())
    }
}
