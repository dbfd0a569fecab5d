//! Quoted scalars.

use super::plain::fold;
use super::reader::{is_end, is_line_break};
use super::{Failure, Mark, Scanner};
use crate::reference::Crash;
use crate::reference::python::repr;

const QUOTED: &str = "while scanning a quoted scalar";
const DOUBLE_QUOTED: &str = "while scanning a double-quoted scalar";

impl Scanner<'_> {
    pub(super) fn quoted(&mut self, quote: char) -> Result<(), Failure> {
        self.save_possible_key()?;
        self.may_begin_key = false;
        let start = self.reader.mark();
        self.reader.forward(1);
        let mut text = String::new();
        self.quoted_text(quote, start, &mut text)?;
        while self.reader.peek() != quote {
            self.quoted_blanks(start, &mut text)?;
            self.quoted_text(quote, start, &mut text)?;
        }
        self.reader.forward(1);
        self.push_scalar(text, false, (start, self.reader.mark()));
        Ok(())
    }

    fn quoted_text(&mut self, quote: char, start: Mark, text: &mut String) -> Result<(), Failure> {
        let is_double = quote == '"';
        loop {
            let count = self.reader.count(|character| {
                !matches!(character, ' ' | '\t' | '\'' | '"' | '\\') && !is_end(character)
            });
            text.push_str(&self.reader.take(count));
            match self.reader.peek() {
                '\'' if !is_double && self.reader.peek_at(1) == '\'' => {
                    text.push('\'');
                    self.reader.forward(2);
                }
                '\\' if is_double => self.escape(start, text)?,
                other @ ('\'' | '"' | '\\') if other != quote => {
                    text.push(other);
                    self.reader.forward(1);
                }
                _ => return Ok(()),
            }
        }
    }

    fn escape(&mut self, start: Mark, text: &mut String) -> Result<(), Failure> {
        self.reader.forward(1);
        let character = self.reader.peek();
        if let Some(meant) = simple_escape(character) {
            text.push(meant);
            self.reader.forward(1);
            return Ok(());
        }
        match character {
            'x' => self.numeric_escape(2, start, text),
            'u' => self.numeric_escape(4, start, text),
            'U' => self.numeric_escape(8, start, text),
            _ if is_line_break(character) => {
                self.reader.take_line_break();
                text.push_str(&self.quoted_breaks(start)?);
                Ok(())
            }
            _ => {
                let problem =
                    format!("found unknown escape character {}", repr(&character.to_string()));
                Err(Failure::within(DOUBLE_QUOTED, start, problem, self.reader.mark()))
            }
        }
    }

    fn numeric_escape(
        &mut self,
        digits: usize,
        start: Mark,
        text: &mut String,
    ) -> Result<(), Failure> {
        self.reader.forward(1);
        let count = self.reader.count(|character| character.is_ascii_hexdigit());
        if count < digits {
            let found = repr(&self.reader.peek_at(count).to_string());
            let problem = format!(
                "expected escape sequence of {digits} hexdecimal numbers, but found {found}"
            );
            return Err(Failure::within(DOUBLE_QUOTED, start, problem, self.reader.mark()));
        }
        let code = u32::from_str_radix(&self.reader.take(digits), 16).ok();
        let character = code.and_then(char::from_u32);
        text.push(character.ok_or(Failure::Crash(Crash::NoCharacter))?);
        Ok(())
    }

    fn quoted_blanks(&mut self, start: Mark, text: &mut String) -> Result<(), Failure> {
        let count = self.reader.count(|character| matches!(character, ' ' | '\t'));
        let blanks = self.reader.take(count);
        if self.reader.peek() == '\0' {
            let problem = "found unexpected end of stream";
            return Err(Failure::within(QUOTED, start, problem, self.reader.mark()));
        }
        match self.reader.take_line_break() {
            Some(line_break) => text.push_str(&fold(line_break, &self.quoted_breaks(start)?)),
            None => text.push_str(&blanks),
        }
        Ok(())
    }

    fn quoted_breaks(&mut self, start: Mark) -> Result<String, Failure> {
        let mut breaks = String::new();
        loop {
            if self.reader.is_document_marker("---") || self.reader.is_document_marker("...") {
                let problem = "found unexpected document separator";
                return Err(Failure::within(QUOTED, start, problem, self.reader.mark()));
            }
            let blanks = self.reader.count(|character| matches!(character, ' ' | '\t'));
            self.reader.forward(blanks);
            match self.reader.take_line_break() {
                Some(line_break) => breaks.push(line_break),
                None => return Ok(breaks),
            }
        }
    }
}

fn simple_escape(character: char) -> Option<char> {
    Some(match character {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        ' ' | '"' | '/' | '\\' => character,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}
