//! Reads a command once, from its first character to its last, without recursion.
//!
//! A character either has one meaning in every shell, or ends the reading.

use super::UnreadableKind::{
    self, Background, Empty, Redirection, Syntax, TooLong, TooManyCommands,
};
use super::characters::Characters;
use super::{MAX_COMMAND_BYTES, MAX_SIMPLE_COMMANDS, SimpleCommand, Unreadable, word};

/// Returns the simple commands of a command, or the first thing in it that is not literal.
pub(super) fn commands(command: &str) -> Result<Vec<SimpleCommand>, Unreadable> {
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
    let mut reader = Reader::new(command);
    match reader.list() {
        Ok(()) if reader.commands.is_empty() => Err(Unreadable::of(Empty)),
        Ok(()) => Ok(reader.commands),
        Err(kind) => Err(Unreadable { kind, character: Some(reader.characters.position()) }),
    }
}

struct Reader<'c> {
    characters: Characters<'c>,
    commands: Vec<SimpleCommand>,
    /// The words of the current simple command; empty between commands.
    words: Vec<String>,
    /// Whether a command has to follow the last one, after `|`, `||` or `&&`.
    is_joined: bool,
}

impl<'c> Reader<'c> {
    fn new(command: &'c str) -> Self {
        let characters = Characters::of(command);
        Self { characters, commands: Vec::new(), words: Vec::new(), is_joined: false }
    }

    fn list(&mut self) -> Result<(), UnreadableKind> {
        while let Some(next) = self.characters.peek() {
            match next {
                b' ' | b'\t' => self.characters.skip_blank(),
                b'#' => self.comment()?,
                b'&' if !self.words.is_empty() && self.characters.skip_both_outputs() => {}
                b';' | b'\n' | b'|' | b'&' => self.operator()?,
                // A line that is continued between words.
                b'\\' if self.characters.skip("\\\n") => {}
                b'0'..=b'2' | b'<' | b'>' if self.characters.skip_redirection() => {}
                _ => self.word()?,
            }
        }
        if self.words.is_empty() && self.is_joined {
            return Err(Syntax);
        }
        self.end_command();
        Ok(())
    }

    /// A comment ends before the line feed, which is an operator.
    fn comment(&mut self) -> Result<(), UnreadableKind> {
        while self.characters.peek().is_some_and(|next| next != b'\n') {
            self.characters.next()?;
        }
        Ok(())
    }

    fn operator(&mut self) -> Result<(), UnreadableKind> {
        let Some(operator) = self.characters.next()? else { return Ok(()) };
        let is_joined = match (operator, self.characters.peek()) {
            ('&', Some(b'&')) => self.characters.skip("&"),
            ('|', Some(b'|')) => self.characters.skip("|"),
            // `|&` and `&>` are others in shells that do not have them: the command would run in
            // the background, or not at all.
            ('|', Some(b'&')) | ('&', Some(b'>')) => return Err(Redirection),
            ('&', _) => return Err(Background),
            (';', Some(b';' | b'&')) => return Err(Syntax),
            _ => operator == '|',
        };
        // Line feeds may stand anywhere between commands, the other operators only after one.
        if !self.words.is_empty() {
            self.end_command();
            self.is_joined = is_joined;
        } else if operator != '\n' {
            return Err(Syntax);
        }
        Ok(())
    }

    fn end_command(&mut self) {
        if !self.words.is_empty() {
            self.commands.push(SimpleCommand { words: std::mem::take(&mut self.words) });
        }
    }

    fn word(&mut self) -> Result<(), UnreadableKind> {
        let is_first = self.words.is_empty();
        if is_first && self.commands.len() == MAX_SIMPLE_COMMANDS {
            return Err(TooManyCommands);
        }
        self.words.push(word::take(&mut self.characters, is_first)?);
        Ok(())
    }
}
